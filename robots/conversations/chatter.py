"""The chatter filter: how much a message says beside courtesies. Pure, deterministic.

A message that says too little stays a message and becomes no memory. The rule counts informative
words, each once; courtesies, function words and names of those addressed do not count. Two words
make a memory; a number, an address or a file name counts as two. So does one word that states what
somebody or something is or did ("I'm vegan", "It's cancelled"), unless it is a mood of the moment.
Scripts without spaces are counted by their letters. Other languages than English have their small
talk as data.
"""

import re
import unicodedata
from collections.abc import Sequence

from orgs.names.unicode_normalisation import normalise_unicode
from robots.conversations.small_talk import SMALL_TALK, fold_letters

MIN_INFORMATIVE_WORDS = 2
MAX_CHARACTERS = 5_000
LETTERS_PER_WORD = 2
MAX_STATEMENT_CHARACTERS = 120

_COURTESIES = """
gm gn morning evening afternoon night good goodnight hi hiya hello hey heya yo sup howdy welcome
bye cya later cheers thanks thank thanx thx ty tyvm tnx np nw yw please pls plz sorry ok okay
okey k kk okie yes yeah yep yup ya aye no nope nah sure fine cool nice great awesome perfect
amazing wow lol lmao rofl lmfao haha hehe hah heh hmm hm umm um uh oh ah aha ooh omg wtf brb afk
bbl gtg ttyl np gg wp right true indeed exactly agreed same congrats congratulations well done
much many very really again all everyone everybody anyone anybody someone somebody there here
guys folks team friend friends both day week weekend danke bitte hallo tschuss merci bonjour
salut gracias hola adios grazie ciao obrigado ola привет спасибо пока здравствуйте مرحبا شكرا
शुक्रिया नमस्ते
"""
COURTESIES = frozenset(_COURTESIES.split())
COURTESY_PHRASES = ("你好", "您好", "谢谢", "謝謝", "早上好", "早安", "晚安", "再见")
COURTESY_PHRASES += ("ありがとう", "こんにちは", "おはよう", "おやすみ")
COURTESY_PHRASES += ("안녕하세요", "안녕", "감사합니다", "สวัสดี", "ขอบคุณ")
_FUNCTION_WORDS = """
a an the i im i'm ive i've id i'd ill i'll you your you're u ur he she it its it's we they me
him her us them my mine our their this that that's thats these those is are was were am be been
being do does did done have has had will would can could should shall may might must to of in on
at for from with without by as and or but so if then than not don't dont doesn't what whats
what's who why how when where which too also just only even still yet up down out off over about
into got get go going let lets let's now any some more most
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
# A whole sentence of a subject, "is", and one word; or of a subject and one word in the past.
_SUBJECT = r"(?:i|we|they|he|she|it|(?:my|our|his|her|their) \w{1,40})"
_ADVERBS = r"(?:(?:now|not|also|still|already|no longer|just|really|very|a|an|the|all|been) ){0,4}"
_STATEMENT = re.compile(
    rf"(?:{_SUBJECT}(?:'m|'re|'s| am| are| is| was| were| got| has| have|'ve| will be|'ll be)"
    rf"|im|its) {_ADVERBS}(?P<state>[^\W\d_]{{3,40}}(?:-[^\W\d_]{{2,40}})?)"
    rf"|(?:i|we|they|he|she|it) {_ADVERBS}(?P<act>[^\W\d_]{{2,40}}ed|quit|left|won|lost|died"
    r"|sold|broke|fell|flew)"
)
# Moods, states of the moment and opinions: nothing that anybody needs later.
_PASSING_WORDS = """
able absolutely afraid agreed alive alone already alright amazed amused angry annoyed annoying
ashamed asked asleep awake aware away awful back bad beautiful better big blushing bored boring
brilliant broke busy cheap checked choice clear clever cold coming common complicated confused
confusing connected convinced correct crap crazy cried crying curious cute dead decided delicious
depressed desperate different difficult disagreed disappointed doing done doomed drunk dumb dying
ears easier easy embarrassed enabled enjoyed enough error excellent excited exhausted expected
expensive fabulous fantastic fast faster figured fixed free freezing frustrated frustrating fun
funny gone good googled gorgeous grateful guessed guessing handy happened happy hard harmless
helped helpful helping hilarious hoped hoping horrible hot huge hungry hurting idea idiot immature
impossible impressed impressive incredible info insane installed interested interesting issue
jealous joined joke joked joking joyful kidding kind late laughed laughing lazy learned leaving
less like liked listened listening little lonely long looked looking lost loved lovely lucky lying
mad magic mean meant mental mentioned mine missed missing mistake nasty natural neat needed nervous
new newbie noob normal noticed nuts obvious odd off offended old once option out over paranoid
pathetic perfect plan pleased pointless poor positive possible posted pretty problem proud puzzled
question quick quiet quite reading ready real reason reasons rebooted relaxed relief relieved
remembered replied required restarted ridiculous rubbish rude running sad safe said same sarcastic
scared scary screwed searched searching seemed serious shocked short shy sick silly similar simple
sleeping sleepy slow small smart smiled smiling sorted sound sounded speechless started starting
starving stoked stopped strange stressed stuck stupid super surprised surprising talked talking
terrible terrific testing thanked thankful thing thinking thirsty though thrilled tired touched
tough tricky tried trolling trying turned typed typing ugly unable unbelievable unclear
understandable unfair unlikely unlucky unsure unusual updated upset used useful useless waited
waiting wanted warm watched watching weird wicked wondered wonderful wondering worked working
worried worse worst worth writing yours
"""
_PASSING = frozenset(_PASSING_WORDS.split())
_TOKEN = re.compile(r"[^\s,;!?()\[\]{}\"“”„«»]+")
_ADDRESSING = re.compile(r"^\s*[^\s:,@]{1,40}[:,]\s+|(?<!\S)@[\w.\-]+")
_INFORMATIVE_TOKEN = re.compile(r"\d|\w[./\\_]\w|://|[a-z][A-Z]|^[/~]\w|\w-\w+-\w")
_UNINFORMATIVE = COURTESIES | FUNCTION_WORDS
_REPEATED_LETTER = re.compile(r"(.)\1{2,}")
_REPEATED_SYLLABLE = re.compile(r"(.{1,3}?)\1{2,}")
_UNSPACED_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")


def count_informative_words(text: str) -> int:
    """How many informative words the text has; looks at its first 5,000 characters."""
    rest = _ADDRESSING.sub(" ", _to_plain(text[:MAX_CHARACTERS]))
    for phrase in COURTESY_PHRASES:
        rest = rest.replace(phrase, " ")
    tokens = [(token.strip(".:'’*~-_…¡¿").casefold(), token) for token in _TOKEN.findall(rest)]
    counts = [_total_weight(tokens)]
    folded = [fold_letters(word) for word, _ in tokens] if counts[0] else []
    for talk in SMALL_TALK if folded else ():
        if (left := talk.remaining(folded)) is not None:
            counts.append(_total_weight([tokens[place] for place in left]))
    return min(counts)


def _total_weight(tokens: Sequence[tuple[str, str]]) -> int:
    """Of (word, word as written), each word once."""
    return sum(_word_weight(word, token) for word, token in dict(reversed(tokens)).items())


def is_chatter(text: str) -> bool:
    """Whether the text says too little to be remembered."""
    return count_informative_words(text) < MIN_INFORMATIVE_WORDS and not _is_statement(text)


def _to_plain(text: str) -> str:
    return normalise_unicode(text, "NFKC").replace("’", "'")


def _is_statement(text: str) -> bool:
    """Whether the text is one sentence that states a fact with a single word."""
    if len(text) > MAX_STATEMENT_CHARACTERS:
        return False
    plain = _ADDRESSING.sub(" ", _to_plain(text)).casefold()
    found = _STATEMENT.fullmatch(" ".join(plain.split()).rstrip(" .!"))
    if found is None:
        return False
    word = found["state"] or found["act"]
    return word not in _PASSING and _word_weight(word, word) > 0


def _word_weight(word: str, token: str) -> int:
    if not any(c.isalnum() for c in word):
        return 0
    plain = (
        word,
        _REPEATED_SYLLABLE.sub(r"\1", word),
        _REPEATED_LETTER.sub(r"\1", word),
        _REPEATED_LETTER.sub(r"\1\1", word),
    )
    if not _UNINFORMATIVE.isdisjoint(plain):
        return 0
    if not word.isascii():
        joined = sum(1 for c in word if unicodedata.name(c, "").startswith(_UNSPACED_SCRIPTS))
        if joined:
            return joined // LETTERS_PER_WORD
    if _REPEATED_SYLLABLE.fullmatch(word):  # hahaha, aaaa, xdxdxd
        return 0
    return MIN_INFORMATIVE_WORDS if _INFORMATIVE_TOKEN.search(token) and len(word) > 2 else 1
