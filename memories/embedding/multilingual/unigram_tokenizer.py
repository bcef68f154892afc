"""Text to the ids of a Unigram vocabulary, by sentencepiece.

Kudo, 2018, arXiv:1804.10959. The `tokenizers` package computes the same and takes 280 MB for
250,000 pieces; sentencepiece takes 55.
"""

from pathlib import Path
from typing import Any

from sentencepiece import SentencePieceProcessor

from memories.embedding.multilingual.packed_model import Vocabulary
from orgs.names.unicode_normalisation import normalise_unicode

# The sign that stands for a blank in the pieces.
BLANK = "\u2581"
# The file of the vocabulary in the folder of an exported model.
VOCABULARY_FILE = "vocabulary.model"
# What is read of a text at most: in characters before and, as no piece is longer than 16, after its
# characters are replaced.
MAX_CHARACTERS, MAX_PIECE = 32_768, 16


class UnigramTokenizer:
    """Safe to call from several threads. file: as `write_vocabulary` writes it."""

    def __init__(self, file: Path, vocabulary: Vocabulary) -> None:
        self._processor = SentencePieceProcessor(model_file=str(file))
        # NUL has no piece, and ends a text for a library in C.
        self._replacements = {0: "", **vocabulary.replacements}
        self._start, self._end = vocabulary.start, vocabulary.end

    def encode(self, text: str, most_tokens: int) -> list[int]:
        """At most `most_tokens` ids, with those of the start and the end of a text."""
        normal = self.normalise(text)[: most_tokens * MAX_PIECE]
        ids: list[int] = self._processor.EncodeAsIds(normal)
        return [self._start, *ids[: most_tokens - 2], self._end]

    def normalise(self, text: str) -> str:
        """The text as the pieces are written: characters replaced and composed, a blank before each
        word."""
        # A surrogate that stands alone cannot be written in UTF-8: it becomes a question mark.
        valid = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode()
        composed = normalise_unicode(valid.translate(self._replacements))
        return "".join(BLANK + word for word in composed.split(" ") if word)


def write_vocabulary(vocabulary: Vocabulary, file: Path) -> None:
    """Write the vocabulary as sentencepiece reads it. Texts are normalised before, so not there."""
    # Imported here: it needs protobuf, which a process that serves does not.
    from sentencepiece import sentencepiece_model_pb2

    messages: Any = sentencepiece_model_pb2
    special = {vocabulary.start, vocabulary.end, vocabulary.padding}
    model = messages.ModelProto()
    for number, (piece, score) in enumerate(vocabulary.pieces()):
        entry = model.pieces.add(piece=piece, score=score)
        if number == vocabulary.unknown:
            entry.type = messages.ModelProto.SentencePiece.UNKNOWN
        elif number in special or piece == "<mask>":
            # No text can contain what only the model's own authors may write.
            entry.type = messages.ModelProto.SentencePiece.CONTROL
    trainer = model.trainer_spec
    trainer.model_type = messages.TrainerSpec.UNIGRAM
    trainer.vocab_size = len(model.pieces)
    trainer.unk_id, trainer.bos_id = vocabulary.unknown, vocabulary.start
    trainer.eos_id, trainer.pad_id = vocabulary.end, vocabulary.padding
    rules = model.normalizer_spec
    rules.name = "identity"
    rules.add_dummy_prefix = rules.remove_extra_whitespaces = rules.escape_whitespaces = False
    file.write_bytes(model.SerializeToString())
