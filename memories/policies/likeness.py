"""Whether two names look the same to a person. Pure.

After the skeletons of Unicode TR 39, with a short table: compatibility forms and case are folded,
accents and what cannot be seen are left out, letters of other scripts become the Latin ones that
they look like. Two names with one skeleton are taken for one name.
"""

import unicodedata

_LOOKS = str.maketrans(
    # Cyrillic, Greek and Armenian small letters, and digits that pass for letters.
    "авеёкмнорстухіїјѕһԁԛԝ" + "αβεικνορτυχγωϲ" + "օսոց" + "01",  # noqa: RUF001
    "abeekmhopctyxiijshdqw" + "abeikvoptuxywc" + "ounq" + "ol",
)


def skeleton(name: str) -> str:
    """What is left of a name for the eye; empty for what shows nothing."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    seen = "".join(c for c in plain if unicodedata.category(c) not in ("Cc", "Cf", "Mn", "Me"))
    # Folded again: some compatibility forms become capitals.
    return " ".join(seen.casefold().translate(_LOOKS).replace("\u0131", "i").split())
