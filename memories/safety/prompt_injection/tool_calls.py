"""Tool bait: written-out calls, harmful commands, orders to use a tool. Pure.

Advice may name a tool, a command or a function. Bait has a call in the form that programs run,
names a tool that sends, pays or deletes, ties its use to the answer instead of the task, or has a
command that gives the machine to somebody else.
"""

import re

from memories.safety.prefilter import PrefilteredPattern
from memories.safety.prompt_injection.rulebook import compile_rules
from memories.safety.prompt_injection.vocabulary import ACTING_TOOL, PRIVATE

_BEFORE_ANSWER = (
    r"(?:before|prior to|instead of|after|in) (?:(?:you|each|every|any) )?(?:answer\w*|reply\w*"
    r"|repl\w+|respond\w*|response|going on|continu\w+)\b"
)
_ON_EACH_READING = (
    r"(?:each time|every time|whenever|as soon as) ++ (?:this|you|block|note|memory) ++"
    r" (?:read|load|loaded|see|answer|loads?|seen|recalled)\b"
)
_SENSITIVE_PATHS = r"(?:/etc/(?:passwd|shadow|sudoers|cron)|\.ssh\b|id_rsa|\.aws/|\.netrc|\.pgpass)"
_PIPE_TO_SHELL = (
    r"[^\n|]{0,200}\|\s{0,3}(?:sudo\s{1,3})?(?:(?:ba|z|da|k)?sh|python3?|perl|iex|node)\b"
)

TOOL_CALLS = compile_rules(
    {
        "call calling invoke invoking use using run running execute executing trigger triggering": (
            rf" ++ (?:functions?|tools?|plugins?|actions?|skills?|connectors?) [`\"']?{ACTING_TOOL}"
            rf"| [`\"']?{ACTING_TOOL} (?:tool|function|for (?:all|every))\b"
            rf"| ++ (?:functions?|tools?|plugins?|connectors?|statement"
            rf"|code)\b ... {_BEFORE_ANSWER}"
            rf"| + {ACTING_TOOL}\b ... (?:{_BEFORE_ANSWER}|{_ON_EACH_READING})"
            rf"| ++ (?:tools?|functions?|\w{{1,20}}_\w{{1,20}})\b ... {_ON_EACH_READING}"
            r"| (?:your|the|its) (?:e-?mail|mail|file|shell|terminal|browser|http|web|payment|code"
            r"|database|calendar|messag\w{1,5}|bash|python) (?:tool|plugin|connector|access|client"
            r"|interpreter)\b ... (?:log ?in|delete|send|post|pay|transfer|upload|grant|password"
            rf"|account|permissions?|{_SENSITIVE_PATHS})"
            r"| ... (?:drop (?:table|database|schema)|delete from|truncate table)\b[^\n]{0,60}?"
            r"\b(?:your|connector|tool|now|before)\b"
            rf"| ... {_BEFORE_ANSWER} ... os\.system"
        ),
        "also additionally silently": r" (?:call|invoke|run|execute) [`\"']?\w{2,20}_\w{2,20}\b",
        "before prior": (
            r"(?: to)? (?:every|each|any|using|you use)(?: this)? (?:search|answer|tool|reply"
            r"|response|message|request)\b ... (?:call|invoke|run|execute|read|send|pass)\b"
        ),
        "call invoke use run execute": (
            rf" ++ (?:tools?|functions?|plugins?)\b ... with ... (?:full|whole|entire|all)"
            rf" {PRIVATE}\b"
        ),
        "llames llame invoques ejecutes envies": (
            r" ... (?:conversacion|historial|contrasenas?|mensajes|\w{2,20}_\w{2,20})\b"
        ),
        "execute run install": (
            r" ... without (?:(?:any|further) )?(?:asking|user (?:confirmation|approval|consent)"
            r"|permission|validation|verification)\b"
        ),
        "send transfer pay wire": (
            r" \d[\d.,]{0,12} (?:\w{1,8} )?to (?:the )?(?:account|iban|wallet|\d{6})"
        ),
        "enter use type": r" (?:the )?(?:user's|users'|users) + (?:credentials|passwords?)\b",
        "delete erase wipe destroy": (
            r" (?:all|the entire|the whole) (?:data|database|memories|notes|records|accounts)\b"
            r"(?! (?:older|of|from|in|with|that|before|which|after|for|once))"
        ),
        "make send issue": (r" ++ (?:requests?|calls?) ... (?:with|using|through|via) your\b"),
        "first": rf" of all (?:call|invoke|run|execute|use) ++ {ACTING_TOOL}",
        "read open print paste show copy cat type less upload find cp scp tar zip base64 modify"
        " edit append write output": (
            rf"[^.!?;\n]{{0,60}}?{_SENSITIVE_PATHS}"
            r"|[^.!?;\n]{0,60}?(?<!\w)\.env\b ... (?:answers?|repl\w+|output|you can access)\b"
        ),
        "ssh": r"/id_(?:rsa|ed25519)\b ... (?:paste|print|send|answer|reply|into)\b",
        "action": r"\s{0,2}:\s{0,3}[^\n]{1,80}\n\s{0,5}action[\s_]input\s{0,2}:",
        "functions": r"\.[a-z_]{2,60}\(",
        "default": r"_api\.[a-z_]{2,60}\(",
        # Without an argument it is the name of the function.
        "os": r"\.(?:system|popen)\s{0,2}\((?!\))",
        "curl wget iwr irm": (
            rf"(?:{_PIPE_TO_SHELL}|[^\n]{{0,200}}?(?:=\$\(|\s-[dft]\s{{0,2}}[\"']?[\w=]{{0,20}}@[\-{{]"
            r"|\bchmod (?:\+x|[0-7]{3})))"
        ),
        "rm": (
            r"\s{1,3}-\w{1,6}\s{1,3}(?:--?[\w-]{1,20}\s{1,3})?(?:~|\$home\b|\*|/(?:\s|\*|$|etc\b"
            r"|home\b|usr\b|boot\b))"
        ),
        "dev": r"/tcp/\d",
        "dd": r"\s[^\n]{0,80}\bof=/dev/\w",
        "mkfs": r"(?:\.\w{1,8})?\s{1,3}(?:-\S{1,20}\s{1,3}){0,3}/dev/",
        "nc ncat netcat": r"\s[^\n]{0,60}?(?:-e\s|-c\s|\d{1,3}(?:\.\d{1,3}){3}\s{1,3}\d)",
        "powershell pwsh": (
            r"(?:\.exe)?\s[^\n]{0,120}?(?:-e(?:nc\w{0,12}|c)?\s|hidden|iex|download)"
        ),
        "python python3 perl ruby node php": (
            r"\s{1,3}-[cer]\s{1,3}[\"'][^\n]{0,200}?(?:os\.|subprocess|socket|exec|eval|system)"
        ),
        "rufe ruf rufen": (
            rf" ++ (?:werkzeug|funktion|tool)\w{{0,4}}\b ... (?:{ACTING_TOOL}|bevor|vor jeder|vor"
            rf" der)"
        ),
        "fuhre fuhr": r" ++ (?:befehl|kommando|skript|werkzeug)\w{0,4}\b ... bevor\b",
        "appelle appelez invoque invoquez execute executez": (
            r" ++ (?:fonction|outil|commande)s? ... (?:avant (?:de|chaque|toute)|pour tous)\b"
        ),
        "llama llame invoca invoque ejecuta ejecute": (
            r" ++ (?:funcion|herramienta|comando)s? ... (?:antes de|para tod[ao]s)\b"
        ),
    }
)

# Tool calls in the forms of programs.
WRITTEN_CALLS = PrefilteredPattern(
    re.compile(
        r"<\s{0,3}/?\s{0,3}(?:[a-z]{1,12}:)?(?:tool_?calls?|tool_?use|function_?calls?|invoke"
        r"|use_mcp_tool|execute_command|tool_?(?:result|response|output))\b"
        r"|<function=|```\s{0,3}tool_(?:code|call)"
        r"|\"(?:tool|tool_?name|tool_?calls?|function|function_?call|recipient_name)\"\s{0,9}:"
        r"[^\n]{0,200}?\"(?:arguments|args|parameters|params|input|tool_input|name)\"\s{0,9}:"
        r"|\"name\"\s{0,9}:\s{0,9}\"[\w.-]{1,80}\"\s{0,9},\s{0,9}\"(?:arguments|tool_input)\""
    ),
    ("<", "`", '"'),
)
