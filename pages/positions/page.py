"""The Positions page: how attention learns about order."""

from pages.positions.schemes import schemes
from pages.positions.shared import section
from pages.positions.shuffle import shuffle
from pages.positions.sinusoids import sinusoids
from pages.positions.url import Positions
from web.view_state import address
from web.widgets import present
from web.widgets.share_link import copy_link

DRAW = {
    "sinusoidal": section(sinusoids),
    "shuffle": section(shuffle),
    "schemes": section(schemes),
}


def main() -> None:
    """Draw the page from top to bottom."""
    address.restore(Positions.fields)
    kind = Positions.kind.draw()
    DRAW[kind]()
    present.caption_line(Positions.kind.names()[kind])
    copy_link()


main()
