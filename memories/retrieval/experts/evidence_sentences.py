"""Which sentence of a memory shows that its speaker knows about a topic. Pure, linear."""

from memories.knowledge_graph.expertise_signals import seeks
from memories.language.budget import A_PAGE
from memories.language.propositions import sentences
from memories.language.terms import concepts, terms


def telling_sentence(text: str, topic: str) -> str:
    """The first sentence that states something about the topic; else the one with most content.

    Statements come before questions. A text without sentences is returned whole.
    """
    best, worth = "", (-1, -1, -1)
    keys = {term.key for term in concepts(topic) or terms(topic)}
    for sentence in sentences(text[:A_PAGE]):
        found = concepts(sentence)
        named = sum(term.key in keys for term in found)
        here = (int(not seeks(sentence)) if found else -1, named, min(len(found), 6))
        if here > worth:
            best, worth = sentence, here
    return best.strip() or text.strip()
