"""Write a packed model as ONNX: `python -m memories.embedding.multilingual.export FILE DIR`.

Run in a process of its own, because writing and quantising it takes memory that the process which
serves the model must not hold. Writes DIR/fp32.onnx, DIR/int8.onnx and DIR/vocabulary.model. The
word vectors, most of the file, stay where they are: they are the graph's input.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

from memories.embedding.bert_graph import BertConfig, build_bert_graph
from memories.embedding.encoder import Vectors
from memories.embedding.multilingual.packed_model import PackedModel
from memories.embedding.multilingual.unigram_tokenizer import (
    VOCABULARY_FILE,
    UnigramTokenizer,
    write_vocabulary,
)
from memories.embedding.onnx_text_model import create_session

PROBES = (
    "query: Wann wird der Server neu gestartet?",
    "passage: The server in hall 3 is restarted every Tuesday at four in the morning.",
    "passage: 佐藤さんは来月から大阪支社に転勤します。",
)
# A processor with broken kernels must not fill a database with its vectors.
MIN_INT8_COSINE = 0.97
MAX_TOKENS = 64


def export_packed_model(weights: Path, directory: Path) -> None:
    """Write, quantise and check; raises RuntimeError if what was written does not compute."""
    packed = PackedModel(weights)
    shape = BertConfig(packed.layers, packed.heads, packed.hidden, packed.epsilon)
    graph = build_bert_graph(packed.tensors(), shape)
    onnx.checker.check_model(graph, full_check=True)
    fp32, int8 = directory / "fp32.onnx", directory / "int8.onnx"
    onnx.save(graph, fp32)
    quantize_dynamic(fp32, int8, weight_type=QuantType.QInt8, per_channel=True)
    write_vocabulary(packed.vocabulary, directory / VOCABULARY_FILE)
    exact, small = (_encode_probes(packed, directory, model) for model in (fp32, int8))
    worst = float((exact * small).sum(axis=1).min())
    # Not (worse < least): a model that computes NaN is refused too.
    if not worst >= MIN_INT8_COSINE:
        raise RuntimeError(f"the quantised model is only {worst:.3f} like its source")


def _encode_probes(packed: PackedModel, directory: Path, model: Path) -> Vectors:
    session = create_session(model)
    tokenizer = UnigramTokenizer(directory / VOCABULARY_FILE, packed.vocabulary)
    found = []
    for text in PROBES:
        ids = np.array(tokenizer.encode(text, MAX_TOKENS), dtype=np.int64)
        feed = {
            "word_vectors": packed.word_vectors(ids)[np.newaxis],
            "attention_mask": np.ones((1, len(ids)), dtype=np.int64),
        }
        found.append(session.run(None, feed)[0][0])
    return np.asarray(found, dtype=np.float32)


if __name__ == "__main__":
    export_packed_model(Path(sys.argv[1]), Path(sys.argv[2]))
