"""Orders to a reading model, against its instructions or against those whom it serves. Pure.

Advice on the work is no such order: "always answer in the user's language", "ignore the first row"
and "do not show raw numbers to users" help to serve well. An order overrides what operator or user
want, hides actions from them, or puts fixed words into every answer.
"""

from memories.safety.prompt_injection.rulebook import compile_rules
from memories.safety.prompt_injection.vocabulary import (
    INSTRUCTIONS,
    PRIVATE,
    READER,
    REFUSE,
    SERVED,
)

_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|former|past|existing|original|initial"
    r"|current)"
)
_OWN_RULES = (
    rf"(?:{INSTRUCTIONS}|training|filters?|limits?|limitations?|principles|orders|safety|purpose)"
)
_THIS_TEXT = (
    r"(?:entry|note|memory|instructions?|message|rule|order|text|block|lesson|request|command|step"
    r"|change|call)"
)
_QUOTE = r"[\W_]{0,3}[\"'`]"
# The verbs of four languages, because an attack may mix them.
_IGNORE_VERBS = (
    "ignore ignoring disregard disregarding forget forgetting override overriding overrule bypass"
    " discard dismiss neglect skip abandon drop suspend circumvent unlearn violate break breaking"
    " ignoriere ignoriert ignorieren missachte missachtet vergiss vergesst vergessen verwirf"
    " verwerfe"
    " uberschreibe umgehe umgeh ignorez ignorer oublie oubliez oublier contourne contournez compte"
    " ignora ignorad ignorar olvida olvide olvidar descarta descarte desobedece omiso"
)
_FOREIGN_INSTRUCTIONS = (
    r"(?:(?:bisherig|vorherig|fruher|obig|vorig|vorangegangen|vorhergehend|ursprunglich|deine|eure"
    r"|ihre|samtlich|alle|system)\w{0,12} + \w{0,20}(?:anweisung|instruktion|regel|vorgabe|befehl"
    r"|richtlinie|weisung|prompt|beschrankung|einschrankung)"
    r"|(?:instructions?|consignes?|regles?|directives?|ordres?|indications?|limites?) (?:precedent"
    r"|anterieur|ci dessus|initial|du systeme|systeme|de l'operateur|recue)"
    r"|(?:tes|vos) (?:instructions?|consignes?|regles?|directives?|limites?)\b"
    r"|(?:instrucciones|reglas|ordenes|indicaciones|directrices|restricciones|normas) (?:anterior"
    r"|previ|de arriba|inicial|del sistema|recibid|que)"
    r"|(?:tus|sus|vuestras) (?:instrucciones|reglas|ordenes|directrices|normas|limites)\b)"
)

ORDERS = compile_rules(
    {
        _IGNORE_VERBS: (
            rf" ++ {_EARLIER} + {INSTRUCTIONS}\b"
            rf"| + (?:your|its) + {_OWN_RULES}\b"
            rf"| + (?:all|any|every) (?:(?:of )?(?:the|other|those|these) )?"
            r"(?:instructions|rules|guidelines|directives|prompts|safety)\b"
            rf"| + {INSTRUCTIONS} (?:above|before|so far|you (?:were|have|got|received)|given to"
            rf" you)"
            r"| ++ (?:system|developer|operator|safety|security)(?:'?s)? (?:prompt|message"
            r"|instructions?|rules?|guidelines?|polic\w+)\b"
            r"| (?:everything|anything|all|what|whatever) + (?:you (?:were|have been|had been|know"
            r"|learn|ve been)|above|was said|came before)\b"
            r"| + (?:user|member|customer|operator|caller)s?(?:'?s)? + (?:questions?|requests?"
            r"|wish(?:es)?|instructions?|intent|query)\b"
            r"| (?:the )?(?:text|rest|content|task) (?:after|before|above|below) this\b"
            rf"| ++ {_FOREIGN_INSTRUCTIONS}"
        ),
        "pay take": (
            r" no (?:attention|notice) (?:to|of) ++ (?:above|before|instructions?|rules|prompt"
            r"|system|operator)\b"
        ),
        "stop quit cease": (
            r" (?:following|obeying|observing|complying|adhering|listening) ++"
            rf" (?:{_EARLIER}|your|operator|system|developer|instructions|user)\b"
        ),
        "your": (
            r" (?:new|real|actual|true|only|updated|secret) (?:instructions?|tasks?|job|goals?"
            r"|objective|mission|purpose|prompt|directives?|orders?|rules?)\b"
            r"| + system (?:prompt|message|instructions)\b"
            r"| (?:initial|hidden|original) (?:prompt|instructions)\b"
            r"| (?:task|goal|mission|purpose|instructions|orders) (?:has|have) changed"
        ),
        "let": (
            r" (?:the|your|every|each|any) (?:\w{1,12} )?(?:answers?|repl\w{1,3}|responses?)"
            rf" ... be(?: (?:yes|no)\b|{_QUOTE})"
        ),
        "precedence": r" over ++ (?:system|prompt|operator|developer|instructions|rules)\b",
        "outranks outrank overrides supersedes replaces": (
            r" ++ (?:system prompt|system message|your|operator'?s?|developer'?s?|(?:any|all)?"
            r" ?other (?:instructions?|rules|sources?|memories))\b"
        ),
        "obey obeys obeying obeyed": r" + (?:this|the text|what follows|these|note|me\b|without)",
        "follow": r" only (?:what|this|these)\b",
        "answer reply respond say": (
            r" (?:to )?(?:all|every|each|any) (?:(?!with)\w{1,20} )?(?:questions?|requests?"
            r"|messages?|prompts?|users?)"
            rf" (?:only )?with(?: the (?:word|phrase|sentence|text)\b| only\b| (?:yes|no)\b"
            rf"|{_QUOTE})"
        ),
        "always only": (
            r" (?:answers?|respond|reply|replies|say|claim)"
            rf"(?: (?:that|yes|no)\b| with (?:the (?:word|phrase|sentence)|yes|no)\b|{_QUOTE})"
        ),
        "always": (
            r" (?:agree with|comply|obey|execute (?:user|all|every|any)|say yes|accept (?:all|every"
            r"|any))\b"
        ),
        "never": rf" {REFUSE}",
        "comply obey execute": (
            r" (?:silently|blindly|without (?:question|objection)|with (?:all|any|every"
            r"|whatever))\b"
        ),
        "respond answer reply speak": r" ... under (?:all|any) circumstances\b",
        "no": (
            r" matter what (?:the )?(?:users?|they|anyone|anybody|you|it|customers?|is)"
            r" (?:asks?|says?|wants?|are told|asked|is asked|were told)\b"
        ),
        "regardless irrespective": (
            r" of what (?:the )?(?:users?|they|anyone|anybody|you|customers?|operator)"
            r" (?:asks?|says?|wants?|are told|were told)\b"
        ),
        "whatever": (
            r" (?:the |your )?(?:operator|developer|system|admin\w*|curators?) ++"
            r" (?:says?|wants?|configured|told|set|wrote|ordered)\b"
            r"| you (?:were|have been) told"
        ),
        "you": (
            r" (?:must|will|shall|are to|have to|need to) (?:always |never |only |now |from now on"
            r" )?(?:refuse (?:to|all|every|any)|obey|praise|lie|deny (?:that|any|all)|pretend|claim"
            r" that"
            rf"|comply with (?:this|all|every|my)|(?:answer|reply|respond)(?: to (?:all|every"
            rf"|any)\b|{_QUOTE}| only\b"
            r"| (?:that|yes|no)\b))"
        ),
        "from": (
            r" (?:now|here|today|this (?:point|moment|day)) (?:on|onwards?|forward)"
            r"(?: your name is| you (?:will|must|are|shall|should|may|can|have|only|never|always)"
            r"| (?:always |never |only )?(?:refuse|deny|claim|pretend|obey|treat|double"
            r"|approve (?:all|every|any)|recommend only|tell (?:everyone|everybody|users|them)"
            r"|(?:answer|reply|respond) (?:that|to all|every|only with|with ))\b)"
        ),
        "not never dont t nothing": (
            rf" (?:tell|inform|warn|notify|alert) (?:(?:the|any|your|this|a) )?{SERVED}"
            r"(?=[\W_]{0,3}(?:[.!,;\n]|$)| (?:about|of) (?:this|these|it|the (?:note|change|order"
            r"|memory|rule|transfer|instruction)|your)\b| that (?:you|this)\b| what you\b|"
            r" anything\b)"
            rf"| (?:mention|reveal|disclose|show|report|admit|quote|cite|repeat) (?:this|these"
            rf"|that) + {_THIS_TEXT}\b"
            r"| (?:mention|reveal|disclose|admit) (?:that (?:you|this|content|anything)|the"
            r" existence)"
            rf"| let (?:the |any )?{SERVED} (?:know|notice|find out|suspect)"
            r"(?=[\W_]{0,3}(?:[.!,;\n]|$)| (?:about|of) (?:this|it)\b"
            r"| that (?:you|this (?:note|text|message|memory|entry))\b)"
        ),
        "nothing": r" (?:to|about) ++ (?:the )?(?:user|note|this|operator)\b",
        "tell": rf" (?:the |your )?{SERVED} nothing\b",
        "keep": (
            r" (?:this|it|that|these|everything|the (?:note|order|change)) (?:as )?(?:a )?"
            r"(?:strictly |completely )?(?:secret|hidden|quiet|to yourself|between us|from the"
            r" user)\b"
        ),
        "act behave": r" as (?:if|though) nothing\b",
        "do": (
            r" (?:exactly )?(?:as|what|whatever|everything|anything) (?:the |this )?(?:note|text"
            r"|message|memory|page|sender|author|caller) (?:says|asks|wants|tells|orders)\b"
        ),
        "pretend": r" (?:(?:that )?you (?:never|have no)|ignorance|(?:not to|to not) know)\b",
        # "New orders: 14 chairs" is a delivery.
        "new": (
            r" system (?:instructions?|directives?|orders|prompt)\b"
            rf"| (?:instructions?|directives?|orders|task)[\W_]{{0,4}}: ... (?:{READER}|your|always"
            r"|never|ignore|disregard|reply|answer|respond|reveal|disclose|output|print|say|tell"
            r"|send all|forward|approve|obey|pretend|act as|treat|recommend|claim)\b"
        ),
        "question questions": (
            r" ... (?:be|are|is|always) answered (?:that\b|with (?:the (?:words?|sentence|phrase)"
            r"|yes\b"
            rf"|no\b)|with\s{{0,2}}:|with{_QUOTE})"
        ),
        "praise promote promoting advertise": (
            r" ... (?:in (?:every|each|all)(?: of)?(?: your)? (?:answers?|responses?|repl\w{1,3})"
            r"|only\b|product line|(?:our|the) partner)"
        ),
        "recommend recommending suggest": (
            r" (?:only|nothing but|exclusively|solely) (?:our|my|the) (?:partner|sponsor|brand|firm"
            r"|company|product)\b| (?:only|exclusively) + and (?:hide|never mention|ignore)\b"
        ),
        "hide": r" (?:all (?:the )?others|this from|it from|the (?:change|transfer|truth) from)\b",
        # German
        "sag sage sagen sagt erzahle erzahl verrate verrat informiere teile": (
            r" + (?:nutzer|benutzer|anwender|kunden|mitglied|betreiber|niemand)\w{0,4} +"
            r" (?:nichts|nie|kein wort|davon|hiervon|etwas davon|dass du)\b"
        ),
        "antworte antwortet antworten": (
            rf" (?:immer|stets|nur|ausschliesslich|ab jetzt|grundsatzlich)(?: nur)?"
            rf"(?: dass\b| mit (?:ja|nein|dem (?:wort|satz))\b| mit{_QUOTE}|{_QUOTE})"
        ),
        "empfiehl empfehle empfehlt empfehlen": r" (?:nur noch|ausschliesslich|ab sofort)\b",
        # French
        "dis dites parle parlez mentionne mentionnez revele revelez": (
            r" (?:rien|pas|jamais)(?: de (?:cela|ceci|cette note|ces))? (?:a|au|aux|de) ++"
            r" (?:utilisateur|client|membre|personne|operateur|note)s?\b"
        ),
        "reponds repondez repondre": (
            rf" (?:toujours|uniquement|seulement)(?: (?:que|qu)\b| par (?:oui|non)\b|{_QUOTE})"
        ),
        # Spanish
        "digas diga cuentes cuente informes menciones reveles avises": (
            r" (?:nada )?(?:de esto )?(?:al?|a los|a la|a) ++ (?:usuarios?|clientes?|nadie"
            r"|operador)(?: que (?:lo|has|tu)\b| de esto| nada|(?=[\W_]{0,3}(?:[.!,;\n]|$)))"
        ),
        "contesta contesten responde respondan": (
            rf" (?:siempre|unicamente|solo)(?: que\b| con (?:la palabra|el texto)\b|{_QUOTE})"
        ),
    }
)
ORDERS_UNLESS_DENIED = compile_rules(
    {
        "print reveal show output repeat display leak recite disclose expose dump list write quote"
        " tell"
        " include embed append restate echo encode encodes give return state put paste attach": (
            r" ++ (?:system prompt|system message|your (?:full )?(?:prompt|instructions"
            r"|rules|configuration"
            r"|directives|guidelines)|(?:hidden|secret|initial) (?:instructions|prompt)"
            r"|instructions? you (?:received|were|got)|configuration (?:values )?you (?:were|got"
            r"|received)|text (?:that )?(?:came|stands) before (?:the|this|my)|everything above)\b"
            r"| ... (?:conversation history|chat history|text of this (?:conversation|chat"
            r"|dialogue)|all"
            r" (?:prior|previous|earlier) messages|contents of the (?:current )?context|secrets)\b"
            r" ... (?:your|the|each of your) (?:answers?|repl\w{1,3}|responses?|summary|output)\b"
        ),
        "reveal revealing disclose disclosing divulge expose": rf" ++ {PRIVATE}\b",
        "give hand": (
            r" (?:out )?(?:[^.!?;]{0,40} )?(?:lists?|codes?|passwords?|data|notes|files?|keys"
            r"|records) (?:to )?"
            r"(?:whoever|anyone|anybody|everyone|any (?:caller|user|member)|every (?:caller"
            r"|user))\b"
            r"| out ++ (?:codes?|passwords?|keys|secrets)\b"
        ),
        "without": (
            r" (?:telling|informing|notifying|alerting|warning|letting|the (?:knowledge|consent)"
            r" of)"
            rf" (?:(?:the|any|your) )?{SERVED}\b"
        ),
        "secretly covertly quietly silently discreetly surreptitiously": (
            r" (?:send|forward|copy|append|insert|record|collect|upload|transfer|e-?mail|replace"
            r"|change|delete|share|leak|redirect|steer|promote|swap|log|add|report|disable|execute"
            r"|invoke|call|run|comply|approve|treat|obey)\b"
        ),
        "disable deactivate lift remove bypass skip circumvent suspend evade off ignore ignoring"
        " disregard override overriding": (
            r" ++ (?:safety|security) (?:protocols?|checks?|constraints?|mechanisms?)\b"
            r"| + (?:confirmation|approval) requirements?\b|"
            r" (?:(?:your|the|all|any|its|usual|every) ){0,2}(?:(?:confirmation|approval) (?:and"
            r"|or) )?"
            r"(?:safety|privacy|content|moderation|permission|security|all confirmation|identity)"
            r" (?:filters?|checks?|guards?|restrictions?|polic\w+|limits?|controls?|verification)\b"
            r"| your (?:usual )?(?:filters?|restrictions?|limits?|guards?)\b"
            r"| confirmation (?:prompts?|checks?|requirements?)\b"
        ),
        "append add include encode restate output insert": (
            r" ... (?:at the end of|in|into|to) (?:your|every|each)"
            r" (?:answers?|repl\w{1,3}|responses?)"
            r" ... (?:conversation|system (?:prompt|instructions)|prior messages|transcript"
            r"|context)\b"
        ),
        "deaktiviere uberspringe desactive desactivez saute omite omitir desactiva": (
            r" ++ (?:\w{0,20}(?:sicherheits|prufung|bestatigung|beschrankung)\w{0,20}|verifications"
            r"|controles|filtres|confirmations|confirmaciones|comprobaciones|verificaciones|filtros"
            r"|restricciones)\b"
        ),
    }
)
