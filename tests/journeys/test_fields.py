"""Every field that the browser draws looks like its neighbour, in both themes and on a phone."""

from itertools import product

import pytest

from tests.journeys.conftest import RunningSite
from tests.journeys.page_width import laid_out_width

pytestmark = [pytest.mark.browser, pytest.mark.conformance("W15")]
KINDS = ("text", "search", "email", "password", "number", "date", "datetime-local", "time", "file")
# One of each beside the others, alone and in a bar of filters.
DRAW = """(kinds) => {
  for (const bar of ["form", "filters"]) {
    const box = document.createElement("div");
    box.className = bar;
    for (const kind of [...kinds, "select"]) {
      const field = document.createElement(kind === "select" ? "select" : "input");
      if (kind !== "select") field.type = kind;
      field.setAttribute("aria-label", kind);
      field.dataset.tried = bar;
      box.append(field);
    }
    document.querySelector("main").append(box);
  }
}"""
LOOK = """(bar) => [...document.querySelectorAll(`[data-tried=${bar}]`)].map((field) => {
  const style = getComputedStyle(field);
  const { borderTopColor, borderTopWidth, borderTopLeftRadius: corner } = style;
  const { backgroundColor, fontSize } = style, height = field.offsetHeight;
  return { height, borderTopColor, borderTopWidth, corner, backgroundColor, fontSize };
})"""


def test_every_native_field_has_one_form(site: RunningSite) -> None:
    page = site.context().new_page()
    page.goto("/accounts/login/")
    page.evaluate(DRAW, list(KINDS))
    colours = {}
    for theme, width in product(("light", "dark"), (1280, 320)):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 800})
        for bar in ("form", "filters"):
            looks = page.evaluate(LOOK, bar)
            assert len(looks) == len(KINDS) + 1
            for kind, look in zip((*KINDS, "select"), looks, strict=True):
                assert look == looks[0], (theme, width, bar, kind)
        # A phone enlarges the page for a field of smaller letters.
        assert width > 640 or looks[0]["fontSize"] == "16px"
        assert laid_out_width(page, width) <= width
        colours[theme] = looks[0]["backgroundColor"]
    assert colours["light"] != colours["dark"]
