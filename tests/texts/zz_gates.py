import sys
from tests.texts.test_growth import (
    RULES,
    PATTERNS,
    QUICK,
    SHORT,
    MOST_GROWTH,
    growth,
    _almost,
    _found,
)
from tests.texts.kinds import KINDS


def test_x():
    bad = {}
    for name, call in RULES.items():
        if "memories.safety" not in name:
            continue
        for k, ms in KINDS.items():
            for i, m in enumerate(ms):
                g = growth(call, m, QUICK)
                if g >= MOST_GROWTH:
                    bad[name, k, i] = round(g, 1)
    print("RULES", bad, file=sys.stderr)
    bad2 = {}
    for name, p in PATTERNS.items():
        if (
            not any(
                x in name
                for x in (
                    "said_passwords",
                    "contacts",
                    "small_names",
                    "spelt_numbers",
                    "payloads",
                    "roles",
                    "split_orders",
                    "readings",
                    "orders",
                    "authority",
                    "triggers",
                    "disguises",
                    "plain_text",
                    "detect",
                )
            )
            or "memories.safety" not in name
        ):
            continue
        for m in _almost(p):
            g = growth(_found(p), m, SHORT)
            if g >= MOST_GROWTH:
                bad2[name] = round(g, 1)
    print("PATTERNS", bad2, file=sys.stderr)
    assert not bad and not bad2
