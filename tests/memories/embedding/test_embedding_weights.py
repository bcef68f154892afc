import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from memories.embedding import exported_models
from memories.embedding.bert_graph import BertConfig
from memories.embedding.encoder import EncoderError
from memories.embedding.exported_models import ensure_exported


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"weights")
    return path


@pytest.fixture
def exporter(monkeypatch, tmp_path):
    """Stand in for the real export: `script` is run with the folder as its argument."""

    def use(script):
        path = tmp_path / "python"
        path.write_text(f"#!/bin/sh\nfor last; do :; done\necho x >> {tmp_path}/runs\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(path))

    return use


def runs(tmp_path):
    return len((tmp_path / "runs").read_text().split())


def test_it_exports_once_even_when_many_start_at_once(source, exporter, tmp_path):
    exporter('sleep 0.2; echo model > "$last/int8.onnx"')
    with ThreadPoolExecutor(6) as pool:
        folders = set(pool.map(lambda _: ensure_exported(source, tmp_path / "models"), range(6)))
    (folder,) = folders
    assert (folder / "int8.onnx").read_text() == "model\n"
    assert runs(tmp_path) == 1


def test_other_weights_have_another_folder(source, exporter, tmp_path):
    exporter("true")
    first = ensure_exported(source, tmp_path / "models")
    source.write_bytes(b"other weights")
    assert ensure_exported(source, tmp_path / "models") != first


def test_other_recipe_has_another_folder(source, exporter, tmp_path, monkeypatch):
    exporter("true")
    first = ensure_exported(source, tmp_path / "models")
    monkeypatch.setattr(exported_models, "EXPORT_VERSION", exported_models.EXPORT_VERSION + 1)
    assert ensure_exported(source, tmp_path / "models") != first


def test_what_a_killed_process_left_is_cleared(source, exporter, tmp_path):
    half = tmp_path / "models" / ".export-abc"
    half.mkdir(parents=True)
    exporter("true")
    ensure_exported(source, tmp_path / "models")
    assert not half.exists()


def test_a_failed_export_leaves_nothing_and_says_why(source, exporter, tmp_path):
    exporter('echo half > "$last/int8.onnx"; echo "out of memory" >&2; exit 1')
    with pytest.raises(EncoderError, match="out of memory"):
        ensure_exported(source, tmp_path / "models")
    assert [path.name for path in (tmp_path / "models").iterdir()] == [".lock"]
    exporter("true")
    assert ensure_exported(source, tmp_path / "models").is_dir()


BERT = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "hidden_size": 384,
    "layer_norm_eps": 1e-12,
}


def test_another_model_is_not_written_as_this_one():
    assert BertConfig.of(BERT) == BertConfig(layers=6, heads=12, hidden=384, epsilon=1e-12)
    for other in ({"model_type": "roberta"}, {"hidden_act": "relu"}):
        with pytest.raises(ValueError, match="only BERT with GELU"):
            BertConfig.of(BERT | other)
