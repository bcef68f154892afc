"""How wide a page is, measured once it is laid out."""

from playwright.sync_api import Page

# Once it fits or after thirty frames: a new size takes some to be laid out.
_WIDE = """(most) => new Promise((done) => {
  let frames = 0;
  const look = () => {
    const wide = document.documentElement.scrollWidth;
    if (wide <= most || ++frames > 30) done(wide);
    else requestAnimationFrame(look);
  };
  look();
})"""


def laid_out_width(page: Page, most: int) -> int:
    """Pixels; for a page that was just made narrower and should be at most so wide."""
    return int(page.evaluate(_WIDE, most))
