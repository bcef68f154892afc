"""First names that are recognised without a model. Pure, small, not complete.

A name that is also a common word (May, Will, Grace, Mark) is left out. A person who is not
recognised only leaves a pronoun unresolved, but a word that is taken for a person makes a wrong
sentence.
"""

_FEMALE = """
ada adela agnes alice alicia alina amelia amina amy ana andrea angela anita anna anne annie astrid
audrey barbara beatrice beth bettina birgit brenda brigitte camila carla carmen carol caroline
catherine cathy cecilia charlotte chiara chloe christina christine claire clara claudia cynthia
daniela deborah debra denise diana donna doris dorothy edith elena elisa elizabeth ella ellen elsa
emily emma esther eva evelyn fatima fiona frances franziska freya gabriela gina gloria greta hana
hannah heather heidi helen helena ines ingrid irene irina isabel isabella jackie jana jane janet
janice jennifer jessica joan joanna johanna josephine judith judy julia julie karen karin kate
katherine kathleen kathy katie katja kelly kimberly kristin kristina laura lauren layla lea leila
lena leonie linda lisa liz louise lucia lucy lydia madison magda maggie margaret maria marie marina
marion marlene martha martina mary maya megan melanie melissa mia michelle mina miriam molly monica
monika nadia nadine nancy naomi natalie natasha nicole nina nora olga olivia pamela patricia paula
pauline petra priya rachel rebecca renate rita rosa ruth sabine sally samantha sandra sara sarah
sharon sheila shirley silvia simone sofia sonja sophia sophie stella stephanie susan susanne svetla
sylvia tamara tanja tara teresa theresa tina ursula valentina valerie vanessa vera veronica victoria
virginia wanda wendy yasmin yuki yvonne zoe zoë
"""
_MALE = """
aaron abdul adam adrian ahmed albert alessandro alexander ali allan allen amir anders andre andreas
andrew anthony antonio arjun arthur artur ben benjamin bernard bernd bob bobby brandon brian bruce
bruno carl carlos cesar charles chidi chris christoph christopher colin craig damian dan daniel
darius dave david dennis derek diego dieter dimitri dirk dmitri dominik donald douglas duncan dylan
ed edgar eduardo edward edwin emil enrico eric erik ernest ethan eugene fabian felix fernando
florian francesco francis francisco franz fred frederick gabriel gareth gary geoff george gerald
gerhard giovanni giuseppe gordon greg gregor gregory guido gustav hamza hans harald harold harry
hassan heinrich helmut henrik henry herbert hiroshi holger horst howard hugo ian ibrahim igor isaac
ivan jack jacob jakob james jamal jan jason javier jeff jeffrey jens jeremy jerry jim jimmy joachim
joe joel johannes john jonas jonathan jorge jose josef joseph joshua juan julian jürgen justin karl
keith ken kenneth kevin klaus kurt kyle lars larry lawrence lee leo leon leonard liam lorenzo louis
luca lucas luis luke lukas malcolm manuel marc marcel marco marcus mario markus martin mateo matt
matteo matthew matthias maurice max maximilian michael miguel mike mikhail mohamed mohammed moritz
nathan neil nicholas nick nicolas niels nikolai noah norbert oleg oliver omar oscar oskar otto
pablo patrick paul pavel pedro pete peter phil philip philipp pierre rafael rainer rajesh ralf ralph
ramon raul raymond rene ricardo richard rob robert roberto roger roland roman ron ronald rudolf
russell ryan sam samir samuel sanjay scott sean sebastian sergei sergey sergio simon stefan stephan
stephen steve steven stuart sven tariq ted theo thomas thorsten tim timothy tobias todd tom tomas
tommy tony travis udo ulrich uwe viktor vincent vladimir walter wayne wei werner william wolfgang
xavier yusuf yuri zachary
"""
_EITHER = """
alex casey charlie jamie jo kim noor robin sascha sasha
"""
FEMALE = frozenset(_FEMALE.split())
MALE = frozenset(_MALE.split())
EITHER = frozenset(_EITHER.split())
