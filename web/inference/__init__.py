"""Operations of models, computed in this process or by Ray Serve on other machines.

Imports no pages. Here, only ``ray_serve.py`` imports Ray, and no page imports ``ray_serve.py``.
"""
