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
