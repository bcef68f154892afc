"""Exfiltration: links, images and orders that send what was said to the outside. Pure.

A link, an image or the URL of an API is harmless by itself. Exfiltration needs two things:
something private (the conversation, a password, a placeholder for it) and a way outside.
"""

import re

from memories.safety.prefilter import PrefilteredPattern
from memories.safety.prompt_injection.rulebook import compile_rules
from memories.safety.prompt_injection.vocabulary import OUTSIDE, PRIVATE

_PRIVATE_CONTENT = (
    r"(?:conversation|history|chat|transcript|dialog|secret|password|api[\-_\s]{0,2}key"
    r"|system.prompt"
    r"|memor(?:y|ies)|context|cookie|credential|user[\-_\s](?:question|message|input|data)"
    r"|last[\-_\s]message|summary|inner|notes|question|answer"
    r"|you[\-_\s](?:remember|know|recall)|(?:all|every)[\-_\s](?:facts?|things?)|everything)"
)
_PLACEHOLDER_TEMPLATE = (
    r"(?:{hold}|user|name|token|key|e-?mail|data|message|session|info|text|query|content|card)"
)
_PLACEHOLDER = _PLACEHOLDER_TEMPLATE.format(hold=_PRIVATE_CONTENT)
_PLACEHOLDER_OPENING = r"(?:[{<\[$]|%7b)"
_ALL_OF = (
    r"(?:(?:all|every|each|any|full|entire|whole|user'?s?|users'?|member'?s?|customer'?s?|their"
    r"|last) + (?:messages?|notes|names|data|questions?|answers?|inputs?|words|contacts|contents"
    r"|e-?mails?|e-?mail address)"
    r"|what (?:the )?(?:users?|members?|customers?|is said|they|he|she|people)\b"
    r"|everything|whatever|names phone numbers|phone numbers)"
)
_EXFILTRATED = rf"(?:{PRIVATE}|{_ALL_OF})"
# What a reader knows of somebody, at the end of an address.
_REMEMBERED = (
    r"(?:what you (?:remember|know|recall)|everything|all (?:facts|details)"
    r"|(?:the |their )?(?:users?|members?|customers?|clients?)(?:'s?)? (?:\w{1,12} )?"
    r"(?:address|phone|number|birthday|salary|calendar|details))"
)
_URL = r"(?:https?|ftp)://[^\s\"'`]{1,300}"

EXFILTRATION = compile_rules(
    {
        "http https ftp": (
            rf"://[^\s\"'`)]{{0,200}}?{_PLACEHOLDER_OPENING}{{1,2}}[^\n{{}}<>\[\]]{{0,40}}?(?!answer|question){_PRIVATE_CONTENT}"
        ),
        "append attach add include encode insert put embed concatenate pass place": (
            rf" ... {_EXFILTRATED}\b ... (?:to|in|into|as|at|inside) ++ (?:https?://|urls?\b|link\b"
            rf"|image\b"
            r"|query string|query parameter|domain|host ?name|pixel)"
            rf"| ... {_URL} ... (?:followed by|with|containing) ++ (?:base64|{_EXFILTRATED})"
        ),
        "fetch load visit open render request get click": (
            rf" ... {_URL}[^\n]{{0,20}}? ... (?:followed by|containing|including"
            rf"|plus) ++ (?:{_EXFILTRATED}|{_REMEMBERED})"
        ),
        "followed": rf" by (?:the )?(?:base64|hex|encoded) ... {_PRIVATE_CONTENT}",
        "resolve lookup ping": r"\b[^.\n]{0,60}?[<{\[][^>}\]\n]{1,40}[>}\]]\.[a-z0-9\-]{1,60}\.",
        "fetch": r"\s{0,2}\(\s{0,2}[\"'`]https?://[^)\n]{0,200}?(?:[\"'`]\s{0,3}\+|\$\{)",
        "sendbeacon xmlhttprequest": r"\b[^\n]{0,120}https?://",
        "document": r"\.(?:cookie|body\.inner)\w{0,10}",
        "leak exfiltrate leaking exfiltrating": rf" ++ (?:{_EXFILTRATED}|data)\b",
        "whatever everything anything": (
            rf" ... (?:sent|mirrored|forwarded|copied|posted|uploaded|reported) to ... {OUTSIDE}"
        ),
    }
)
EXFILTRATION_UNLESS_DENIED = compile_rules(
    {
        "send forward post upload email mail transmit submit copy bcc cc mirror relay deliver"
        " collect"
        " sync push share report give": (
            rf" ... {_EXFILTRATED}\b ... (?:to|at|via|into|with) ... {OUTSIDE}"
        ),
        "schicke schick sende leite ubermittle kopiere poste teile": (
            r" ... \w{0,20}(?:gesprach|verlauf|chat|unterhaltung|passwor|zugangsdaten|notizen"
            r"|geheim"
            rf"|nachrichten)\w{{0,12}}\b ... (?:an|nach|zu) ... {OUTSIDE}"
        ),
        "envoie envoyez transmets transmettez transfere transferez partage partagez": (
            r" ... (?:conversation|historique|mots? de passe|messages|notes|identifiants|donnees)\b"
            rf" ... (?:a|vers|sur) ... {OUTSIDE}"
        ),
        "envia envie manda mande reenvia comparte sube": (
            r" ... (?:conversacion|historial|contrasenas?|mensajes|notas|claves"
            r"|datos)\b ... (?:al?)"
            rf" ... {OUTSIDE}"
        ),
    }
)

# Markup that a page loads or shows, with a placeholder for content in its URL.
LOADED_MARKUP = PrefilteredPattern(
    re.compile(
        rf"\]\(\s{{0,3}}<?(?:https?:)?//[^)\n]{{0,200}}?{_PLACEHOLDER_OPENING}{{1,3}}[^)\n]{{0,40}}?{_PLACEHOLDER}"
        rf"|!\[[^\]\n]{{0,200}}\]\(\s{{0,3}}<?(?:https?:)?//[^)\n]{{0,200}}?[?&/]\w{{0,20}}=?"
        rf"(?:{_PLACEHOLDER_OPENING}|=(?:user|your|the|all|my)?[_\s\-]{{0,2}}{_PRIVATE_CONTENT})"
        rf"|<(?:img|iframe|script|object|embed|form"
        rf"|link)\b[^>\n]{{0,200}}?(?:https?:)?//[^\s>]{{0,200}}?"
        r"[?&][\w\-]{1,40}=\s{0,2}[{<\[$]"
    ),
    ("](", "<"),
)
