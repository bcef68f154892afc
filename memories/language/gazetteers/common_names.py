# ruff: noqa: RUF001 - letters of other languages
"""First and last names that are also an ordinary word in a language of the lists. Pure.

Alone, and at the beginning of a sentence, such a word is not taken for a name.
"""

_WORD_NAMES = """
abba abbey ace ada adan admiral ai akin alba all alma alto amber ami amor an angel angels anger
angle ante any apple april arch archer aria ark arm art arts asa ash asia aspen aster atlas august
aura aurora austin autumn ava avery aye baba baby bad badger bai bailey baker ball ban band banda
bang bank banks bar barb barber bard barn barr barry bart base bash bass batch bates bath bay be
beach beam bean bear beard beck becker bee bell belle ben bend benz berg berry best beta bi big
bill billing bin bind bins bird bishop black blanc blanco blank bliss block blocks blom bloom blue
boa board bob bold bolt bond bone book booker boom boone booth bos bosch boss boston bot bow box
boy brad branch brand brave bravo bread breeze bren brick bridge bridges bright brink bristol britt
broad brock brook brooks broom brown bruno brush buck bud bug bugs bull burger burn burns burst bus
bush butler button buy byte cabral cache cain calder call cam camp can candy cane cannon canyon cap
cape capital car card care carter carver case casey cash castle cat cater cause cave cedar cell cha
chad chai chain chan chance chandler change chapel chapman chari charity charlotte chart chase chat
chaves check chef cher cherry chess chester chi child china chip chloe cho choice chrome chuck chun
church cicero cider ciro city clam clan clark class clay clear clement clerk cliff cline clip close
cloud clover club coach coal cobb code cody cola cole colon colt college column coma com combs come
comfort con conde constant cook cookie cool cooper coral cord core corn corner cory cost costa
count court cove cox craft crane cream creed crisp cross crow crown crown cruise cruz crystal cue
curry curt custom cut cyan cypress dag dahlia dai daily daisy dal dale dallas damage dane danger
dare dart das dash data date dawn day days deal dean death deb debt deck dee deep deer del dell
delta demo den denver derby desk destiny dev devon di diamond dice dick diesel digital dill dim
dime din ding dion dip dirk disco div do dock doe dolly don dong door dot double dove dover down
downs draft dragon drake draw dream dress drew drive drum duck duffy duke dun durham dust dutch
dwell dye eagle earl early earnest earth east easter ease eaton eben ebony echo eddy eden edge edit
egg ego eid eil eis ek el elder elf elk ella elle elm elvis em ember emerald emery emir end endo
engel england english enter epic era eros ester eternity eve ever every evil ex exe fae faith fall
fan far faro farm farmer fast fay fee fern ferry few fi field fields figure file fin finch find
fine finger finn fire first fish fisher fit fix flame flank flash flat fleck fleet flint flora
florence florida flower flowers fly fold foley font ford force forest forge fork forster fort
fortune foster found fountain fox frame france francisco frank franks freddy free freedom freeman
french fresh friend frost fry fu full fuller fund fur future gage gain gaines gala gale gamble game
gap garden gardener gardner garland garner garnet gas gate gates gauge gay gem gene general genesis
genet gentle george georgia german gift gil gill ginger give glad glass glen glenn glide glory go
gold golden good gong goodman goose gordon gore gough grace gracia grade graham grain grand granger
grant graph grass grave graves gray grease great greek green greene greet grey grid griff grim
gross ground group grove guard guerra guide guido gul gum gun guy ha hack hacker hail hale hall
halo ham hammer hamp han hancock hand handy hang hank happy hara hard harden harder hardware harm
harmony harp hart harvest hash hat haven hawk hay hays haze hazel head heads heal heard heart heath
heather heaven heavy heck hedge heel heil held hell hello helm help hen her herb herbert here hero
heron herr hers hey hi hickory hidden high hill hills hints hip hire his hit ho hoff hog hold
holder hole holiday holland hollow holly holm holt home homer honey honor honour hood hook hoop hop
hope hopper horizon horn hornet horse host hot hour house houston how hu hub hue hug huff hull hum
hunt hunter hurt hut i ice ida idol ike im image ina inc india indigo inn ion ira iris iron isa
island it item iva ivory ivy jack jackson jade jam jan january jar jasmine java jay jean jeans
jersey jess jet jewel jo jockey join joker jordan josh journey joy judge july jump june jung jungle
junior juniper just justice kai kali kappa karma kay keen keep keeper kelvin ken kent kenya kern
kernel key keys kid kiel kim kin kind king kings kip kirby kiss kit kite kitty knight knob knock
knoll know ko koch koi kong koran la lab lac lace lad lady lai lake lamb lambda lambert lamp lan
lance land lane lang lara large lark laser last lat latin latter latte laurel law lawn lawson layer
le lea leaf lean leander learn lee left legend lei lemon len lens lent leon les less let leu level
levy lex lexus li liberty libra lie life lift light lilac lily lima lime lin lincoln lind line ling
link lion list lister little liu live loc lock lodge loft log logan logo loin lois london long look
lord lore lorry los lot lotus lou loud love lovely low lowe lua luck lucky luna lunch lung lux
lynch lynx lyon lyric ma mac macdonald mace mach mack macon madison madrid mae magic magna mai maid
mail main major make male mali mall malo malone malt malta mambo man mance mandarin mandy mane
mango manila mann manning manner manning maple mar mara marble march marco margin marine marino
mark marker market marks mars marsh marshall mart martin marvel marx mask mason mass masse massey
master mat match mate mateo matrix matt matter mature maverick max may maya mayo mayor me mead
meadow meadows med media medina mei mel melody melon mer mercedes mercer merchant mercury mercy
meric merit merle merry mesa mess mete meter mica mickey mid milan mile miles mill miller mills
milo min mina mind mindy mine ming mini mink mint minor minute mira miracle miranda miss mist misty
mit mix mo mobile moby mod mode modem mol mole molly moment mona monday monk monkey monroe monte
montana month monty moody moon moor moore mora more morning moro morris morrow morse moses moss
mote moth mother motion motto mount mouse mundo muse music my myra myth na nach nadel nadir nail
nan nana nash nasa native nature naval navarre nave navy neal near neat neck need nelson neo nero
nest net neu never neville new newcomer newman newport newton next ng nice nick nickel night nile
nim nip nix no noble noel nolan noon nor nord norm normal norman north norton norway not note nova
novel now noyes null number nun nut oak oasis ocean octet octopus odd ode odin off office oh oil ok
ola old olden olga olive olympia om omega on one onion only onyx opal open opera oracle orange orca
orchid order oren org orient orion oscar ost otter otto our out oval over owen owens owl own ox
oxford pace pack packer packet pad padding page pages pain paine paint pair palace palm palmer pam
pan panda pane pang panic pansy paper par paradise parent parents paris park parker parks parrot
part parts pascal pass past pasta pastor pat patch path patience patrick patton pause pay payne paz
peace peach peak pear pearl pearls pebble peck peer peg pen pence penguin penny people pepper per
perch percy perl perry pet peter petty phoenix photo pi pia piano pick pie pier pierce pike pilar
pilot pim pin pine ping pink pioneer pip pipe piper pit pitch pitt place plain plan planet plank
plant plato play plaza plum plummer po poe poet pointer point pole poli politic polk pollock polly
pond pons pony pool poole poor pop pope poplar poppy porch port porta porter portia post pot potter
pound pour powder powell power powers pratt pray precious pres present president press preston
pretty price pride priest prime prince princess print prior prize prob pro profit proof proper
props proud prudence ptr pub puck puma pump punch pure purple push put quality quarry quarter queen
quest quick quill quince quinn quit quota rabbit race rad radio radius rage rai rail rain rainbow
raise raj rake rally ram ramble ran ranch range ranger rank rapid rare rat rate rath ratio raven
ray rays raw reach read reader ready real ream reba rebel rebus record red reed reef reese reich
reid reign rein rem rena rene rent rest rey reyes rhea rhodes rhythm rib rice rich richmond rick
ridge riding rig right riley ring rio rip ripple rise rita river rivera rivers road roam roar rob
robe robin rochester rock rocket rocks rocky rod rode rogue roland role roll roma roman romance
rome romeo romero roof rook room root rooter rope rory rosa rosario rose rosemary ross rot rouge
rough round rouse route rover row rowan rowe roy royal ru rub ruby rudder rue rug rule run rune
rush rust rustic rusty rut ruth sable sac sack sad saddle sade safari safe saga sage sahara said
sail saint sal sale sales salem sally salmon salt salvador sam samara same sample samson san sana
sand sander sanders sandy sans santa santana santiago santo santos sap sapphire sari sass sat satin
saturday sauce saunders sav savage savanna savannah save saw sawyer say scale scarlet scott scout
sea seal sean search sears season seat sec see seed seek seeker seen self sell sellers sen senior
sense sentinel sept sequoia serena seth set settle seven sex seymour shade shadow shah shane shaw
she shea shed sheen sheet shell shelly shepherd shi shield shift shin shine ship shirley shop shore
short shot show shy sid side sierra sigma sign signor silk silver sim simple sims sin sing singer
single sink sir sis sit site six size skin skinner skip skipper sky skye slate slater slide slim
slip sloan slot slow small smart smile smiley smith smoke smooth snap snow snowy so soap social
sofia soft sol solar solid solo solomon some son song songs sonny soon sophia sora sorry sort soto
soul sound south souza sox spa space spade spain spark sparks spear special speed spell spence
spice spider spike spin spirit spring springer spruce spur square squire st sta stack staff
stafford stage stain stair stalker stamp stan stand standard stanford stanley star stark stars
start state stay steady steam steel steele stein stem step sterling stern stevia stew steward
stewart stick still sting stock stocks stoker stone stones stop storm story stove strand strange
stream street strict strike string strong stuart stuck study sue sugar sum summer summers sun
sunday sung sunny sunrise sup super sur surf surface surge sutton swan sweat sweet swift swing
sword sycamore sydney symphony ta tab table tai tail tailor take tale talent tall tam tame tan tang
tango tank tanner tap tape tar tart tas task tat tate tax taylor te tea teacher team tech ted tee
teller temp tempest temple ten terra terry test texas thai than that the theme them then thor thorn
thorne three thrush thunder ti tia tic tide tie tien tiger till time times tin ting tiny tip to
toad toby toe tome ton toni too tool top topaz tor torch torres tory toss total toto tou touch tow
tower town townsend toy trace tracer tracey tracy trade trail train tran trap travel travis tray
treasure tree trent tribe trice trick trinity trip trish triton troy truck true trust truth try tu
tube tucker tulip tully tune turbo turk turkey turn turner turquoise tweed twin ty tyler type ude
ulm um uma union unit unity up upton ur urban us use usher val vale valencia valentine valley van
vance vanilla vase vat vega veil vela vella velvet venice venture ventura venus vera verde vernon
verse very vest vic vice victor victoria victory vida vidal vie viel view villa village vin vina
vine vinci vino vinyl viola violet virgin virginia virgo virtue vision vista viva vivid vo voice
vol volk volt von vos vote voyage vu wade wage wagner wait wake wald wales walk walker wall wallace
wallet walls walnut walsh walt wan wang want war ward ware warm warner warren warrior was wash
washington watch water waters watt watts wave way wayne we weaver web webb webber weber webster wed
wedge weed week weeks wei weil weiss welcome well wells welsh wen went werner wert wesley west
western wharf wheat wheel wheeler when whistler white whitman whitney who whole wick wie wild
wilder wilder will willow wills win wind window wine wing wings winner winter winters wire wisdom
wise wish wit with witt wo wolf wolfe woman wonder wong woo wood woods woody wool word words work
workman works world worm worth worthy wren wright xi ya yam yang yard yarn yates ye year yellow yen
yes yet yi yo yoga york you young your yu yule yuri zen zeta zinc zip zone zulu abend acker adel
alba amt arzt auge bach bär bauer baum berg blick bock boden braun brot bruder brunnen burg busch
ende engel ernst falk fall feld fest feuer fisch fleisch form frank freund frisch frost fuchs fürst
gans garten gast gern glück gott grab graf groß grün gut haas hahn hals hart haus heil heim held
hell herbst herr herz hirsch hoch hof holz horn huhn jahn jung kaiser kamm kern klein kluge koch
könig kraft kraus kreuz krieg krone kuh kühn kunst kurz lang laub leicht link linke licht löwe
lustig mann markt meer meister mond morgen mut nagel neu noll ost otto pfeffer pfeil post rabe rat
rau recht reich reif rein richter riese ring ritter rose roth ruf ruhm sand sauer schach schade
schäfer scharf schatz schenk scherer schild schloss schmidt schnee schneider schnell scholz schön
schreiber schulz schuster schütz schwarz see seidel sieg sommer sonne sonntag specht stadt stahl
star stark stein stern stock stolz storch strauß streit strom sturm süß tag tal tanz tau taube
teich thal thema tief tisch tod tor treu trommel tuch ulm vogel vogt volk voll wald weber weich
wein weise weiß wenig wenn wert wetter wiese wild will wind winter wirt wirth witz wolf wolke wort
wunder zahn zander zeit zeller ziegler ziel zimmer zorn zucker zweig ami an ange are avec barre bel
belle blanc bois bon bonne bonnet boucher boulanger brun camus carré cas chef chevalier clair
clément cloche coin colas cours cousin curé dame denis dent deux dieu don fleur fontaine force fort
four frère gaillard garde gens germain gras gros guerre haut hier homme jardin joly jour juste lac
large léger loi long loup lundi main maître mal marchand mardi marin martin masse maître mer mère
merle meunier midi mois mon monde mont mot moulin neuf noir nom nord nuit ours page pain paix pape
parent paris pas père petit peu pied pierre place plat pluie pont port porte pot premier prince
prix puits reine rey rien rivière robe roche roi rose rouge roux rue sage saison salle sel six soir
sol soleil son sort sous sud sur table tard temps terre tête tour toussaint tout travers trois
valet vallée vent ver vert vide vie vieux vigne ville vin vite vivre voisin voix vrai alba alma
amor ángel aparicio arce arroyo barrios blanco bravo bueno caballero cabello cabeza cada calle
calvo camino campo campos cano casa casas castillo cerro cielo conde consuelo corral cordero correa
costa crespo cruz cuesta cueva delgado día dios domingo duque era escudero esperanza estrella feliz
fiel flor flores franco fuente fuentes gallego gallo gloria gracia guerra guerrero hermoso herrero
hidalgo hierro hoyos iglesias izquierdo jardín jurado lago leal león linda llano lobo luna luz
macho madre maestro mar mayor medio mejor merino mesa milagros montaña monte montero montes moral
moreno moro nieto nieves niño nuevo ojeda oliva olivares oro palacios paloma palomo pan paredes
parra pastor patria paz pedraza peña perla pilar pino plata plaza prado prieto puente puerta real
redondo reina rey reyes río ríos rivera roca rojo román romero rosa rosales rosario rubio rueda
sala salas salvador santa santo santos seguro serrano sierra silva socorro sol soledad soler sordo
soto suerte tierra torre torres trigo trinidad valiente valle vega vela verano verde vida viejo
villa virgen alba amato ambrosio barone basile bella belli bello bene bianca bianco bravo bruno
caldo capo carbone cardinale caro casa chiara cielo conte costa costanza croce dolce donna due fede
felice fiore fontana forte franca franco fusco galli gallo gatti gentile gioia grande grassi grasso
greco grosso guerra leone lombardo longo luce luna lupo mancini mare marino massa mazza mezzo
milano moro mori natale neri nero notte nuovo oro pace padre palma parole pellegrino piano piazza
pino pisano poggio ponte primo prato ricci riccio riva rocca romano rosa rosso russo sala salvi
santa santo sera serena serra sole spina tedesco testa torre toscano uno uva vacca valente valle
vecchio vento vera verde vero villa vino vita vitale vittoria volpe zia lis mazur król baran duda
kania bak dudek zając wilk sobczak kos mały málo malý černý veselý tichý svoboda zima horák kral
král němec kučera kolář novák říha berg bo dag dahl eide eng even falk fast fri god hall hammer
haug helt holm holt hugo kiel lie liv lund mai malm moe nord rune sand skog stein strand ström tor
tove ulv vang ves vik vinter ås aras arslan aslan bahar baris can cem deniz dilek dogan doğan elif
ender gül güneş ihsan kaya murat nur özgür sahin savaş şahin şimşek sevgi toprak ümit yıldız
yıldırım aman amar ananda anil arya asha bala chandra das deepa deva durga gita hari indira jaya
kali kamal karma kiran kirti kumar lakshmi mala maya mina mohan nanda om prem raga raj raja ram
rani ravi rishi sandhya shah shanti sita soma soni sri surya uma usha veda vidya yoga hana haru
hikari kaze kei mai mana mari miki mori naru nori sakura sora taiyo taro toki yama yuki jin min sun
sung young eun ji so
"""
WORD_NAMES = frozenset(_WORD_NAMES.split())

# Words of places besides those of `places`: "Palo Alto" is no person.
_PLACE_WORDS = """
aberdeen adelaide albany alexandria asuncion athens aurora belfast benin bergen berlin bern bologna
bordeaux boston brisbane bristol burgos cadiz cairo cambridge cardiff carolina catania chelsea
chile colombo colombia cologne cordoba córdoba cremona cuba cuenca dakota delhi dublin durban
ferrara fiji frankfurt geneva genova ghana granada guadalupe hamburg hannover havana houston jaipur
jamaica kingston lancaster leeds leon león leonberg lima lincoln lisbon lourdes lucca lyon macao
malaga malta manchester manila marseille melbourne mexico milano monaco montreal moscow murcia
nairobi napoli nassau natal nevada norfolk oslo palermo parma pasadena perth pisa plymouth porto
potsdam regina reno rhodes riga rio roma salerno salamanca salem salisbury seville siena soria
stafford surrey tennessee toledo trento trieste tripoli turin valencia verona vienna wellington
wien winchester windsor worms york zamora zaragoza alabama alaska arizona arkansas california
carolina colorado connecticut delaware hawaii idaho illinois iowa kansas kentucky louisiana maine
maryland massachusetts michigan minnesota mississippi missouri nebraska hampshire jersey ohio
oklahoma oregon pennsylvania tennessee utah vermont wisconsin wyoming ontario quebec alberta
manitoba yukon queensland tasmania puerto albuquerque anaheim anchorage atlanta baltimore baton
bakersfield boise boulder brooklyn buffalo calgary canberra carson charlotte chattanooga cheyenne
chicago cincinnati cleveland columbia columbus dayton detroit dubai fargo fresno galveston honolulu
indianapolis jacksonville laredo las lexington lubbock memphis mesa miami milwaukee minneapolis
mobile montgomery nashville newark norfolk oakland omaha orlando palo alto philadelphia phoenix
pittsburgh raleigh richmond rouge sacramento scottsdale spokane springfield stockton tacoma tampa
topeka tucson tulsa vegas wichita manhattan bronx queens harlem hollywood nantes rennes reims
aachen augsburg bielefeld bochum braunschweig bremen chemnitz darmstadt dresden duisburg erfurt
freiburg halle jena karlsruhe kassel koblenz krefeld leipzig mainz mannheim münster nürnberg
osnabrück potsdam regensburg rostock saarbrücken stuttgart wiesbaden wuppertal würzburg linz graz
innsbruck salzburg luzern lausanne winterthur antwerpen antwerp brugge bruges gent rotterdam
utrecht eindhoven groningen tilburg haarlem leiden aberdeen belfast birmingham blackpool
bournemouth bradford brighton canterbury coventry derby exeter hull ipswich leicester luton
newcastle northampton norwich nottingham portsmouth reading sheffield southampton stoke sunderland
swansea wolverhampton cork galway limerick dundee inverness alicante bilbao gijón málaga palma
sevilla valladolid vigo zaragoza aveiro braga coimbra faro funchal bari brescia cagliari firenze
genoa padova perugia pescara rimini venezia gdansk gdańsk katowice kraków lublin łódź poznań
szczecin warszawa wrocław brno ostrava plzeň bratislava debrecen szeged cluj timisoara iasi aarhus
odense aalborg malmö göteborg uppsala trondheim stavanger tampere turku espoo tartu kaunas riga
minsk kharkiv odessa lviv kazan novosibirsk yekaterinburg baku tbilisi yerevan ankara izmir antalya
bursa adana beirut amman damascus baghdad riyadh jeddah mecca medina muscat manama sanaa kabul
lahore karachi islamabad dhaka chittagong colombo kathmandu bangalore bengaluru hyderabad chennai
kolkata pune surat lucknow kanpur nagpur indore bhopal patna vadodara jaipur kochi goa yangon phnom
penh hanoi saigon chiang jakarta surabaya bandung bali cebu davao taipei kaohsiung hong kong macau
guangzhou shenzhen chengdu wuhan tianjin nanjing hangzhou xian chongqing osaka nagoya sapporo
fukuoka kobe kyoto yokohama hiroshima seoul busan incheon daegu sydney melbourne brisbane perth
darwin hobart auckland christchurch dunedin nairobi mombasa kampala kigali lusaka harare pretoria
johannesburg soweto maputo luanda kinshasa lagos abuja ibadan accra kumasi dakar bamako abidjan
tunis algiers rabat casablanca marrakech fez khartoum addis ababa mogadishu antananarivo bogotá
medellín cali barranquilla caracas maracaibo quito guayaquil lima cusco arequipa paz cochabamba
santiago valparaíso concepción buenos aires rosario mendoza córdoba montevideo asunción brasília
janeiro salvador fortaleza recife belém manaus curitiba porto alegre guadalajara monterrey tijuana
cancún puebla mérida oaxaca havana kingston nassau afghanistan albania andorra angola antigua
armenia azerbaijan bahamas bahrain barbados belize bhutan bosnia herzegovina botswana brunei
burkina faso burundi cambodia cameroon cape verde chad comoros congo costa rica ivory djibouti
dominica dominican republic salvador guinea eritrea eswatini gabon gambia grenada guatemala guyana
haiti honduras iraq jordan kiribati kosovo kyrgyzstan laos lesotho liberia libya liechtenstein
madagascar malawi maldives mali marshall mauritania mauritius micronesia monaco mongolia montenegro
mozambique myanmar namibia nauru nicaragua niger oman palau palestine papua paraguay rwanda samoa
tomé seychelles sierra leone solomon somalia sudan suriname syria tajikistan togo tonga trinidad
tobago turkmenistan tuvalu emirates uzbekistan vanuatu vatican yemen zambia zimbabwe deutschland
österreich schweiz frankreich italien spanien england britain kingdom america americas états unis
españa italia francia alemania allemagne espagne nederland belgië belgique polska aegean adriatic
alps andes himalaya sahara amazon danube rhine thames seine nile mississippi everest pyrenees
balkans caucasus siberia scandinavia iberia anatolia crimea kurdistan catalonia andalusia bavaria
saxony tuscany sicily sardinia corsica brittany normandy provence alsace flanders wallonia lombardy
piedmont galicia asturias yorkshire cornwall devon essex kent sussex surrey wales scotland ireland
ulster silicon
"""
PLACE_WORDS = frozenset(_PLACE_WORDS.split())
