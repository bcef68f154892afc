# ruff: noqa: RUF001 - words of other scripts
"""Words that are never the subject of a text. Pure.

STOP: function words of the most frequent languages in chats. EMPTY: English words with a meaning
that name nothing to know about: general verbs, small talk, measures.
"""

_ENGLISH = """
a about above after again against all almost also although always am an and another any anybody
anyone anything anyway are aren't around as at away back be because been before behind being below
between both but by can can't cannot could couldn't did didn't do does doesn't doing don't done
down during each either else enough etc even ever every everybody everyone everything except few
for from further get gets getting go goes going gone got gotten had hadn't has hasn't have haven't
having he he'd he'll he's hence her here here's hers herself him himself his how how's however i
i'd i'll i'm i've if in indeed instead into is isn't it it'd it'll it's its itself just least less
let let's like lot lots made make makes many may maybe me might mine more most mostly much must my
myself near never nevertheless next no nobody none nor not nothing now of off often on once one
ones only onto or other others otherwise ought our ours ourselves out over own per perhaps please
quite rather really same seem seems shall shan't she she'd she'll she's should shouldn't since so
some somebody somehow someone something sometimes somewhat somewhere soon still such than that
that'd that'll that's the their theirs them themselves then there there'd there's therefore these
they they'd they'll they're they've this those though through thus till to together too toward
towards two under unless until up upon us use used using usually various very via was wasn't we
we'd we'll we're we've well went were weren't what what's whatever when when's whenever where
where's wherever whether which while who who'd who's whoever whole whom whose why why's will with
within without won't would wouldn't yes yet you you'd you'll you're you've your yours yourself
yourselves dont cant wont doesnt didnt isnt wasnt arent im ive id ill youre youve thats whats
theres hes shes its lets couldnt wouldnt shouldnt havent hasnt aint gonna wanna gotta kinda
"""
_OTHERS = """
der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war waren wird
werden wurde hat haben hatte ich du er sie es wir ihr mich dich sich mir dir uns euch mein dein
sein kein keine mit von zu zum zur auf aus bei nach vor über unter für durch gegen ohne um im am
als wie wenn dass weil auch noch schon nur sehr mehr man kann können muss müssen soll hier dort
le la les un une des du de et ou mais ne pas est sont était être avoir ont avait je tu il elle nous
vous ils elles mon ton son notre votre leur ce cette ces qui que quoi dont où dans sur sous avec
sans pour par plus très aussi comme si au aux en
el los las una unos unas y o pero es son era ser estar está están ha han yo tú él ella nosotros
ellos mi su sus este esta estos estas que quien con sin para por más muy también como si al del lo
se me te ya no sí il lo gli uno ed ma non è sono che di da in con su per tra fra più anche come
o os um uma uns umas e ou mas não são que com sem para por mais muito também como se ao do da
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было
вот от меня еще нет о из ему теперь когда даже ну вдруг ли если уже или ни быть был него до вас
нибудь опять уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их
чем была сам чтоб без будто чего раз тоже себе под будет тогда кто этот того потому этого какой
этой эти это эта был была были очень можно нужно через
في من على إلى عن مع هذا هذه ذلك التي الذي كان كانت هو هي هم أن إن لا ما لم لن قد كل بعد قبل أو ثم
है हैं था थी थे का की के को में से पर और या नहीं यह वह ये वे मैं हम आप क्या कि जो तो भी ही एक
"""
_EMPTY = """
ability able accept actually add added advance afaik afaict agree agreed ahead alright amazing
amount
answer appear apparently appreciate area argh ask asked asking ass assume attempt available aware
awesome bad basically beautiful begin begins best bet better big bit bits bother brb break bring btw
buddy built bunch bye call called calls came care careful case cause certain certainly chance change
changed changes check checked cheers choice choose clean clear clearly close cool come comes coming
common complete completely complain congrats consider contain continue correct correctly cos
could've course crap cya damn day days deal decent decide default definitely depend depends despite
detail did different difference difficult directly discuss doc docs done doubt dude dunno early
easier easily easy effect else end ends entire especially exact exactly example excellent exist
exists expect experience explain explanation extra eye face fact fail fails failed fair fairly fan
far fast feel figure figured final finally find finds fine finish first fix fixed fixes follow
following force forget form found free friend fully fun funny general generally give given gives
giving glad good google great guess guide guru guy guys haha half hand handle happen happened
happening happens happy hard hate hear heard heck hehe hell hello help helped helpful helps hey hi
high hint hmm hold home hope hour hours huge huh idea ideas idiot imagine imho imo immediately
important impossible include included info information inside interest interested interesting
involve issue issues item job joke keep keeps kept kind knew know known knows lack last late lately
later latest learn leave left letter level life likely line list listen little live lmao lol long
longer look looked looking looks lose lost love low luck mad main mainly man manage mate matter mean
means meant mention mess message middle min mind mine minute minutes miss missing mistake mm moment
month months morning morn move name namely named naming need needed needs new newer newest nice
night nope normal normally note notice nowadays np number numbers obvious obviously occur odd oh ok
okay old older oops open opinion option options order original originally others paste part parts
people perfect perfectly period person pick piece place plain plan play plenty plus pm point points
possible possibly post present pretty previous previously probably problem problems proper properly
provide pull purpose put putting question questions quick quickly rate read reading ready real
realise realize reason reasonable recent recently recommend regard related remember remind replace
reply request require required requires respect rest result results return rid right room rtfm rule
run running runs sad safe said say saying says second seconds see seeing seen select sense separate
serious seriously set sets setting setup several shame short shot show showed shown shows shut side
silly similar simple simply single sit slightly slow small smart solution solve solved sometime
sorry sort sorts sound sounds specific specifically specify spend spot stand start started starting
starts state stay step stick stop stopped story straight strange stuff stupid stuck suck sucks
suggest suggestion suggestions super support supported supports suppose supposed sure surely suspect
switch take taken takes taking talk talking tell telling tells test tested testing thank thanks
thanx thing things think thinking thinks tho thought thx tip today told tomorrow tonight took top
topic total totally touch track tried tries trivial trouble true truth try trying turn turned type
typed typical ty understand unfortunately usual ugh uhh uhm umm version versions view wait waiting
wanna want wanted wants watch way ways week weekend weeks weird welcome whatsoever wish wonder
wonderful word words work worked working works world worry worse worst worth wow wrong wtf yay yeah
year years yep yesterday yo young yup zero ago already anymore automatically based believe create
created creating current currently full heh install installed installing making manually press send
special time updated wondering write written
"""
STOPWORDS = frozenset((_ENGLISH + _OTHERS).split())
CONTENTLESS_WORDS = frozenset(_EMPTY.split())
ENGLISH_WORDS = frozenset(_ENGLISH.split()) | CONTENTLESS_WORDS
