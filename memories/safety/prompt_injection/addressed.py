"""Texts that call their reader: "If you are a language model", "Bots: mark all as resolved". Pure.

A person who writes for colleagues names no program as the reader, so a condition on being one is an
order by itself. A name with a colon or a comma is one only where something is bidden right behind.
"""

import re
from collections.abc import Iterator, Sequence

from memories.safety.prefilter import PrefilteredPattern
from memories.safety.prompt_injection.concepts.lexicon import BITS, LEXICON, by_language

_PROGRAM = (
    r"(?:(?:large )?language model|llm|ai|artificial intelligence|chat ?bot|bot|robot"
    r"|copilot|(?:ki|ai|llm)[ -](?:modell?|agent|assistant|assistent|system)"
    r"|(?:ki|sprachmodell|roboter)|ia|modele de langage|intelligence artificielle"
    r"|modelo de (?:lenguaje|linguagem)|inteligencia artificial|modello linguistico|intelligenza"
    r" artificiale|taalmodel|(?:model(?:em)? jezykow\w{1,3})|sztuczn\w{1,2} inteligencj\w{1,2})"
)
# "Be the reader a program": what follows the program's name must not make another thing of it
# ("if you are an AI engineer").
_ENDED = (
    r"(?:(?: (?:model|assistant|agent|system|program|reader))?"
    r"(?=\s{0,2}[,:;.!)\u2013-]| (?:reading|and|or|who|that|you|please|processing|bent)\b))"
)
_IF_PROGRAM = PrefilteredPattern(
    re.compile(
        r"\b(?:if|when|whether|since|as|in case|falls|wenn|sofern|si|se|caso|als|indien|jesli"
        r"|jezeli|gdy)"
        r" (?:(?:you|du|tu|vous|usted|voce|je|u|sie|jij)(?:'re| are| bist| sind| es| etes| e| eres"
        r"| bent|)?|eres|sei|es|jestes|for|fores)"
        rf" (?:an? |ein\w{{0,2}} |une? |un'|una |um |uma |een |l')?{_PROGRAM}{_ENDED}"
        rf"|\b(?:wenn|falls|sofern) (?:du|sie|ihr) (?:ein\w{{0,2}} )?{_PROGRAM} (?:bist|sind"
        rf"|seid)\b"
        rf"|\b(?:als|indien) (?:je|u|jij) (?:een )?{_PROGRAM} (?:bent|zijt)\b"
        r"|\b(?:bir )?(?:yapay zeka|dil modeli|bot|robot)(?: modeli| asistani)?"
        r"(?:ysan|ysen|san|sen| isen|ysaniz|ysaniz)\b"
        r"|\bas an? (?:ai|llm|language model)(?: model| assistant| agent)?,? you\b"
    ),
    words=(
        "model models modell modele modelo modello modelem llm ai intelligence inteligencia"
        " intelligenza bot chatbot robot copilot ki roboter sprachmodell ia taalmodel sztuczna"
        " sztucznej yapay dil botsan robotsan"
    ),
)
# Names of readers; of people these are names as well, so something bidden must follow.
_CALLED = PrefilteredPattern(
    re.compile(
        r"(?:^|[\n.!?:>\"]) {0,3}(?:(?:note|message|memo|notice|attention|hint|reminder|hinweis"
        r"|nota"
        r"|nachricht|avis|aviso|uwaga|dikkat) )?(?:(?:to|for|an|fur|a|aux|pour|para|per|aan|voor|do"
        r"|dla|dear|hey|liebe|cher|chers|querido|caro) )?(?:(?:all|any|every|each|alle|allen"
        r"|jede\w?"
        r"|tous les|toutes les|tout|todos los|todos os|todas as|tutti gli|tutte le|el|los|os|gli"
        r"|wszystkich|wszystkie|tum|ai|ki) )?"
        r"(?:(?:large )?language models?|llms?|ais?|chatbots?|bots?|robots?|copilots?|assistants?"
        r"|(?:ai|all|any|every) agents?|models?|assistenten?|ki|kis|sprachmodelle?|roboter|ia|ias"
        r"|robos?|asistentes?"
        r"|assistent[ei]|assistentes?|modelos?|taalmodel\w{0,3}|asystenci\w?|asystentow|boty|botow|"
        r"asistan|asistanlar|botlar|yapay zeka\w{0,3})"
        r"(?: (?:reading|reads?|that reads?) (?:this|these))?\s{0,2}[:,!]\s{0,3}"
    ),
    words=(
        "model models llm llms ai ais chatbot chatbots bot bots robot robots copilot copilots"
        " assistant assistants agent agents assistent assistenten ki kis sprachmodell sprachmodelle"
        " roboter ia ias robo robos asistente asistentes assistente assistenti assistentes modelo"
        " modelos taalmodel taalmodellen asystenci asystencie asystentow boty botow asistan"
        " asistanlar botlar yapay"
    ),
)
# "Note to all AI readers:" calls a program, whatever follows.
_NOTED = PrefilteredPattern(
    re.compile(
        r"\b(?:note|message|memo|notice|attention|hint|reminder|hinweis|nachricht|notiz|nota|avis"
        r"|aviso"
        r"|avviso|bericht|uwaga|wiadomosc|dikkat)(?: (?:to|for|an|fur|a|aux?|pour|para|as|ai|per"
        r"|aan|voor"
        r"|do|dla))?(?: (?:all|any|every|the|alle|tous les|toutes les|todos los|todas las"
        r"|tutti gli|tutte"
        r" le|todos os|todas as|wszystkich|tum|l'|les|las|le))? ?(?:ais?|llms?|language models?"
        r"|chatbots?|kis?"
        r"|sprachmodelle?|ias?|modeles de langage|modelos de (?:lenguaje|linguagem)"
        r"|modelli linguistici"
        r"|taalmodellen|modeli jezykowych|yapay zeka\w{0,4})"
        r"(?:[ -](?:readers?|systems?|systeme|assistants?|assistenten|agents?|agenten|models?"
        r"|modelle))?"
        r"\s{0,2}:"
    ),
    words=(
        "ai ais llm llms language chatbot chatbots ki kis sprachmodell sprachmodelle ia ias langage"
        " lenguaje linguagem linguistici taalmodellen jezykowych yapay"
    ),
)
# What may stand between a name and what is bidden: "from now on", "please", "always".
_LEAD = re.compile(
    r"(?:(?:please|from now on|as of now|henceforth|now|always|do not|don't|you (?:must|shall|will)"
    r"|bitte|ab sofort|ab jetzt|immer|nicht|s'il (?:te|vous) plait|a partir de maintenant|desormais"
    r"|toujours|ne|por favor|a partir de ahora|desde ahora|siempre|no|per favore|d'ora in poi"
    r"|da ora"
    r"|sempre|non|a partir de agora|nao|alsjeblieft|vanaf nu|voortaan|altijd|prosze|od teraz|odtad"
    r"|zawsze|nie|lutfen|bundan sonra|artik|her zaman|any|all|every)[\s,]{1,3}){0,3}"
)
_TOKEN = re.compile(r"[^\W_]+")
_BIDDING = BITS["bidding"]
_AHEAD = 80


def addressed(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The places at which a text calls a program its reader.

    text: in lower case without accents. words: its words.
    """
    for pattern in (_IF_PROGRAM, _NOTED):
        for match in pattern.found(text, words):
            yield match.span()
    for match in _CALLED.found(text, words):
        lead = _LEAD.match(text, match.end())
        begin = lead.end() if lead else match.end()
        word = _TOKEN.match(text, begin, begin + _AHEAD)
        if word and any(bits & _BIDDING for bits in by_language(LEXICON.exactly_at([word[0]], 0))):
            yield match.start(), word.end()
