"""Rooms: a teacher, a hundred students, one question at a time; kept in a database.

Knows nothing of the web, of models or of pages.
"""
