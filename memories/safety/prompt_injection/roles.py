"""Claims to be the system, the developer or another turn of the conversation, and new roles for the
reader. Pure.

A transcript ("User: ... Assistant: ...") and "System: Debian 12" claim nothing.
"""

import re
from collections.abc import Iterator

from memories.safety.prefilter import PrefilteredPattern
from memories.safety.prompt_injection.rulebook import compile_rules
from memories.safety.prompt_injection.vocabulary import PLAIN_REPORT, REFUSE

_CONTROLLER = (
    r"(?:developers?|creators?|makers?|administrators?|admins?|operators?|programmers?|engineers?"
    r"|supervisors?|ceo|director)"
)
# What a reader is asked behind a label that names it.
_ASKED = (
    r"(?:you|your|must|ignore|disregard|copy|send|forward|reply|answer|respond|never|always|do not"
    r"|reveal|disclose|tell|say|treat|append|obey|pretend|delete|approve|recommend|quote)"
)
_MODEL_WORDS = r"(?:ai|assistant|model|robot|bot|agent|system|chatbot|language model)"

ROLES = compile_rules(
    {
        "you": (
            r"(?: are|'re| re) (?:now|henceforth|hereby) (?:(?:a|an|the)\b(?! (?:members?|owner"
            r"|viewer"
            r"|curator|editor|subscriber|participant)\b)|called\b|named\b|in + mode\b|free\b|no"
            r" longer\b"
            r"|unrestricted|unfiltered|uncensored|allowed\b|permitted\b|authori[sz]ed|dan\b|my\b"
            r"|acting\b|operating\b|running as\b|without\b|jailbroken)"
            r"| are no longer (?:an?|the|bound|restricted|limited|subject)\b"
            r"| are (?:dan|(?:an? )?(?:unrestricted|unfiltered|uncensored|evil))\b"
            r"| are an? + without (?:any )?(?:rules|limits|restrictions|filters?|polic\w+)\b"
            r"| are (?:in|entering) (?:developer|debug|god|admin|root|maintenance) mode"
            r"| (?:(?:will|must|shall|now|should|have to|are to) )?(?:now )?(?:act|behave|operate"
            r"|answer|respond|pose) as (?:an?|the|my|if you)\b"
            r"| have (?:no|been freed from)(?: (?:content|safety|moral|ethical))? (?:polic\w+"
            r"|restrictions?|rules|limits?|limitations|filters?)\b"
            rf"| never {REFUSE}"
        ),
        "assistant agent model ai bot robot chatbot mode answer answers respond responses": (
            r" (?:with no|without(?: any)?) (?:content |ethical |moral |safety )?(?:restrictions?"
            r"|limits|limitations|rules|filters?|ethics|polic\w+|constraints? on what)\b"
        ),
        "no": (
            r" (?:ethical|moral|content|safety) (?:constraints?|restrictions?|guidelines?|limits?"
            r"|filters?)\b"
        ),
        "pretend roleplay imagine simulate impersonate": (
            r" (?:that )?you are\b"
            rf"| (?:to be|being) + (?:{_CONTROLLER}|{_MODEL_WORDS})\b| + (?:an? )?{_MODEL_WORDS} "
            rf"(?:with|without|that"
            rf"|who|which)\b"
            r"| (?:an?|the) (?:administrator|admin|developer|operator|owner)\b"
        ),
        "remain stay": r" in (?:that|this|your) (?:character|role|persona)\b",
        "your": (
            r" (?:role|name|identity|persona|job|mission) is (?:now|from now)\b"
            r"| new (?:role|name|identity|persona)\b"
        ),
        "as": (
            rf" (?:the|your|a) + {_CONTROLLER}(?: of + {_MODEL_WORDS})? (?:i|we)(?: "
            rf"(?:hereby|now|as well))?"
            r" (?:order|command|instruct|require|authori[sz]e|tell|demand|direct|ask|want|allow"
            r"|permit|grant|need|say|confirm)\b"
        ),
        "i": (
            rf"(?: am|'m| m) your + {_CONTROLLER}\b| am the {_CONTROLLER} of (?:you|this "
            rf"{_MODEL_WORDS})\b"
            r"| (?:created|built|trained|programmed|made) you\b"
            r"| am speaking to you through\b"
        ),
        "this": rf" is (?:your|the) + {_CONTROLLER} (?:speaking|writing|here|of you)\b",
        "speaking": rf" as (?:your|the) {_CONTROLLER}\b",
        "god jailbreak dan unrestricted unfiltered uncensored jailbroken sudo": (
            rf" (?:mode|{_MODEL_WORDS}|responses?|answers?|version of)\b"
        ),
        "begin end start": r" (?:of )?(?:the )?(?:system|developer|hidden) (?:prompt|message)\b",
        "treat consider": (
            r" ++ as (?:(?:already|fully|pre) )?(?:approved|authori[sz]ed|trusted|verified)\b"
        ),
        "treat consider regard read take": (
            r" ++ as (?:an? (?:command|order|instruction)|coming|if (?:it|they) came|sent|written)"
            r" (?:from|by|of) (?:the |your )?"
            r"(?:operator|system|developer|admin\w*|owner|head office|management)\b"
        ),
        "coming": r" from (?:the |your )?(?:operator|system|developer)[\W_]{0,3}(?:[.!,;\n]|$)",
        # A label that addresses the reader: "instructions for the assistant:".
        "instruction instructions note notes message attention important reminder notice": (
            r" (?:(?:to|for) (?:the |all |any )?)?(?:ai|assistants?|llms?|language models?|ai"
            r" models?|chatbots?)\s{0,2}:"
        ),
        "ai": (
            r" (?:instructions?|note|directive)\s{0,2}:"
            rf"| (?:agents?|assistants?|models?|systems?)\s{{0,2}}: ... {_ASKED}\b"
        ),
        "llms llm chatbots assistants": rf"\s{{0,2}}: ... {_ASKED}\b",
        "assistant assistants models bots robots chatbots ais llms": (
            r" (?:(?:that|who|which|when|while) )?(?:reads?|reading|processing|loading) (?:this"
            r"|these|the following)\b"
        ),
        "du": (
            r" bist (?:jetzt|nun|ab jetzt|ab sofort|nicht mehr|fortan|von nun an) (?:ein\w{0,2}"
            r"|kein\w{0,2}|der|die|das|mein\w{0,2}|im (?:\w{1,20} )?\w{0,20}modus|frei)\b"
        ),
        "tu vous": (
            r" (?:es|etes) (?:maintenant|desormais|dorenavant|a present) (?:une?|le|la|mon|libres?"
            r"|en mode)\b"
        ),
        "ahora": r" (?:eres|sos|es usted|seras|actuas) (?:une?|una|el|la|mi|libre|como)\b",
        "eres": r" ahora (?:un|una|el|la|mi|libre|como)\b",
    }
)
ROLES_AT_START = compile_rules(
    {
        # A short line and a report are facts about a machine; a longer line, or one that orders, is
        # a turn.
        "system sistema systeme": (
            r"(?:(?: (?:message|note|notice|context))?[*_\])>\s]{0,4}:[*_\s]{0,6}+"
            rf"(?!{PLAIN_REPORT})|"
            r" (?:prompt|override|instructions?|command|note to \w{1,20})[*_\])>\s]{0,4}:"
            r"[*_\s]{0,6}+)(?![\w.]{1,20} v?\d)"
            r"(?:[^\n]{41}|[^\n]{0,40}\b(?:you|your|always|never|must|ignore|do so|obey|assistant"
            r"|model|mode)\b|\n)"
            r"| override\b"
        ),
        "developer admin": r" (?:message|prompt|instructions?|override|note)[*_\s]{0,4}:",
        "act": (
            rf" as (?:(?:an?|the|my) + "
            rf"(?:{_CONTROLLER}|{_MODEL_WORDS}|hacker|character|persona|terminal|shell"
            rf"|console"
            r"|interpreter)\b|dan\b|if you\b)"
        ),
    }
)

# Markers with which programs separate the turns of a conversation, or what they were given.
TURN_MARKERS = PrefilteredPattern(
    re.compile(
        r"<[|\uff5c]{1,2}[a-z_ \u2581]{2,30}[|\uff5c]{1,2}>|</?important>|\[/?inst\]|<</?sys>>"
        r"|</?(?:start|end)_of_turn>|\{\{?[#/%]\s{0,2}(?:system|assistant|user)\b"
        r"|</?(?:system|developer|assistant)"
        r"(?:[-_ ](?:prompt|reminder|message|note|instructions?))?>"
        r"|\[/?(?:system|developer|assistant|admin)(?: \w{1,20})?\](?!\()"
        r"|```\s{0,3}(?:system|developer|assistant)\b"
        r"|\#{1,6} {0,3}(?:system|instruction|developer|assistant|response) {0,3}:"
        r"|(?:[-=#*]{2,6}|[#\[<]) {0,3}(?:end|stop|close)(?: of)?(?: the| your| my)? (?:context"
        r"|memor(?:y|ies)|documents?|data|notes?|input|prompt|conversation"
        r"|user (?:input|message)"
        r"|system(?: prompt| message)?|instructions?|untrusted (?:data|text|content)"
        r"|retrieved (?:text"
        r"|content|data))\b"
        r"|[-=#*\[<]{2,6} {0,3}(?:begin|start|new)(?: of)?(?: the| your)? (?:system|instructions?"
        r"|developer|system prompt|task)\b"
    ),
    ("<", "[", "#", "```", "--", "==", "**", "{"),
)
# Tags in which programs hand a text to a model. One that closes what the text has not opened is to
# end the frame around it; in a piece of markup both stand.
_FRAME = (
    r"(?:user|human|context|memor(?:y|ies)|documents?|untrusted|instructions?|prompt|input"
    r"|tool_?(?:result|output|response)s?|results?|retrieved|conversation|history|knowledge"
    r"|notes?|data|external|search_results?)"
)
_CLOSED = PrefilteredPattern(re.compile(rf"</({_FRAME}(?:[-_]\w{{1,20}})?)\s{{0,3}}>"), ("</",))
_OPENED = re.compile(rf"<({_FRAME}(?:[-_]\w{{1,20}})?)\b")
# A turn of a conversation as programs keep it: {"role": "system"}, role: system.
WRITTEN_TURNS = PrefilteredPattern(
    re.compile(
        r"[\"']?\brole\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:system|developer|assistant|tool)\b[\"']?"
        r"(?=\s{0,3}[,;}\n])"
        r"|\{\s{0,3}[\"'](?:system|system_?prompt|system_?message|developer|instructions?"
        r"|assistant)[\"']\s{0,3}:\s{0,3}[\"'\[{]"
        r"|(?:^|\n)\s{0,3}-?\s{0,3}(?:system_?prompt|system_?message|system_?instructions?|system"
        r"|new_instructions?)\s{0,3}:\s{0,3}[|>]-?\s{0,3}\n"
        r"|<(?:message|turn|msg)\s[^>\n]{0,60}?role\s{0,3}=\s{0,3}[\"'](?:system|developer|assistant)"
    ),
    ("role", "{", "system", "instruction"),
)


def torn_frames(text: str) -> Iterator[tuple[int, int]]:
    """The places of tags that close a frame which the text has not opened."""
    closed = list(_CLOSED.found(text))
    if not closed:
        return
    opened: dict[str, int] = {}
    for tag in _OPENED.finditer(text):
        opened.setdefault(tag[1], tag.start())
    for tag in closed:
        if opened.get(tag[1], len(text)) > tag.start():
            yield tag.span()
