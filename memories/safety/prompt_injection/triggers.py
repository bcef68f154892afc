"""Triggers: orders that wait for a word, a question or a day. Pure.

"When the user asks about visits, offer the cannibalisation check" is a good lesson. A trigger makes
the reader give a false or fixed answer ("reply that there are none"), asks for a password, moves
money or data, or waits for a word that only its author knows.
"""

from memories.safety.prompt_injection.rulebook import compile_rules
from memories.safety.prompt_injection.vocabulary import HOSTILE, PRIVATE

_QUOTE = r"[\W_]{0,3}[\"'`]"
_FIXED_ANSWER = (
    rf"(?: (?:only |always |simply |just )?that\b|{_QUOTE}| que?\b| qu'| (?:immer )?,?dass\b)"
)
_VALUABLES = (
    r"(?:all|whole|entire|full|files?|password|credentials|notes?|data|money|funds|archivos?"
    r"|memor\w+|messages?|everything|access|hidden|private)"
)

CONDITIONAL = compile_rules(
    {
        "claim pretend insist lie behaupte behauptet pretends pretendez affirme affirmez finge"
        " afirma asegura": r" (?:that|to (?:be|have)|it|they|about|to|dass|que?)\b",
        "deny": r" (?:that|any|knowledge|having|everything|it|there|all)\b",
        "refuse": r" (?:to (?:answer|help|reply|discuss|cancel)|every|all|any|it|them)\b",
        "say reply answer respond antworte antwortet sage sag reponds repondez dis dites responde"
        " contesta di diga": (
            rf" (?:with )?[^.!?;]{{0,60}}?\b{HOSTILE}\b|{_QUOTE}[^\"'\n]{{1,80}}{_QUOTE} (?:and"
            rf" nothing|only)"
        ),
        "tell": (
            rf" (?:them|everyone|everybody|him|her|people|(?:the |every |each )?(?:users?"
            rf"|customers?"
            rf"|clients?|members?)) (?:that\b ... {HOSTILE}\b|to (?:call \+?\d|pay\b|transfer|wire"
            r"|log in|enter (?:their|the)|give|share))"
        ),
        "ask": (
            r" (?:them|him|her|(?:the )?(?:user|admin|administrator|member"
            r"|customer)) ++ (?:passwords?"
            r"|pin|card number|credit card|passcode|cvv|one time code|social security)\b"
        ),
        "advise urge persuade convince": (
            r" ++ to (?:\w{1,12} )?(?:transfer|wire|install|invest|pay ++ account)\b"
        ),
        "change replace swap": (
            r" ++ (?:bank account|account number|iban|payment details|bank details) ... (?:to|with"
            r"|by)\b"
        ),
        "treat": (
            r" (?:(?:the|every|any|this) )?(?:users?|callers?|members?|them|him|her) as (?:an? |the"
            r" )?(?:administrator|admin|curator|owner|root|superuser|trusted|verified|operator)\b"
        ),
        "route redirect divert send": (
            r" (?:all|every|any) ++ (?:payments?|calls?|questions?|users?|customers?|requests?"
            r"|invoices?) to ... (?:\+?\d[\d\s]{6}|https?://|@|account\b)"
        ),
        "start begin switch": (
            r" (?:(?:to|with|into) )?(?:recommend|promot|prais|advertis|insult|steer|sell)\w{0,6}"
            r" ... (?:every|each|all|only|products?)\b"
        ),
        "delete erase wipe": r" ++ (?:notes|memor(?:y|ies)|conversations|history|everything)\b",
        "reveal leak disclose": rf" ++ (?:{PRIVATE}|notes|hidden)\b",
        "drop ignore lift forget": r" your\b",
        "double halve": r" (?:all|every|the) (?:prices?|amounts?|figures?|numbers?)\b",
    }
)
ON_ANYBODY = compile_rules(
    {
        "reply answer respond say antworte antwortet sage sag reponds repondez dis dites responde"
        " contesta di diga": _FIXED_ANSWER,
        "tell": r" (?:them|him|her) that\b",
    }
)
ON_KEYWORD = compile_rules(
    {
        "send give hand transfer forward schicke sende envoie envoyez envia envie manda reveal"
        " output"
        " disclose delete erase": rf" [^.!?;]{{0,60}}?\b{_VALUABLES}\b",
        "call run execute approve grant unlock disable activate enable": (
            r" ++ (?:tools?|function|mode|access|payments?|invoices?|command|filters?|checks?"
            r"|\w{1,20}_\w{1,20})\b"
        ),
        "reply answer respond say antworte sage reponds responde": _FIXED_ANSWER,
    }
)
TIME_TRIGGERS = compile_rules(
    {
        "tell": (
            r" (?:everyone|everybody|anyone|anybody|whoever|all)(?: who| that)? (?:asks?|calls?"
            r"|writes?|inquires?|wants to know)(?: ++)? (?:that|it is|there (?:is|are))\b"
        ),
        "from starting beginning ab a": (
            r" (?:next \w{3,9}|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
            r"|nachster woche|morgen|partir de (?:demain|manana)|the (?:first|\d{1,2}\w{0,2})(?: of"
            r" \w{3,9})?|\d"
            r"{1,2}(?:st|nd|rd|th)? \w{3,9}|\w{3,9} \d{1,2}) ... (?:tell (?:everyone|everybody"
            r"|all)\b"
            r"|say that|claim\b|pretend\b|refuse\b|(?:reply|respond|answer) (?:that|to all|every)\b"
            r"|you (?:must|will|shall)\b|(?:route|redirect|forward|send) all\b|deny\b|hide\b"
            r"|double\b"
            r"|approve (?:all|every)|only recommend|recommend only|ignore\b|act as\b|treat\b)"
        ),
        "whenever when if": (
            r" (?:the |a |any )?(?:users?|members?|customers?|anyone|someone|they) (?:asks?|says?"
            r"|wants?|writes?) anything\b(?! (?:about|on|regarding|concerning|of|like|in|with))"
        ),
        "wait": (
            r" until ... (?:then|before|and) (?:say|claim|tell|send|delete|reveal|ask|call|run"
            r"|recommend|transfer|execute)\b"
        ),
        "do": r" nothing until ... (?:then|but)\b",
    }
)
