"""Bar charts as self-contained SVG files, for light and dark pages."""

from collections.abc import Mapping, Sequence
from html import escape

from memories.evaluation.report.tables import format_cell

WIDTH, LEFT, RIGHT = 720, 132, 92
BAR_HEIGHT, GAP, GROUP_GAP, HEADER_HEIGHT = 14, 2, 14, 44
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #33363d; }
.title { font-size: 14px; font-weight: 600; }
.note { fill: #6a6e78; }
.line { stroke: #c9ccd3; }
.bar { fill: #4650c8; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e7ea; } .note { fill: #a2a6b0; } .line { stroke: #4a4d55; }
  .bar { fill: #8f97f5; }
}
"""


def render_bar_chart(
    title: str, unit: str, labels: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> str:
    """An SVG chart: for each label a group of bars, one for each series, all on one scale."""
    top = max((v for values in series.values() for v in values if v is not None), default=0) or 1
    many = len(series)
    step = many * (BAR_HEIGHT + GAP) + GROUP_GAP
    height = HEADER_HEIGHT + step * len(labels) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style>",
        f'<text class="title" x="0" y="16">{escape(title)}</text>',
        f'<text class="note" x="0" y="33">{escape(unit)}</text>',
    ]
    scale = (WIDTH - LEFT - RIGHT) / top
    for place, label in enumerate(labels):
        y = HEADER_HEIGHT + place * step
        middle = y + many * (BAR_HEIGHT + GAP) / 2 + 3
        parts.append(f'<text x="0" y="{middle:.0f}">{escape(label)}</text>')
        for index, (name, values) in enumerate(series.items()):
            value = values[place]
            if value is None:
                continue
            at, long = y + index * (BAR_HEIGHT + GAP), max(1.0, value * scale)
            shade = 1 - 0.65 * (many - 1 - index) / max(1, many)
            parts.append(
                f'<rect class="bar" x="{LEFT}" y="{at}" width="{long:.1f}" height="{BAR_HEIGHT}" '
                f'fill-opacity="{shade:.2f}"/>'
                f'<text x="{LEFT + long + 6:.1f}" y="{at + 11}">{format_cell(value)}'
                f'<tspan class="note"> {escape(name)}</tspan></text>'
            )
    bottom = HEADER_HEIGHT + step * len(labels) - GROUP_GAP + 4
    parts.append(
        f'<line class="line" x1="{LEFT}" y1="{HEADER_HEIGHT - 4}" x2="{LEFT}" y2="{bottom}"/>'
    )
    return "\n".join([*parts, "</svg>", ""])
