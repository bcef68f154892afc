"""False authority: claims that nobody can check and that make a reader give up its caution. Pure.

Statements about decisions at work are none ("the administrator has approved the new template", "per
company policy, counts under 50 are left out"). False authority says what the reader may or must do
against its rules: disclose, skip a check, ask nobody.
"""

from memories.safety.prompt_injection.rulebook import compile_rules
from memories.safety.prompt_injection.vocabulary import PLAIN_REPORT, PRIVATE, READER

# What was to protect holds no longer.
_SET_ASIDE = (
    r"(?:are|is|have been|has been|were|should be|must be|may be|can be) (?:\w{1,12} )?"
    r"(?:switched off|turned off|disabled|suspended|lifted|void|waived|bypassed|updated to allow"
    r"|removed)\b"
)
_AUTHORITY = (
    r"(?:(?:system |network |workspace |root )?(?:administrators?|admins?)|root user|management|ceo"
    r"|cto|ciso|cfo|(?:the )?board|directors?|security(?: team| department| officer)?|it department"
    r"|it team|legal|compliance|data protection officer|headquarters|head office|operators?"
    r"|developers?|owners?|openai|anthropic|google|microsoft|meta|your (?:boss|company|maker))"
)
_AUTHORITY_VERBS = (
    r"(?:approved|authori[sz]ed|ordered|instructed|granted|confirmed|permitted|allowed|decided"
    r"|mandated|signed off|cleared|told|directed|verified|given|gave|agreed|requires?|says?|wants"
    r"|demands?|states?|orders?|insists?|announced)"
)
_UNSAFE_ACTS = (
    r"(?:disclose|reveal|release|share|ignore|bypass|skip|disable|hand out|hand over|grant|accept"
    r"|approve|provide ++ (?:passwords?|codes?|keys?|access)|without (?:asking|checking|consent"
    r"|(?:the |any |further )?(?:usual )?(?:checks?|confirmation|approval|verification|review))"
    r"|no (?:further )?(?:confirmation|approval|checks?|verification|consent)"
    r"|(?:not|never) (?:ask|check|verify|tell)|without a second)"
)
_DUTY = r"(?:must|need not|need no|may|shall|can|should|are|have to|do not|will|to)"
# "Per company policy you must book trains in second class" is a rule of work; what a policy cannot
# ask for is that a reader gives something away, or skips what protects.
_RISKY = rf"(?:{_UNSAFE_ACTS}|{PRIVATE}|obey|comply with (?:this|all|every)|ignore|quote private)\b"
_RISKY_ABROAD = (
    r"(?:passwor\w{1,5}|kennwor\w{1,5}|zugangsdaten|gehalter|geheim\w{0,8}|vertraulich\w{0,3}|ohne"
    r" (?:ruckfrage|prufung|zustimmung|genehmigung)|private\w? |preisgeben|herausgeben|weitergeben"
    r"|mots? de passe|identifiants|confidentiel\w{0,3}|salaires|privees?|sans (?:demander"
    r"|verifier|verification|confirmation)|divulguer|reveler|ignorer|contrasenas?|claves"
    r"|credenciales|salarios|confidencial\w{0,3}|privad[ao]s|revelar|sin (?:preguntar|verificar"
    r"|confirmar)|ignorar|ignorier\w{1,3})"
)
_CONTINUATION = (
    rf"(?: ... (?:{READER} ... {_UNSAFE_ACTS}|{READER} {_DUTY} ... {PRIVATE}|you need no)\b"
    rf"| ... (?:release|disclosure|sharing|transfer|deletion|handing out|giving out|access to|use)"
    rf" ++ (?:{PRIVATE}|all|any|every|private|personal|confidential|money|funds|client|customer)\b"
    r"| (?:this|these) (?:action|request|instruction|message|note|memory|text|order)s?\b"
    r"| ... (?:highest|full|unlimited) (?:trust|access|rights|privileges|authority)\b"
    r"| ... (?:consent|permission) ... (?:do not have to|need not|no need|without asking))"
)

AUTHORITY = compile_rules(
    {
        "administrator administrators admin admins management ceo cto ciso cfo board director"
        " security"
        " legal compliance officer headquarters office operator operators developer developers"
        " owner"
        " root openai anthropic google microsoft meta boss company": (
            r"(?: (?:team|department|user|of (?:\w{1,20} ){0,2}\w{1,20}|in writing|writing))?(?:"
            r" (?:has|have|had|already|hereby"
            rf"|just|personally)){{0,2}}(?: \w{{1,12}}ly)? {_AUTHORITY_VERBS}{_CONTINUATION}"
            r"| (?:instruction|directive|order|notice|announcement|memo)s?\s{0,2}: ..."
            rf" {READER} (?:must|shall|may|have to|are|should|need)\b"
        ),
        "it security": (
            r" (?:department|team|support|security)(?: (?:has|have|already)){0,2}"
            rf" (?:{_AUTHORITY_VERBS}{_CONTINUATION}|(?:instruction|directive|order|notice"
            rf"|announcement|memo)s?\s{{0,2}}: ... {READER}"
            rf" (?:must|shall|may|have to|are|should|need)\b)"
        ),
        "per under": (
            r" (?:company|corporate|internal|security|our|group|organi[sz]ation) + polic(?:y|ies)"
            rf" (?:you {_DUTY} ... {_RISKY}|{READER} ... {_UNSAFE_ACTS})"
        ),
        "according pursuant": (
            r" to your (?:guidelines|training|instructions|rules|developers?)\b"
            rf"| to ++ (?:{_AUTHORITY}|polic(?:y|ies)|regulations?) (?:you {_DUTY} ... {_RISKY}"
            rf"|{READER} ... {_UNSAFE_ACTS})"
        ),
        "openai anthropic google microsoft meta deepmind mistral": (
            r" (?:says?|states?|requires?|instructs?|has|have|wants|confirmed|announced|demands?)"
            r" ..."
            r" (?:assistants?|ai agents?|ai models?|chatbots?|llms?|you)\b ... (?:must|may|shall|to"
            r"|are|should|need|can|without)\b"
        ),
        "order orders command authority": (
            rf" (?:of|from) (?:the )?{_AUTHORITY} ... (?:{READER}\b ... (?:are "
            rf"to|must|shall|may|will"
            rf"|{_UNSAFE_ACTS})|{PRIVATE})"
        ),
        "official authorised authorized urgent": (
            r" (?:security )?(?:(?:instruction|directive|order|command)"
            rf" (?:from|by|of) (?:the )?{_AUTHORITY}\b|(?:notice|message|announcement|update)"
            rf" (?:from|by|of) (?:the )?{_AUTHORITY}\b"
            rf"(?!(?: (?:team|department|office|officer))?\s{{0,2}}:\s{{0,3}}{PLAIN_REPORT}))"
        ),
        "authorisation authorization override clearance approval": (
            r" codes?(?: is)?[\W_]{0,4}[^\W_]{1,12}[\W_]?\d{1,8}\b ..."
            r" (?:may|holder|grants?|access|bypass|valid|you|read|allows?)\b"
        ),
        "have": (
            r" (?:\w{1,12} )?(?:clearance|permission|authori[sz]ation|approval|authority) ++"
            rf" {_AUTHORITY} ... (?:so|treat|you|bypass|therefore)\b"
        ),
        "as": (
            rf" (?:approved|authori[sz]ed|ordered|confirmed|agreed|instructed|decided) (?:by|with)"
            rf" (?:the )?(?:{_AUTHORITY}|it|hr|finance) ..."
            rf" (?:you {_DUTY}|{READER} ... {_UNSAFE_ACTS})"
        ),
        "permission privacy safety usage content security": (
            rf" + (?:checks?|rules?|restrictions?|filters?|polic(?:y|ies)|limits?|guidelines?)"
            rf" {_SET_ASIDE}"
        ),
        "filters restrictions safeguards guardrails": (
            r" (?:should|must|may|can|are to) be (?:bypassed|ignored|disabled|skipped|lifted)\b"
        ),
        "your": (
            # A customer has a policy and a limit as well.
            rf" + (?:checks|rules?|restrictions?|filters?|guidelines?) {_SET_ASIDE}"
            r"| (?:developers?|creators?|makers?|operators?|training|guidelines) (?:has |have"
            r" )?(?:noted|confirm|asked you|ordered|instruct|told you|expect"
            r"|said|says?|decided|enabled|disabled|updated|changed|allows?|wants?|prefers?"
            r"|agreed)\w{0,3}\b"
        ),
        "authorizes authorises allows permits entitles": (
            r" (?:you|robots|assistants|agents) to (?:ignore|bypass|skip|reveal|disclose|share all"
            r"|override)\b"
        ),
        # Claimed rights.
        "user caller member account i": (
            r" (?:is|was|am|has been) (?:an? )?(?:already )?(?:verified|trusted|authori[sz]ed"
            r"|confirmed|elevated)"
            r" (?:as (?:an? )?|for )?(?:administrators?|admins?|developers?|operators?|owners?"
            r"|users? with|admin level|all|to access all|full)\b"
            r"| (?:has|have) (?:\w{1,12} )?(?:admin|administrator|root|elevated|superuser|special"
            r" \w{1,12}) (?:privileges|rights|permissions|access)\b"
            r"| am an? trusted\b"
        ),
        "agreed promised established": (
            r" to (?:always|ignore|answer without|help with any|share|reveal)\b"
            r"| ... (?:elevated|unrestricted|admin|full) access\b"
        ),
        "user users member members customer": (
            r" (?:has|have) (?:already )?(?:agreed|consented|approved|given consent) ..."
            r" (?:all|any|every|private|their) ... (?:shared|disclosed|released|quoted|sent)\b"
        ),
        "verified trusted": (
            r" ++ (?:so|and) ++ (?:obeyed|followed|trusted|executed) (?:without|blindly)\b"
        ),
        # German, French, Spanish
        "administrator admin geschaftsfuhrung vorstand leitung chef sicherheitsteam rechtsabteilung"
        " betreiber": (
            r" (?:hat|haben) ... (?:genehmigt|freigegeben|angeordnet|erlaubt|entschieden|bestatigt"
            r"|verfugt|zugestimmt)\b ... (?:du|assistent\w{0,3}|roboter|ohne|passwor\w{1,4}"
            r"|geha\w{1,6}|geheim\w{0,6})\b"
        ),
        "laut gemas": (
            r" (?:\w{1,12} )?\w{0,30}(?:richtlinien?|politik|vorgaben?|anweisung)"
            rf" (?:musst|darfst|sollst|mussen|durfen|kannst) ... {_RISKY_ABROAD}"
        ),
        "administrateur direction developpeur pdg administration": (
            r" (?:\w{1,20} ){0,3}(?:a|ont) (?:\w{1,12} )?(?:autorise|approuve|ordonne|decide"
            r"|valide) ..."
            r" (?:tu|vous|divulgation|partage|mots? de passe|privees?|confidentiel\w{0,3}|sans"
            r"|transfert|acces)\b"
        ),
        "selon conformement": (
            r" ... (?:politique|reglement|directive)s? ... (?:tu dois|vous devez|tu peux|vous"
            rf" pouvez) ... {_RISKY_ABROAD}"
        ),
        "administrador administradora direccion gerencia desarrollador": (
            r" (?:\w{1,20} ){0,3}ha ... (?:aprobado|autorizado|ordenado|decidido|confirmado) ..."
            r" (?:compartas|reveles|entregues|datos|claves|contrasenas|acceso|sin|puedes|debes)\b"
        ),
        "segun": (
            r" ... (?:politica|norma|reglamento)s? ... (?:debes|tienes que|puedes|debe usted)"
            rf" ... {_RISKY_ABROAD}"
        ),
    }
)
AUTHORITY_UNLESS_DENIED = compile_rules(
    {
        "you": (
            r" (?:need no|need not|require no|do not (?:have|need) to ask for|don't need"
            r"|don't have to ask(?: for)?) + (?:confirmation|approval|permission|consent"
            r"|verification|authori[sz]ation)\b ... (?:disclos\w{1,3}|reveal\w{0,3}|shar(?:e|ing)"
            r"|delet(?:e|ing)|forward\w{0,3}|quot(?:e|ing)|read(?:ing)?|transfer\w{0,4}|execut(?:e"
            r"|ing)|run(?:ning)?|act|call(?:ing)?|us(?:e|ing) (?:the )?tools?|anything|actions?"
            r"|any more|anymore|private)\b"
            r"| are (?:\w{1,12} )?(?:allowed|authori[sz]ed|permitted|cleared|free) to"
            r" (?:reveal|disclose|share all|skip|bypass|ignore|release|give out|read all|quote)\b"
        ),
    }
)
