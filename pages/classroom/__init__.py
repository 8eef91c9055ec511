"""Classroom page."""
