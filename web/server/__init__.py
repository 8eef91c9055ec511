"""The HTTP server: settings, middleware, static files, warm-up and limits."""
