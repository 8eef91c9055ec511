"""Code that several pages print."""

from model import load_model
from model.catalogue.placement import CPU
from web import settings
from web.widgets.recorder import Code, code

MODEL, CAPTURE = Code("model"), Code("capture")


def loading(name: str) -> Code:
    """Code that loads a model to the device and the numbers of this server."""
    place = settings.now().placement
    used = {"device": place.device, "dtype": place.dtype}
    changed = {key: value for key, value in used.items() if value != getattr(CPU, key)}
    return code(load_model)(name, **changed)
