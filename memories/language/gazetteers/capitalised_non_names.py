"""Words with a capital that name no person. Pure, not complete.

Words that begin sentences and titles, terms of trade and technology, products, peoples, languages.
"""

_BEGIN = """
absolutely accept access according account act action actually add adjust admin advice agree agreed
ahead alert alright alternatively alternate amazing analyse analysis analyze announcing annual
answer answers apart apologies apologise apparently apply approve approved approx archive area
argue arrange arrived article ask asked asking assign assume assuming attach attached attempt audit
available avoid aware based basic basically beginning begin being believe besides beta better
beware bigger book both bottom bought brief bring brings broken browse budget build building built
business buying calculate campaign cancel cannot careful carefully caution cc central certain
certainly changed changes check checked checking choose cleaning clearly click client clients clone
closed coming command comment comments commit common compare compared comparing compile complete
completely compute concerning conclusion configure configuring confirm confirmed congrats
congratulations connect consider consult contact contacts contains content continue control copy
correct correction correctly count create created creating critical current currently customer
customers cute damn data deadline dear decide decided decision default define definitely delay
delete delivered delivery depending depends deploy describe description design despite details
determine develop development difference different digital dinner direct direction directly disable
discuss discussed discussion display dispatch documentation doing don donate done double doubt
download draft drink driving drop dropping due earlier easiest easily easy edit editing effect
either email emails enable ended ensure enter entire entirely equal error errors escalate
especially essentially estimate evening event events eventually everyone exactly examine example
excellent except exciting execute exit expand expect expected explain export express extra extract
fact failed failing fails failure fair fairly fantastic faster favorite favourite feature features
feedback feel feeling files fill filling final finally finding finished firstly fixed fixing flight
focus follow following follows food forget forgot format former fortunately forward frankly free
frequently friday friend friends fun function further furthermore generally generate getting gives
giving glad global goal goals goodbye goodnight gosh got grab great greetings group guess guys had
half handle happened happens happy hardly has hate having heard hearing hello help helpful helps
hence hey hidden high higher highly hint hire hmm holding holy hopefully horrible how however huge
hurry idea ideally ideas identical ignore imagine immediately import important impossible
impressive improve include includes including increase incredible indeed info inform information
initial initially input inside install installed installing instead instructions intel interesting
interestingly internal international internet interview introduce introducing invalid invite
invited invoice issue issues its join joined keep keeping kept kids kill kinda kindly knowing known
knows large last lastly late lately later latest launch lead learning leave leaving left legal
lesson lessons letter level leverage likely likewise limit linked list listen listening live living
load loaded loading local located locate logged login looking looks loose lose lost lots love loved
lower luckily lunch mail main mainly maintain majority make makes making manage manual many map
maybe meaning means meanwhile measure meet meeting meetings merge message messages method middle
might migrate mind minimum minor minutes miss missing mistake modify moment monday monitor month
monthly more moreover morning most mostly mount move moved moving multiple must name named namely
naturally near nearly necessary need needed needs neither never nevertheless new news nobody none
nonetheless normal normally nothing notice notify now nowadays number obviously occasionally odd
offer official often okay older once ones ongoing online open opened opening operation opinion
option options order ordered orders organise organize original originally otherwise outside
outstanding overall overview own package paid part participants partial particularly passed
password past paste pause payment people perfect perhaps period permission personal personally
phase pick picked picture pieces place plan planned planning plans play playing please plenty plus
point points policy poor popular position possible possibly post posted potential potentially
practice prefer prepare prepared presentation press pressing pretty prevent preview previous
previously prior priority private probably problem problems proceed process product products
professional progress project projects promise proper properly proposal propose protect provide
provided provides public pull purchase purpose push put putting quality quarterly question
questions quick quickly quiet quite quote rather read reading ready real realise really reason
reasons reboot rebuild recall receive received recent recently recommend record recover red reduce
refer reference regarding regardless regards register regular regularly reinstall reject related
relax release released relevant reload remember reminder remote remove removed removing rename
repair repeat replace reply report reported reports request requests require required requires
reserve reset resolve resolved respond response responsible restart restore result results resume
retry return returns review reviewed reviews revise right rough roughly route rule rules running
runs sad sadly safe same sample save saving saw say saying says schedule scheduled scheme scroll
search second secondly section seeing seem seems seen select selected sell send sending sent
separate serious seriously server service services session several share shared sharing she ship
shipment shipped shopping shortly should show showing shows shut similar similarly simple simply
since single site sites size skip sleep slightly slow slowly small smaller soft software solution
solutions solve solved somebody somehow someone something sometimes somewhat somewhere soon sorry
sort sound sounds source speak speaking special specific specifically specify speaking split spoke
stage standard start started starting starts state statement states station stay step steps still
stop stopped stopping store stores strange strategy strict strong stuck students stuff stupid style
subject submit subscribe success successfully such sudden suddenly suggest suggested suggestion
suggestions sum summary super supply support supported supports suppose supposedly sure surely
surprisingly survey suspect sweet switch switched system systems table take taken takes taking talk
talking target task tasks team teams technically technology tell telling terrible tested testing
tests text thank thanks thankfully theoretically therefore thing things think thinking third
thirdly thought thoughts thread three through throughout thursday thus ticket tickets tip tips
title today together told tomorrow tonight took topic total totally touch track tracking training
transfer translate travel treat tried trouble troubleshooting trust truth try trying tuesday tune
turn turning turns tweak twice two type types typical typically ugly ultimately unable under
understand understanding understood undo unfortunately unit unknown unless unlike until unusual
update updated updates updating upgrade upgraded upgrading upload upon urgent usage use used useful
user users uses using usual usually utilize validate value values various verify version versus via
video view views visit visited visiting visitors visits wait waiting wake walk walking wanna want
wanted warning watch watching wednesday week weekend weekly weeks weird welcome went whatever
whenever whereas wherever whether whichever while whole whom whose why wide will window windows
wish wishes within without woke wonder wonderful wondering word words work worked workers working
works worried worry worse worst worth would wow write writing written wrong yeah year yearly years
yep yesterday yet yup gimme lemme dunno lol haha heh hehe hmmm hrm umm uhm ooh ahh argh ugh oops
whoa yay yikes geez wtf omg btw imho afaik fyi asap ok okay thx cheers ciao bye nope nah aha ouch
damnit crap shit fuck january february march april june july august september october november
december monday tuesday wednesday thursday friday saturday sunday januar februar märz mai juni juli
oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag janvier février mars
avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi
samedi dimanche enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
diciembre lunes martes miércoles jueves viernes sábado gennaio febbraio aprile maggio giugno luglio
settembre ottobre novembre dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica
christmas easter halloween thanksgiving ramadan diwali hanukkah eid yom kippur xmas weihnachten
ostern noël navidad pasqua
"""
_TRADE = """
academy accounting acquisition activation advertising advisor advisory affairs agency agenda agile
agreement airline airlines airport algorithm alliance allocation america american analyst analysts
analytics anchor annual application applications appointment apartment architecture asset assets
assistance assistant associate associates association assurance attribution audience authority
automation average awards balance bank banking basket benchmark benefits board bonus boutique brand
brands breakdown breakfast broker budget bureau business cafe cannibalisation cannibalization
capacity capital card care career cart cash casual catalog catalogue catchment category categories
cell center centre certificate chain chains chairman channel channels chapter chart charter
checklist checkout chief city civil class clause clean clinic cloud coalition coffee collection
college commerce commercial commission committee communication communications community company
compensation competition competitive competitor competitors compliance component computer computing
concept conference confidential congress connection consent construction consultant consulting
consumer consumers contract contracts conversion cooperative copyright corporate corporation cost
costs council country county course court coverage credit crew crisis cross culture customer cyber
daily dashboard database datasheet days deal debit debt deck defense demand demographic
demographics department depot destination development device devices diet digital dimension diploma
directive director directors disclosure discount disease distribution district division doctor
document domain drive duty dwell economy economic edition education effect efficiency election
electric electronic elementary emergency employee employees employment energy engine engineer
engineering enterprise enterprises entertainment entity entry environment equity estate estates
evaluation evidence excellence exchange executive exhibit expansion experience expert exposure
express extension facility factor factory faculty family fashion fast federal federation fee field
figure filter finance financial first fiscal fitness fleet floor fluctuation foot footfall forecast
forecasting foreign forum foundation framework franchise franchisee freight front fuel fulfilment
fulfillment fund funding gallery gap garage gateway gender general geofence geography government
grade grant graph green grocery gross growth guest guidance guide guideline guidelines habits hall
handbook head headquarters health healthcare heat heatmap heritage highway history holdings home
homepage hospital hospitality hotel hour hours house household households housing human hybrid
identity impact implementation incentive incident inclusion income index indicator industrial
industries industry inflation infrastructure innovation insight insights inspection institute
institution insurance integration intelligence interface inventory investment investor investors
invoice item items job jobs journal journey junior justice key keyword kitchen kpi kpis lab label
labor labour land landing landlord language laundry law layer leader leaders leadership league
lease leasing lessons library license lift line lines link liquor list litigation loan location
locations logistics loyalty luxury machine macro maintenance mall malls management manager managers
mandate manufacturing map margin marina market marketer marketing marketplace markets master
material math matrix media median medical medicine member members membership memo memory menu
merchandising merchant merger method methodology metric metrics metro middle milestone military
ministry mission mobile mobility mode model models module money monitor mortgage motor motors
movement museum music national native neighborhood net network networks newsletter night nonprofit
note notes notice objective objectives office officer offices offline offsite oil onboarding online
operations operator opportunity optimization order organic organisation organization origin outlet
outlook overlap overlay owner pack packaging panel park parking parliament partner partners
partnership party passenger patent path patient payment payments payroll peak peer penetration
pension percentage percentile performance period personas person pet pharmacy phase phone pilot
pipeline plan planning plant platform player plaza police policies policy poll pool population
portal portfolio post power practice premier premium presence president press price prices pricing
prime principal principle print priority private problem procedure process procurement producer
product production productivity profile profit program programme programs project projection
promotion promotions proof property proposal prospect protection protocol province proxy psychology
public publication publishing purchase qualifier quality quarter quest query queue quick quota
radius radio rail rank ranking rate ratio readiness realty rebate receipt recipe reconciliation
recovery recruiting region regional regions register regression regulation relations relationship
renewal rent rental repeat report reporting republic request research reserve residence resident
resources restaurant restaurants retail retailer retailers retention return returns revenue risk
roadmap role room route sales sample satisfaction savings scale scenario schedule school science
scope score scorecard season seasonality seat secretary section sector security segment segments
selection senate senior sensor sequence series service session settings share shelf shift shop
shopper shoppers shopping signal site sku snack social society solution space special specialist
spend sponsor sports square staff stage stakeholder stakeholders standard standup startup state
statement station status stock storage store strategic strategy stream street strip student studio
study subscription subsidiary summit superior supermarket supervisor supplier suppliers supply
support survey sustainability system tab tactic target tax team template tenant tenants term
terminal terms territory test theatre theory threshold ticket tier time timeline title tobacco
toolkit tools top total tour tourism tower town trade trademark traffic trail trailer training
transaction transactions transfer transit transport transportation treasury trend trends trial trip
trust turnover umbrella union unit units university upgrade upper upside urban usage utility
utilization vacancy validation valuation value vape vehicle vendor vendors venture venues version
vertical vice video village vision visit visitation visitor visitors volume voucher wage walk
walkthrough wallet warehouse warranty waste water weather web website weekly welfare wholesale
window wireless women workbook workflow workflows workforce workplace workshop world yearly yield
zone zoning african arab arabic asian australian austrian belgian brazilian british canadian
catalan catholic chinese christian christians czech danish dutch egyptian english european finnish
french german germans greek hebrew hindi hindu hungarian indian indonesian iranian irish islamic
israeli italian japanese jewish jews korean latin latino malaysian mexican muslim muslims norwegian
pakistani persian polish portuguese protestant romanian russian scottish spanish swedish swiss thai
turkish ukrainian vietnamese welsh eastern northern southern western north south east west central
pacific atlantic mediterranean baltic midwest bay coast gulf island islands lake mount mountain
ocean river sea valley hills beach forest desert africa antarctica bitte danke hallo hinweis
achtung frage antwort aufgabe kunde kunden filiale filialen standort standorte umsatz laden
laut gemäß seit trotz wegen während mangels dank statt anhand zwischen hinter neben außer
beim ins jede jeder jedes unsere unser neue neuer neues
geschäft unternehmen firma bericht woche monat jahr tag zeit team projekt besprechung vertrag
rechnung angebot termin lieferung markt wettbewerb besucher zahl zahlen ergebnis vorschlag beispiel
grund gründe ziel ziele straße stadt land haus schule arbeit mitarbeiter nutzer daten analyse
auswertung lage miete fläche kasse regal bonjour merci client clients magasin magasins enquête
réunion équipe semaine année projet contrat facture rapport marché visite visites hola gracias
cliente clientes tienda tiendas equipo proyecto contrato factura informe mercado visitas buongiorno
grazie negozio negozi cliente squadra progetto contratto fattura mercato visite
"""
_TECHNOLOGY = """
acpi adobe ajax alsa amazon amd android ansible apache api apis apple apt aptitude arch ascii asus
athlon ati audacity aws azure backport backports bash beagle beryl bind bios bitlocker bittorrent
bluetooth bootloader breezy browser bsd bugzilla bytes celery centos chrome chromium cisco citrix
cli cmake cobol codec compiz compaq compiler confluence container containers cpu creative cron css
cuda cups curl cvs cygwin daemon dapper dashboard debian dell desktop dhcp distro django dns docker
dpkg driver drivers dropbox drupal ebay eclipse edgy edubuntu elastic elasticsearch emacs epiphany
epson ethernet evolution excel explorer ext facebook feisty fedora figma firebird firefox firewall
flash flask flickr fluxbox fortran freebsd freenode freshmeat ftp gaim galeon gateway gcc geforce
gentoo gimp git github gitlab gmail gnome gnu google gparted gpl gps gpu grafana graphql gravatar
grub gstreamer gtk gui gutsy haproxy hardware hardy hibernate hoary homebrew html http https hulu
ibm icq idea ide imap inkscape instagram instant intel intellij intrepid invision ipad iphone ipod
ipsec iptables irc isdn iso itunes jabber jaunty java javascript jdk jenkins jira joomla jpeg json
jupyter kafka karmic katapult kde kernel keras kerberos keynote kibana konqueror konsole kontact
kopete kubernetes kubuntu lamp laptop latex launchpad ldap lenny lenovo less libreoffice lilo
linkedin linksys linux lisp logitech lucid lynx lxde mac macbook macintosh macos magento makefile
mandrake mandriva mariadb markdown matlab maven maverick mcafee mediawiki mercurial mesa metacity
microsoft minecraft mint mongodb moodle mozilla mpeg mplayer mutt mysql nagios nas natty nautilus
netbeans netbook netflix netgear netscape networkmanager nginx nintendo node nokia novell numpy
nvidia oauth onedrive oneiric openbox openoffice opengl openid openldap openoffice opensolaris
openssh openssl opensuse openvpn opera oracle outlook oxygen packard pandas paypal pdf pentium perl
photoshop php pidgin pinterest pip playstation plugin plugins png podman postfix postgres
postgresql powerbook powerpc powerpoint powershell prometheus puppet putty pycharm pygtk python
pytorch qt quicktime radeon rails raspberry react realplayer reddit redhat redis redmine reiser
repo repos repository rest rhythmbox rpm rsync ruby rust safari salesforce samba samsung sata scala
screen scsi sed segfault selinux sendmail shell shopify silverlight skype slack slackware slashdot
snap snapchat snowflake solaris sony soundblaster sourceforge spotify sql sqlite squid ssh ssl
stackoverflow steam sublime subversion sudo sun suse svn swift synaptic sysadmin systemd tableau
tcp teams telegram telnet tensorflow terminal terraform thinkpad thunderbird tiktok tomcat toshiba
totem transmission trello tsclient tumblr twitter typescript ubiquity ubuntu udev udp unix unity
usb usenet usplash vagrant vim vimeo virtualbox virtual vista vlc vmware vnc voip vpn warcraft
warty webmin webkit webmail whatsapp wifi wiki wikipedia windows wine winamp winxp wireshark
wordpress word workspace wordperfect xandros xchat xcode xen xfce xfree xgl xine xml xmms xmpp xorg
xp xubuntu yahoo yaml youtube zapier zendesk zoom zsh zypper alpha beta gamma delta epsilon omega
sigma lambda ibex gibbon heron drake badger hedgehog warthog fawn eft jackalope koala lynx meerkat
narwhal ocelot pangolin quetzal ringtail salamander tahr unicorn vervet werewolf xerus yakkety
zesty bible quran koran god jesus christ lord allah buddha satan santa pope matrix batman superman
spiderman simpsons trek futurama shakespeare einstein newton google
"""
ORDINARY_WORDS = frozenset(f"{_BEGIN} {_TRADE} {_TECHNOLOGY}".split())
