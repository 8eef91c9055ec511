"""Classroom rooms: a teacher and students share a view and answer questions."""
