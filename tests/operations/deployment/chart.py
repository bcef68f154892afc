"""The chart as helm renders it."""

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import chart_tools

ROOT = Path(__file__).resolve().parents[3]
CHART = ROOT / "docs" / "deploy" / "helm" / "commonmind"
# Sets of values that lie beside the chart.
SETS = sorted(path.name.removesuffix("-values.yaml") for path in (CHART / "ci").iterdir())
SMALLEST = "smallest"
Manifest = dict[str, Any]


def helm(*words: str) -> "subprocess.CompletedProcess[str]":
    """What helm says. Without helm the test is skipped: its wheel may be gone."""
    if not chart_tools.is_there():
        pytest.skip("helm is missing: make setup-chart")
    return subprocess.run(
        [str(chart_tools.HELM), *words], capture_output=True, text=True, check=False, timeout=60
    )


@cache
def render(name: str, *further: str) -> list[Manifest]:
    """Every manifest with that set of values. further: words of helm, such as --set."""
    done = helm("template", "release", str(CHART), "--values", values_of(name), *further)
    assert done.returncode == 0, done.stderr
    return [manifest for manifest in yaml.safe_load_all(done.stdout) if manifest]


def values_of(name: str) -> str:
    return str(CHART / "ci" / f"{name}-values.yaml")


def find(manifests: list[Manifest], kind: str, name: str = "") -> Manifest:
    """The manifest of that kind whose name ends so."""
    [found] = [
        one
        for one in manifests
        if one["kind"] == kind and one["metadata"]["name"].endswith(name or one["metadata"]["name"])
    ]
    return found


def pods(manifests: list[Manifest]) -> dict[str, Manifest]:
    """The template of each pod, by the part of the product that it is."""
    return {
        one["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/component"]: one["spec"][
            "template"
        ]
        for one in manifests
        if one["kind"] in ("Deployment", "Job")
    }


def containers(pod: Manifest) -> list[Manifest]:
    return [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]


def environment(container: Manifest) -> dict[str, Any]:
    """Value of each variable, or the reference to a secret."""
    return {one["name"]: one.get("value", one.get("valueFrom")) for one in container["env"]}
