import json

import numpy as np
import pytest

from memories.embedding.bert_graph import BertConfig
from memories.embedding.safetensors_file import read_tensors

VALUES = np.arange(6, dtype="<f4").reshape(2, 3)
BERT = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "hidden_size": 384,
    "layer_norm_eps": 1e-12,
}


def written(tmp_path, header, numbers):
    text = json.dumps(header).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + numbers)
    return path


def test_it_reads_names_shapes_and_numbers(tmp_path):
    header = {
        "__metadata__": {"format": "pt"},
        "ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
    }
    found = read_tensors(written(tmp_path, header, bytes(8) + VALUES.tobytes()))
    assert list(found) == ["weight"]
    np.testing.assert_array_equal(found["weight"], VALUES)


def test_a_file_that_is_cut_is_refused(tmp_path):
    header = {"weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
    with pytest.raises(ValueError, match="cut short at weight"):
        read_tensors(written(tmp_path, header, VALUES.tobytes()[:-1]))


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1")
    with pytest.raises(ValueError, match="no safetensors file"):
        read_tensors(path)


def test_another_model_is_not_written_as_this_one():
    assert BertConfig.of(BERT) == BertConfig(layers=6, heads=12, hidden=384, epsilon=1e-12)
    for other in ({"model_type": "roberta"}, {"hidden_act": "relu"}):
        with pytest.raises(ValueError, match="only BERT with GELU"):
            BertConfig.of(BERT | other)
