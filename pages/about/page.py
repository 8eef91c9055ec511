"""The About page: attention, models, training, parameters and licences."""

from pages.about.attention import attention
from pages.about.documents import documents
from pages.about.models import models
from pages.about.sizes import sizes
from pages.about.training import training
from pages.about.url import Sizes
from web.view_state import address


def main() -> None:
    """Draw the page from top to bottom."""
    address.restore(Sizes.fields)
    attention()
    models()
    training()
    sizes()
    documents()


main()
