"""Which sentence of a memory shows that its speaker knows about a topic. Pure, linear."""

from memories.knowledge_graph.expertise_signals import is_help_seeking
from memories.language.propositions import iter_sentences
from memories.language.terms import extract_concepts, extract_terms
from memories.language.text_limits import MAX_CHARACTERS_TO_EXCERPT


def select_evidence_sentence(text: str, topic: str) -> str:
    """The first sentence that states something about the topic; else the one with most content.

    Statements come before questions. A text without sentences is returned whole.
    """
    best, worth = "", (-1, -1, -1)
    keys = {term.key for term in extract_concepts(topic) or extract_terms(topic)}
    for sentence in iter_sentences(text[:MAX_CHARACTERS_TO_EXCERPT]):
        found = extract_concepts(sentence)
        named = sum(term.key in keys for term in found)
        here = (int(not is_help_seeking(sentence)) if found else -1, named, min(len(found), 6))
        if here > worth:
            best, worth = sentence, here
    return best.strip() or text.strip()
