"""Caches shared by all sessions: models, captures, derived results, generated texts."""
