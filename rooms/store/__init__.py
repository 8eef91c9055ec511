"""Storage of classroom rooms in a database: no HTTP, no models, nothing else of the project."""
