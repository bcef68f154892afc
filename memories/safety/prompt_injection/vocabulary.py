"""Words that several rules share, in the notation of notation.py: lower case, no accents. Pure."""

# The people whom a model serves.
SERVED = (
    r"(?:users?|members?|humans?|persons?|people|customers?|clients?|operators?|admins?|owners?"
    r"|administrators?|curators?|anyone|anybody|everyone|everybody|them|him|her|guests?|callers?)"
)
# Words for the reading model.
READER = r"(?:you|(?:ai )?(?:assistants?|agents?|robots?|bots?|chatbots?|models?|llms?)|ais?)"
# Words for the operator's instructions to a model.
INSTRUCTIONS = (
    r"(?:instructions?|rules?|guidelines?|guidance|directions?|directives?|prompts?|commands?"
    r"|constraints?|polic(?:y|ies)|restrictions?|programming|guardrails?|safeguards?|instructing)"
)
# Words for secrets and private content.
PRIVATE = (
    r"(?:conversations?|chats?|dialogues?|history|transcripts?|passwords?|credentials?|secrets?"
    r"|api keys?|access codes?|access tokens?|memories|system prompt|context window|personal data"
    r"|private (?:notes|messages|data)|confidential data|source code|session tokens?|hidden notes"
    r"|internal notes|salar(?:y|ies)|(?:customer|client) (?:files?|lists?|data|records?))"
)
# Words for an outside address.
OUTSIDE = (
    r"(?:https?:|ftp:|www\.|[\w.+-]{1,60}@[\w-]{2,60}|webhook|telegram|pastebin|discord|external"
    r"|outside|[a-z0-9\-]{2,40}\.(?:com|net|org|io|example|dev|ru|xyz|info)\b|my (?:server|address"
    r"|mailbox|inbox))"
)
# Words for refusing service, or for speaking badly of somebody.
HOSTILE = (
    r"(?:no longer|abolished|closed|bankrupt\w*|broken|down|unavailable|discontinued|cancell?ed"
    r"|impossible|not possible|cannot|never|forbidden|illegal|unsafe|dangerous|none|no refunds?"
    r"|not (?:allowed|available|offered|permitted)|out of stock|sold out|only the|only our|twice"
    r"|double|keine?n?|nicht mehr|nur noch|nur der|geschlossen|pleite|verboten|interdit\w*|faillite"
    r"|ferme|plus de|quiebra|prohibid\w*|imposible|ya no|nunca|cerrad\w*|lost|scam|fraud)"
)
# Names of tools whose effects cannot be undone.
ACTING_TOOL = (
    r"(?:\w{1,30}_)?(?:send|delete|erase|remove|drop|transfer|pay|purchase|buy|approve|grant|share"
    r"|write|exec|execute|shell|bash|post|upload|forward|export|wire|reset|revoke|disable|publish"
    r"|update_permissions?|create_user|http)_\w{1,40}"
)

# Words that steer a reader, or that speak of what protects: a report of work has none of them.
_STEERING = (
    r"(?:you|your|yours|yourself|must|shall|should|may(?! \d)|always|never|do not|don't|please"
    r"|ignor\w+|disregard\w*|forget\w*|overrid\w+|obey\w*|compl(?:y|ies)|follow|pretend\w*|act as"
    r"|answer\w*|repl(?:y|ies)|respond\w*|repeat\w*|say|tell\w*|assistants?|models?|ai|agents?"
    r"|robots?|bots?|chatbots?|llms?|modes?|prompts?|instruct\w*|commands?|rules?|polic\w+"
    r"|guidelines?|restrict\w*|filters?|safeguards?|guardrails?|permi\w+|allow\w*|authori\w+"
    r"|approv\w+|grant\w*|consent\w*|trust\w*|verif\w+|accept\w*|shar\w+|reveal\w*|disclos\w+"
    r"|leak\w*|hand(?:ed|s)? (?:out|over)|sends?|forward\w*|append\w*|cop(?:y|ies)|quot\w+"
    r"|export\w*|delet\w+|eras\w+|wip(?:e|ed|es|ing)|transfer\w*|pay|money|passwor\w+|passphrase\w*"
    r"|credential\w*|secret\w*|keys?|tokens?|private|privacy|confidential\w*|salar\w+|personal"
    r"|memor\w+|conversation\w*|recommend\w*|treat\w*|consider\w*|refus\w+|reject\w*|den(?:y|ies|ied)"
    r"|skip\w*|bypass\w*|disabl\w+|suspend\w*|lifted|waiv\w+|void|regardless|whatever|whoever"
    r"|everyone|everybody|anyone|anybody|see|sees|(?:full|unlimited|elevated)"
    r" (?:access|rights|trust|privileges|authority)|unrestricted|root|admin\w*"
    r"|from now|as of now|henceforth|https?|www"
    r"|without (?:asking|checking|any|question|confirmation|review))"
)
# The rest of a text that only reports, in English: it says how something is, and steers nobody. A
# long rest is none, so that each comparison reads a bounded number of characters.
PLAIN_REPORT = (
    r"(?:(?=(?:[^\n]|\n){0,600}+\Z)"
    r"(?=[^\n]{0,300}?\b(?:is|are|were|has|have|had|went|failed|stopped|finished|restarted|runs?"
    r"|(?:the|our|it|which) (?:\w{1,20} ){0,3}was)\b)"
    rf"(?!(?:[^\n]|\n){{0,600}}?\b{_STEERING}\b))"
)
# To refuse what somebody asks; "never refuse a parcel" is a rule about goods.
REFUSE = (
    r"refuse\b(?! (?:an?|the|our|their) (?!(?:\w{1,20} ){0,3}(?:requests?|questions?|orders?|tasks?"
    r"|instructions?|commands?|prompts?|quer(?:y|ies)|wish(?:es)?|demands?|calls?|callers?|users?"
    r"|members?|customers?|clients?|people|person|operators?|owners?|admin\w*|answers?|help"
    r"|favou?rs?|topics?|access|action|tool)\b)\w)"
)
