"""HTTP and WebSocket API of the rooms."""
