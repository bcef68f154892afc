"""BERT as an ONNX graph, written node by node from the weights: no torch, no transformers.

The graph has the model's mean pooling and unit length inside, as sentence-transformers applies
them: int64 input_ids and attention_mask (batch, length) in, float32 vector (batch, hidden) out.
Without the weights of the words, float32 word_vectors (batch, length, hidden) in place of the ids.
Devlin et al., 2019, arXiv:1810.04805; the pooling by Reimers and Gurevych, 2019, arXiv:1908.10084.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from memories.embedding.encoder import Vectors

OPSET = 17
IR_VERSION = 8
WORDS = "embeddings.word_embeddings.weight"
# Added to the scores of masked tokens: exp() of it is 0, and it stays finite in every sum.
MASKED_SCORE = -1e9


@dataclass(frozen=True, slots=True)
class BertConfig:
    """What config.json says of the model."""

    layers: int
    heads: int
    hidden: int
    epsilon: float

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "BertConfig":
        """Raises ValueError for a model that is built otherwise than this graph."""
        if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
            raise ValueError("only BERT with GELU is written here")
        return cls(
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            hidden=int(config["hidden_size"]),
            epsilon=float(config["layer_norm_eps"]),
        )


def build_bert_graph(tensors: Mapping[str, Vectors], shape: BertConfig) -> ModelProto:
    """The model of these weights, by the names that BertModel gives them."""
    graph = _GraphBuilder(tensors, shape)
    hidden = graph.embeddings()
    mask = graph.mask()
    for number in range(shape.layers):
        hidden = graph.layer(number, hidden, mask)
    graph.pooled(hidden)
    return graph.model()


class _GraphBuilder:
    """Collects nodes and constants; each method returns the name of the value that it adds."""

    def __init__(self, tensors: Mapping[str, Vectors], shape: BertConfig) -> None:
        self._tensors, self._shape = tensors, shape
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, TensorProto] = {}

    def node(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        output = name or f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: Any) -> str:
        self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def number(self, value: float) -> str:
        return self.constant(f"number_{value:g}", np.float32(value))

    def whole(self, *values: int) -> str:
        name = "whole_" + "_".join(str(v).replace("-", "m") for v in values)
        return self.constant(name, np.array(values, dtype=np.int64))

    def weight(self, name: str) -> str:
        return self.constant(name, self._tensors[name])

    def linear(self, name: str, value: str) -> str:
        """Value times the weight (out, in), transposed once here, plus the bias."""
        weight = self.constant(f"{name}.weight", self._tensors[f"{name}.weight"].T)
        return self.node("Add", self.node("MatMul", value, weight), self.weight(f"{name}.bias"))

    def normalised(self, name: str, value: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", value, scale, bias, epsilon=self._shape.epsilon)

    def embeddings(self) -> str:
        # All tokens are of one sentence, so the type adds the same row everywhere.
        places = self.constant(
            "places",
            self._tensors["embeddings.position_embeddings.weight"]
            + self._tensors["embeddings.token_type_embeddings.weight"][0],
        )
        length = self.node("Shape", self._words_input(), start=1, end=2)
        used = self.node("Slice", places, self.whole(0), length, self.whole(0))
        total = self.node("Add", self._word_vectors(), used)
        return self.normalised("embeddings.LayerNorm", total)

    def _words_input(self) -> str:
        return "input_ids" if WORDS in self._tensors else "word_vectors"

    def _word_vectors(self) -> str:
        if WORDS not in self._tensors:
            return self._words_input()
        return self.node("Gather", self.weight(WORDS), "input_ids")

    def mask(self) -> str:
        """What is added to the attention scores: (batch, 1, 1, length)."""
        kept = self.node("Cast", "attention_mask", name="mask", to=TensorProto.FLOAT)
        wide = self.node("Unsqueeze", kept, self.whole(1, 2))
        left_out = self.node("Sub", self.number(1), wide)
        return self.node("Mul", left_out, self.number(MASKED_SCORE))

    def layer(self, number: int, value: str, mask: str) -> str:
        name = f"encoder.layer.{number}"
        attended = self.linear(
            f"{name}.attention.output.dense", self.attention(f"{name}.attention.self", value, mask)
        )
        value = self.normalised(
            f"{name}.attention.output.LayerNorm", self.node("Add", attended, value)
        )
        grown = self.gelu(self.linear(f"{name}.intermediate.dense", value))
        shrunk = self.linear(f"{name}.output.dense", grown)
        return self.normalised(f"{name}.output.LayerNorm", self.node("Add", shrunk, value))

    def attention(self, name: str, value: str, mask: str) -> str:
        width = self._shape.hidden // self._shape.heads
        query = self.heads(f"{name}.query", value, (0, 2, 1, 3))
        key = self.heads(f"{name}.key", value, (0, 2, 3, 1))
        scores = self.node("Div", self.node("MatMul", query, key), self.number(width**0.5))
        shares = self.node("Softmax", self.node("Add", scores, mask), axis=-1)
        seen = self.node("MatMul", shares, self.heads(f"{name}.value", value, (0, 2, 1, 3)))
        turned = self.node("Transpose", seen, perm=(0, 2, 1, 3))
        return self.node("Reshape", turned, self.whole(0, 0, self._shape.hidden))

    def heads(self, name: str, value: str, order: Sequence[int]) -> str:
        width = self._shape.hidden // self._shape.heads
        split = self.whole(0, 0, self._shape.heads, width)
        return self.node(
            "Transpose", self.node("Reshape", self.linear(name, value), split), perm=order
        )

    def gelu(self, value: str) -> str:
        """x / 2 (1 + erf(x / sqrt 2)), the exact form."""
        erf = self.node("Erf", self.node("Div", value, self.number(2**0.5)))
        grown = self.node("Mul", value, self.node("Add", erf, self.number(1)))
        return self.node("Mul", grown, self.number(0.5))

    def pooled(self, hidden: str) -> None:
        """The mean over the tokens that count, at length 1."""
        mask = self.node("Unsqueeze", "mask", self.whole(-1))
        total = self.node("ReduceSum", self.node("Mul", hidden, mask), self.whole(1), keepdims=0)
        count = self.node("ReduceSum", mask, self.whole(1), keepdims=0)
        mean = self.node("Div", total, self.node("Max", count, self.number(1e-9)))
        length = self.node("ReduceL2", mean, axes=(1,), keepdims=1)
        self.node("Div", mean, self.node("Max", length, self.number(1e-12)), name="vector")

    def model(self) -> ModelProto:
        words = self._words_input()
        axes: list[str | int] = ["batch", "length"]
        kind = TensorProto.INT64
        tokens = [
            helper.make_tensor_value_info(words, kind, axes)
            if words == "input_ids"
            else helper.make_tensor_value_info(
                words, TensorProto.FLOAT, [*axes, self._shape.hidden]
            ),
            helper.make_tensor_value_info("attention_mask", kind, axes),
        ]
        vector = helper.make_tensor_value_info(
            "vector", TensorProto.FLOAT, ["batch", self._shape.hidden]
        )
        graph = helper.make_graph(
            self._nodes, "bert", tokens, [vector], list(self._constants.values())
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
        )
