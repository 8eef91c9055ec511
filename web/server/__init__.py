"""The HTTP server: settings, middleware, static files, worker processes, warm-up and limits."""
