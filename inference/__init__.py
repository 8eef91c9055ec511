"""What is asked of models, and other machines that answer it.

Knows nothing of the pages. Only ``ray_serve.py`` imports Ray, and no page imports that.
"""
