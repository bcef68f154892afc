"""English verbs in their base form. Pure."""

# Of these the base form is no subject that somebody can know about.
_ACTION_WORDS = """
accept accomplish achieve adjust admit advise afford aim allow announce annoy anticipate apologise
apologize appear apply argue arrange arrive ask assert assist associate assure attach attempt
attend avoid ban beat become behave believe belong bind blame blow bother bounce bound breathe burn
calm cancel carry catch cause cease charge chat cheat claim click climb collect combine communicate
compete complete confirm confuse congratulate connect consist construct convert convince cope count
cover crawl create cross cry cut dare deal decrease define delay delete deliver demand deny depend
describe deserve determine die differ disable disagree disappear disconnect dislike dismiss display
disturb divide doubt download drag draw drink drive drop earn eat edit eliminate embarrass
emphasise emphasize enable encounter encourage enjoy ensure enter establish evaluate examine
exclude execute exercise expand expect experiment exploit express extend fail fall fear feed fetch
fight fill fit flip flow fly fold forgive freak freeze gain gather glance grab grant greet grow
hang happen hate head hear hide hint hit hurt identify ignore imagine implement imply improve
increase indicate inform insert insist inspect inspire intend interact interfere introduce
investigate invite invoke involve join joke judge jump justify kick kill kiss knock laugh launch
lay lead lean leap lend lie lift listen locate lock manage mark melt merge mind modify motivate
multiply nod notify obey obtain occur offend offer omit operate owe pack participate pass pause pay
perform permit pick play point pop pour praise pray predict prefer prepare presume pretend prevent
print proceed produce prohibit promise promote pronounce prove pull punch punish push raise react
realise realize rebuild recall receive recognise recognize recover reduce refer refine reflect
refuse reinstall reject relate relax release rely remain remove rename repair repeat report
represent resist resolve restart restore restrict resume retain retry return reveal revert rewrite
ride rise roll rub ruin rush satisfy save scare scream search seek seem select separate serve shake
shape share shift shock shoot shout shrink shutdown sing sink skip slide slip smell smile smoke
solve speak spell spend spill spin split spoil spread squeeze stare steal stick strike struggle
submit succeed suffer suit surf surprise surrender survive swap swear sweep swim swing teach tear
tease tempt tend terminate throw tick tie tolerate toss trade transform translate trap travel treat
trigger trust twist unplug update upgrade upload upset vanish vary visit vote walk wander warn wash
waste weigh whine whisper wipe wonder worry wrap yell yield
"""
ACTION_VERBS = frozenset(_ACTION_WORDS.split())
_FURTHER_WORDS = """
abandon abort absorb abuse accelerate act activate adapt address admire adopt adore advertise
affect agree alert alter amend amuse analyse analyze answer appreciate approach approve arise
assess assign assume attack attract audit automate award back backup bake balance bark base bathe
bear beg begin behold benchmark bend benefit bet bid bike bill bite blend blink blog board boil
book boost boot borrow bow box brag break breed brew bring broadcast brush budge build bully bump
buy cache calculate call camp care carve cast celebrate challenge change chase check cheer cherish
chew chill chip choose chop circulate cite clarify clash clean clear cling close cluster coach code
collapse come comfort commend comment commit commute compare compensate compile complain compose
compress concentrate concur conduct configure conform consider consult consume contact contain
continue contribute control converse cook cooperate coordinate correct correspond crack craft crank
crash crave credit critique cuddle curl cycle dance date debate debug decide decline decorate
dedicate deduct defend defer delegate delight deploy design desire detect detest develop devise
devote dig dine direct discard discover discuss disregard distribute dive do document donate dread
dream dress drill drown dry dump dunk duplicate dwell dye echo educate embrace emerge emigrate
employ empty encrypt end endorse enforce engage enhance enlist enrol enroll envy erase err escape
estimate evolve exceed exchange excite exist exit experience explain explore export face fake fancy
farm fasten favor favour feel fiddle figure file film filter finance find finish fire fish fix flash
flatten flee flinch float floss flush focus follow forecast foresee forget format forward foster
found freelance frown fry function fund garden generate get giggle give glue go google govern grade
graduate graze grep grieve grill grin grip groan guarantee guard guess guide hack hail halt hammer
hand handle harm harvest haul have heal heat help hesitate highlight hike hire hold hop hope host
hover hug hum hunt ignite illustrate import impress incline include infer inhale inherit initialize
inquire install instruct insult integrate interpret interrupt interview invent inventory invest
iron isolate itch iterate jog journal juggle keep key knead kneel knit know label lack land last
learn leave lecture let level license lick like line link list litter live load loan loathe lobby
log login look loop loot lose love lower lunch maintain make manufacture map march market marry
master match matter mean measure mediate meditate meet mend mention mentor message migrate milk
mine misplace misread miss mix model moderate monitor moonlight mop mope mount mourn move mow
mumble murmur mute nag name nap navigate need neglect negotiate nest network nominate note notice
number nurse nurture object oblige observe occupy open opt order organise organize originate
overcome overlook oversee overwrite own paddle paint pair panic paraphrase park part paste patch
patrol paw peel peer pen persist persuade phone photograph pilot pin ping pipe pity place plan
plant plead please pledge plot plough plug pocket poke polish poll ponder populate pose possess
post postpone practice practise preach preside press price prioritise prioritize probe process
procrastinate program progress project proofread propose protect protest provide provision publish
pump purchase pursue put quarrel query question queue quit quote race rain rate reach read rebase
reboot rebut recite reckon recommend reconcile reconfigure record recruit recycle redeem redesign
redo refactor refill refresh refund regard register regret rehearse reimburse reinforce relay
relearn relent relocate remember remind remix renew renovate rent reopen replace replay reply
repost reproduce request require reread rescue research resemble reserve reset reside resign resort
respect respond rest resubmit result retire retrain retrieve reuse review revise revisit revoke
reward rewind rewire rhyme rig rinse rip rock row run sail salute sample sand saw say scan schedule
score scrape scratch screen script scroll scrub seal seat secure see sell send sense set settle sew
shadow sharpen shave shell shelter shine ship shop show shower shrug shut sigh sign sip sit skate
sketch ski skim slam slap sleep slice slow smash snack sneak sneeze sniff snooze snore snow soak
socialise socialize sort sound spar spare speed spice sponsor spot spray sprinkle sprint spy squash
squat ssh stab stack staff stage stand star start state stay steer step stir stitch stock stop
store stream stress stretch stroll study stumble subscribe subtract suck sue suggest summarise
summarize supervise supply support suppose suspect suspend swallow sweat switch symlink sympathise
sympathize sync tackle tag take talk tap taste tax team teleport tell test text thank thaw think
thrive tidy time tip title toast toggle tour track train transcribe transfer transport trash tread
trek tremble trim trip trouble troubleshoot try tune turn tutor tweak tweet type undergo understand
undertake undo unfold uninstall unlock unmount unpack untangle unwind upvote urge use utilise
utilize vacation vacuum validate value venture verify vibe view volunteer vow wait wake want watch
water wave wear weave weed welcome weld whip whistle win wire wish withdraw withhold witness work
workout worship write yawn yearn yodel zip zoom
"""
BASE_VERBS = ACTION_VERBS | frozenset(_FURTHER_WORDS.split())
# What somebody thinks, feels, wants, gets or says, or what everybody does; none tells of a skill.
_STATE_WORDS = """
admire admit afford agree annoy apologise apologize appear appreciate argue arrive ask assume
attempt attend avoid be become beg believe belong bet blame bother buy call care catch cease
charge cheat cheer cherish choose click come complain confess confirm confuse congratulate
consider continue cope crave cry dare decline demand depend deserve desire detest die differ
disagree dislike doubt dread dream drink eat end enjoy envy exist expect experience face fail fall
fancy favor favour fear feel fell figure find finish follow forget forgive freak get give go
google grieve guess happen hate have hear help hesitate hit hold hope hurry hurt ignore imagine
intend itch keep lack last laugh lay learn leave left let like listen live look lose love mean
meet mention mind misread miss move need notice obtain order owe own panic pass pay pick plan
point possess prefer presume pretend promise purchase put quit quote read realise realize recall
receive reckon regard regret relate relax rely remember rent repeat reply respect respond return
saw say search see seem sell send sense sit sleep smell sound stand stare start stay stick stop
struggle suffer support suppose surrender suspect swear sympathise sympathize take talk taste tell
tend thank think trust try turn understand view visit vote wait wake walk wander want watch wish
wonder work worry yawn
"""
STATE_VERBS = frozenset(_STATE_WORDS.split())
# Of these the past tells of a skill as well; what other verbs tell may have been done once.
_SKILLED_WORDS = """
analysed analyzed audited automated baked bred brewed built carved coached coded composed
configured cooked crafted debugged decorated deployed designed developed directed drew edited
engineered farmed fixed founded gardened grew implemented installed integrated invented knitted
led made maintained managed migrated moderated negotiated operated optimised optimized organised
organized painted performed photographed played programmed published ran refactored repaired
researched restored reviewed rewrote sculpted sewed soldered studied supervised taught tested
trained translated tuned used welded wired written wrote
"""
SKILLED_PASTS = frozenset(_SKILLED_WORDS.split())
