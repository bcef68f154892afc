# ruff: noqa: RUF001 - letters of other languages
"""Last names that are common in many countries. Pure, not complete.

A name that is also a common word or a place is in `common_names` as well: alone it is no evidence.
"""

_ENGLISH = """
abbott acosta adams adkins aguilar aguirre ahmed alexander allen allison alvarado alvarez anderson
andrews anthony archer armstrong arnold ashton atkins atkinson austin avery ayala bailey baird
baker baldwin ball ballard banks barber barker barlow barnes barnett barr barrera barrett barron
barry bartlett barton bass bates bauer baxter beard beasley beck becker bell beltran bender benitez
benjamin bennett benson bentley benton berg berger bernard berry best bird bishop black blackburn
blackwell blair blake blanchard blevins bolton bond bonilla booker boone booth bowen bowers bowman
boyd boyer boyle bradford bradley bradshaw brady branch brandt bray brennan brewer bridges briggs
bright britt brock brooks brown browning bruce bryan bryant buchanan buck buckley bullock burch
burgess burke burnett burns burton bush butler byrd byrne cabrera cain calderon caldwell calhoun
callahan camacho cameron campbell campos cannon cantrell cantu cardenas carey carlson carney
carpenter carr carrillo carroll carson carter carver case casey cash castaneda castillo castro
cervantes chambers chan chandler chaney chang chapman charles chase chavez chen cherry christensen
christian church clark clarke clay clayton clements cline cobb cochran cohen cole coleman collier
collins colon combs compton conley conner connolly conrad contreras conway cook cooke cooper
copeland cordova corrigan cortez costa cote cowan cox craig crane crawford crosby cross cruz
cummings cunningham curry curtis dalton daniel daniels daugherty davenport david davidson davies
davis dawson day dean decker delacruz deleon delgado dennis diaz dickerson dickson dillon dixon
dodson dominguez donaldson donovan dorsey dougherty douglas downs doyle drake dudley duffy duke
duncan dunlap dunn duran durham dyer eaton edwards elliott ellis ellison emerson england english
erickson espinosa espinoza estes estrada evans everett ewing farley farmer farrell faulkner
ferguson fernandez ferrell fields figueroa finch finley fischer fisher fitzgerald fitzpatrick
fleming fletcher flores flowers floyd flynn foley forbes ford foreman foster fowler fox francis
franco frank franklin franks frazier frederick freeman french frost fry frye fuentes fuller fulton
gaines gallagher gallegos galloway gamble garcia gardner garner garrett garrison garza gates gay
gentry george gibbs gibson gilbert giles gill gillespie gilliam gilmore glass glenn glover golden
gomez gonzales gonzalez good goodman goodwin gordon gould graham grant graves gray green greene
greer gregory griffin griffith grimes gross guerra guerrero guthrie gutierrez guy guzman hahn hale
haley hall hamilton hammond hampton hancock hanna hansen hanson hardin harding hardy harmon harper
harrell harrington harris harrison hart hartman harvey hatfield hawkins hayden hayes haynes hays
heath hebert henderson hendricks hendrix henry hensley henson herman hernandez herrera herring hess
hester hewitt hickman hicks higgins hill hines hinton hobbs hodge hodges hoffman hogan holcomb
holden holder holland holloway holman holmes holt hood hooper hoover hopkins hopper horn horne
horton house houston howard howe howell hubbard huber hudson huff huffman hughes hull humphrey hunt
hunter hurley hurst hutchinson huynh ibarra ingram irwin jackson jacobs jacobson james jarvis
jefferson jenkins jennings jensen jimenez johns johnson johnston jones jordan joseph joyce joyner
juarez justice kane kaufman keith keller kelley kelly kemp kennedy kent kerr key kidd kim king
kinney kirby kirk kirkland klein kline knapp knight knowles knox koch kramer lamb lambert lancaster
landry lane lang langley lara larsen larson lawrence lawson le leach leblanc lee leon leonard
lester levine levy lewis lindsay lindsey little livingston lloyd logan long lopez lott love lowe
lowery lucas luna lynch lynn lyons macdonald macias mack madden maddox maldonado malone mann
manning marks marquez marsh marshall martin martinez mason massey mathews mathis matthews maxwell
may mayer maynard mayo mays mcbride mccall mccarthy mccarty mcclain mcclure mcconnell mccormick
mccoy mccray mccullough mcdaniel mcdonald mcdowell mcfadden mcfarland mcgee mcgowan mcguire
mcintosh mcintyre mckay mckee mckenzie mckinney mcknight mclaughlin mclean mcleod mcmahon mcmillan
mcneil mcpherson meadows medina mejia melendez melton mendez mendoza mercado mercer merrill merritt
meyer meyers michael middleton miles miller mills miranda mitchell molina monroe montgomery montoya
moody moon mooney moore morales moran moreno morgan morin morris morrison morrow morse morton moses
mosley moss mueller mullen mullins munoz murphy murray myers nash navarro neal nelson newman newton
nguyen nichols nicholson nielsen nieves nixon noble noel nolan norman norris norton nunez obrien
o'brien ochoa oconnor o'connor odom odonnell o'donnell o'hara o'neal oliver olsen olson oneal
o'neil oneill o'neill o'reilly o'sullivan orr ortega ortiz osborn osborne owen owens pace pacheco
padilla page palmer park parker parks parrish parsons pate patel patrick patterson patton paul
payne pearson peck pena pennington perez perkins perry peters petersen peterson petty phelps
phillips pickett pierce pittman pitts pollard poole pope porter potter potts powell powers pratt
preston price prince pruitt puckett pugh quinn ramirez ramos ramsey randall randolph rasmussen
ratliff ray raymond reed reese reeves reid reilly reyes reynolds rhodes rice rich richard richards
richardson richmond riddle riggs riley rios rivas rivera rivers roach robbins roberson roberts
robertson robinson robles rocha rodgers rodriquez rodriguez rogers rojas rollins roman romero rosa
rosales rosario rose ross roth rowe rowland roy ruiz rush russell russo rutledge ryan salas salazar
salinas sampson sanchez sanders sandoval sanford santana santiago santos sargent saunders savage
sawyer schmidt schneider schroeder schultz schwartz scott sears sellers serrano sexton shaffer
shannon sharp sharpe shaw shelton shepard shepherd sheppard sherman shields short silva simmons
simon simpson sims singleton skinner slater sloan small smith snider snow snyder solis solomon sosa
soto sparks spears spence spencer stafford stanley stanton stark steele stein stephens stephenson
stevens stevenson stewart stokes stone stout strickland strong stuart suarez sullivan summers
sutton swanson sweeney sweet sykes talley tanner tate taylor terrell terry thomas thompson thornton
tillman todd torres townsend tran travis trevino trujillo tucker turner tyler tyson underwood
valdez valencia valentine valenzuela vance vang vargas vasquez vaughan vaughn vazquez vega
velasquez velez villarreal vincent vinson wade wagner walker wall wallace waller walls walsh walter
walters walton ward ware warner warren washington waters watkins watson watts weaver webb weber
webster weeks weiss welch wells west wheeler whitaker white whitehead whitfield whitley whitney
wiggins wilcox wilder wiley wilkerson wilkins wilkinson william williams williamson willis wilson
winters wise witt wolf wolfe wong wood woodard woods woodward wooten workman wright wyatt wynn yang
yates york young zamora zimmerman akhtar ali allan ashworth barclay bannister barrowman beckett
begum bhatt birch blackwood bradbury broadhurst brookes burrows byers carmichael chadwick chowdhury
connell coombes cropper cullen dalgleish davey devlin doherty donnelly dunne durrant eccles
fairclough farrow faulds fenton finlay firth fraser galbraith garside gilmour goddard goodall gough
gourlay greenwood grieve hargreaves haworth heaton hepburn herbert heywood higginson hirst hislop
holden hussain iqbal islam jamieson jeffries jepson kavanagh kaur keane kearney kendall khan
kirkpatrick lacey laidlaw laird leigh lennon lister lockwood macaulay mackay mackenzie mackie
maclean macleod macmillan macpherson mahmood malik mccabe mccallum mccann mcculloch mcewan mcgrath
mcgregor mckenna mckinlay mcmanus mcnally mcqueen mcrae meredith miah middlemiss milne mohamed
molloy moriarty muir munro murdoch murphy naylor newell nicol noonan nuttall o'callaghan o'dowd
o'keeffe o'leary o'mahony o'malley o'rourke o'shea o'toole ogden oldfield paisley parkinson
pickering pilkington pollock prescott pritchard quigley rafferty rashid ratcliffe redmond rigby
rimmer robson roche ruddock rutherford sadler saleh scanlon seddon shearer sheikh sheridan siddall
sinclair singh slattery smyth somerville spooner stirling stubbs sutcliffe sutherland swift tait
thistlethwaite thorne thornley tierney tinsley tolley turnbull uddin underhill urquhart vickers
waddington wainwright walmsley wardle waterhouse weatherby weir whelan whitehouse whittaker
whitworth wilcock winstanley winterbottom wolstenholme worthington wyllie yeates abernathy
altenwerth ankunding armstead aufderhar bahringer bartell bashirian batz baumbach bayer bechtelar
bednar beahan beier bergnaum bergstrom bernier bins blanda blick block bode bogan bogisich borer
bosco botsford boyle breitenberg brekke brakus bruen buckridge cartwright casper champlin
christiansen conn connelly considine corkery cormier corwin cremin crist crona cronin crooks
cruickshank cummerata dach dare davis denesik dibbert dickens dickinson dicki dietrich dooley
douglas dubuque durgan ebert effertz emard emmerich erdman ernser fadel fahey farrell fay feeney
feest feil ferry flatley frami franecki friesen fritsch funk gaylord gerhold gerlach gibson
gislason gleason gleichner glover goldner gorczany gottlieb goyette grady grimes gulgowski
gusikowski gutkowski gutmann haag hackett hagenes hahn haley halvorson hamill hammes hane hansen
harber harvey hartmann hauck hayes heaney heathcote hegmann heidenreich heller herman hermann
hermiston herzog hessel hettinger hickle hilll hilpert hintz hirthe hodkiewicz hoeger homenick
hoppe howell hudson huel hyatt jacobi jakubowski jaskolski jast jenkins jerde johns kassulke
kautzer keebler keeling kemmer kerluke kertzmann kessler kiehn kihn kilback klocko koelpin koepp
kohler konopelski koss kovacek kozey krajcik kreiger kris kshlerin kub kuhic kuhlman kuhn kulas
kunde kunze kuphal kutch kuvalis labadie lakin lang langosh langworth larkin leannon ledner leffler
legros lehner lemke lesch leuschke lind lindgren littel lockman lowe lubowitz lueilwitz luettgen
lynch macejkovic maggio mante marquardt marvin mayert mcclure mccullough mcdermott mclaughlin
medhurst mertz metz miller mitchell moen mohr monahan morar morissette mosciski mraz murazik nader
nicolas nienow nikolaus nitzsche nolan oberbrunner okuneva olson ondricka orn ortiz osinski pacocha
padberg pagac parisian parker paucek pfannerstill pfeffer pollich pouros powlowski predovic price
prohaska prosacco purdy quigley quitzon rath ratke rau raynor reichel reichert reilly reinger
rempel renner reynolds rippin ritchie robel rodriguez rogahn rohan rolfson romaguera roob rosenbaum
rowe ruecker runolfsdottir runolfsson runte rutherford sanford satterfield sauer schaden schaefer
schamberger schiller schimmel schinner schmeler schmitt schoen schowalter schroeder schulist schumm
schuppe schuster senger shanahan shields sipes skiles smitham spencer spinka sporer stamm stanton
stark stehr steuber stiedemann stokes stoltenberg stracke streich stroman strosin swaniawski swift
terry thiel tillman torp torphy towne toy trantow tremblay treutel tromp turcotte ullrich upton
vandervort veum volkman von vonrueden waelchi walsh walter wehner weimann weissnat welch west
wiegand wilderman wilkinson will windler wintheiser wisoky wisozk witting wiza wolff wuckert wunsch
wyman yost yundt zboncak zemlak ziemann zieme zulauf
"""
_GERMAN_DUTCH = """
ackermann albrecht arnold bachmann bauer baumann baumgartner beck becker beier berger bergmann
bernhardt bertram binder blum böhm bock brandt braun breuer brinkmann brockmann brunner buchholz
busch bühler christ decker dietrich dittrich döring dörfler ebert eder eberhardt eckert egger engel
erhardt ernst esser fahrenkrug falk feldmann fiedler fink fischer fleischer forster frank franke
freund friedrich fritz fröhlich fuchs fuhrmann funke gabriel gebauer gehrke geiger gerber gerlach
giese gruber graf greiner groß grunwald günther haag haas hagen hahn hamann hansen hartmann haupt
hauser heck heil hein heinrich heinze held heller hempel hennig henke herbst hermann herrmann
herzog hess hesse hildebrandt hinz hirsch hoch hofer hoffmann hofmann hofstetter holz horn huber
hübner jacob jacobs jäger jahn jansen janssen john jordan jung junker kaiser karl kaufmann keil
keller kern kessler kirchner klein klemm kluge knoll koch köhler kolb könig konrad körner kowalski
kraft kramer kraus krause krebs kretschmer kröger krüger kruse kuhn kühn kühne kunz kurz lang lange
langer lechner lehmann lenz lindner linke link lorenz löffler ludwig lutz maier marquardt martens
marx mayer mayr meier meister menzel merkel merz meyer meißner michel möller moser mohr moritz
müller münch nagel naumann neubauer neumann nickel noack nowak oswald ott otto paul pape peter
peters petersen pfeffer pfeifer pfeiffer philipp pichler pohl preuß probst raab rapp rau reich
reichel reichert reinhardt reuter richter riedel rieger ritter römer rösch rose roth rudolph ruf
ruppert sander sauer schade schäfer schaller scharf scheffler schenk scherer schiller schilling
schindler schlegel schlüter schmid schmidt schmitt schmitz schneider schnell scholz schön schrader
schramm schreiber schreiner schröder schroeder schröter schubert schuhmacher schulte schultz schulz
schulze schumacher schumann schuster schütte schütz schwab schwarz schweizer schwarzer seidel
seifert seitz siebert siegel simon sommer sonntag specht springer stadler stahl stein steiner
steinbach stephan stock stolz straub strauß stumpf sturm thiel thiele thomas ullrich ulrich unger
urban vetter vogel vogt voigt volk vollmer voss wagner walter walther weber wegner weidner weigel
weiß weise wendt wenzel werner westphal wiedemann wiese wieland wilhelm wilke will wimmer winkler
winter wirth witte wittmann wolf wolff wolter wulf wunderlich zander zeller ziegler zimmer
zimmermann zöller aalbers bakker beekman bergsma blom boer bos bosch bosman brouwer brugman bruijn
claes dekker dijk dijkstra driessen evers gerritsen goossens groen haan heijden hendriks hermans
heuvel hoekstra hofman hoekema huisman jacobs janssens jansen jonker kok koning kooij koster kramer
kuiper kuipers kuijpers linden lammers loon maas maes martens meer meijer mertens meulen molenaar
mulder nijhof nijland oosterhout peeters pieters ploeg postma post prins raaijmakers rietveld roos
rutten sanders schouten schipper scholten sluis smeets smit smits stam timmermans veen veenstra
veldhuis verbeek verbruggen verhagen verhoeven vermeer vermeulen verschuren vink visser vliet vos
vries vroom wal wiersma wijk willems willemsen wit witteveen wouters zijlstra zwart
"""
_ROMANCE = """
adam albert allard alves andre andré antoine arnaud aubert aubry auger bailly barbier baron barre
barthelemy benard benoit bernard berthelot bertin bertrand besnard besson bigot blanc blanchard
blanchet blondel bonnet bouchard boucher bouchet boulanger bourdon bourgeois boutin bouvier boyer
breton brun brunet buisson camus carlier caron carpentier carre charles charpentier chauvin
chevalier chevallier clement clerc colas colin collet cordier coste cousin couturier daniel david
delage delahaye delannoy delattre delaunay delmas denis deschamps devaux didier dubois duboisson
dufour dumas dumont dupont dupuis dupuy durand duval etienne fabre faure fernandez ferrand fleury
fontaine fournier francois gaillard garnier gaudin gauthier gautier georges gerard germain gilbert
gillet girard giraud gonzalez grégoire grondin gros guerin guichard guilbert guillaume guillet
guillot guyot hamon hardy hebert henry herve hoarau hubert huet humbert imbert jacob jacquet
jacques jacquot jean joly joseph julien klein lacombe lacroix lagarde lambert lamy langlois laroche
launay laurent le leblanc lebon lebreton lebrun leclerc leclercq lecomte leconte lecoq ledoux leduc
lefebvre lefèvre lefort leger legrand legros lejeune lelievre lemaire lemaitre lemoine lemonnier
leroux leroy lesage letellier leveque levy lopez louis lucas mace mahe maillard maillet mallet
marchal marchand maréchal marechal marie marion martel martin martineau martinez martins marty
masse masson mathieu maurice maury menard mercier merle meunier meyer michaud michel millet monnier
moreau morel morin morvan moulin muller navarro neveu nguyen nicolas noel olivier ollivier pages
paris parent pascal pasquier paul payet pelletier pereira perez peron perret perrier perrin perrot
petit petitjean philippe picard pichon pierre poirier pons potier poulain prevost raymond raynaud
regnier remy renard renault renaud rey reynaud ribeiro richard riviere rivière robert robin roche
rodrigues roger rolland rossi rousseau roussel roussillon roux roy royer sabatier salmon sanchez
sauvage schmitt seguin simon tanguy tessier thibault thierry thomas toussaint traore tremblay
vaillant valentin valette vallée vasseur verdier vidal vincent voisin wagner weber abad acuña
aguilera aguirre alarcón alcaraz alfaro alonso alvarado álvarez aparicio aragón aranda arias arce
arroyo avila ávila ayala ballesteros barragán barrios bautista beltrán benavides benítez bermúdez
bernal blanco blázquez bravo bueno bustamante caballero cabello cabrera cáceres calderón calvo
camacho campos cano cárdenas carmona carrasco carrera carrillo carvajal casas castaño castellanos
castillo castro cervantes chacón collado conde contreras cordero córdoba correa cortés cortes
crespo cuesta cuevas delgado díaz diez domínguez duarte durán echeverría enríquez escobar escudero
espinosa esteban esteve estrada expósito fernández ferrer figueroa flores fuentes gallardo gallego
gálvez garcía garrido garza gil giménez gimeno gómez gonzález gracia granados guerra guerrero
guillén gutiérrez guzmán heredia hernández hernando herrera herrero hidalgo hurtado ibáñez iglesias
izquierdo jiménez juárez jurado lara leal león lópez lorenzo losada lozano lucas luna luque macías
maldonado manzano marcos marín márquez martí martín martínez mateo mateos maya medina mejía melgar
méndez mendoza menéndez merino mesa miguel millán miranda molina montero montes montoya mora
morales moreno moya muñoz murillo nájera navarro navas nieto núñez ocampo ochoa ojeda olivares
oliva orozco ortega ortiz osorio otero pacheco padilla palacios palomo paredes parra pascual pastor
paz pedraza peláez peña peralta perea pérez pineda pinto plaza ponce porras prado prieto puig
pulido quesada quintana quintero quiroga ramírez ramos redondo rendón rey reyes ribera ríos rivas
rivera rivero robles roca rocha rodríguez rojas román romero romo rosales rosario rubio rueda ruiz
saavedra sáez salas salazar salcedo saldaña salgado salinas sánchez sandoval santamaría santana
santiago santos sanz segovia segura sepúlveda serra serrano sierra silva simón soler solís soria
soriano sosa soto suárez tapia tejada téllez toledo torre torres trejo trujillo uribe urrutia
valdés valencia valenzuela valero vallejo varela vargas vázquez vásquez vega vela velasco velázquez
velez vélez vera vicente vidal vila villa villalobos villanueva villar villegas yáñez zamora zapata
zavala zúñiga abate accardi agostini albanese amato ambrosio amoroso angelini antonelli arcuri
baldini barbieri barone basile battaglia bellini benedetti beneventi bernardi bertolini bianchi
bianco bonetti bruni bruno calabrese calabresi capelli caputo carbone cardinale carlini carraro
caruso castelli cattaneo cavalli ceccarelli cirillo coletti colombo conte conti coppola corradi
costa costantini cremonesi d'amico d'angelo damico de'luca deluca di donati esposito fabbri falcone
farina fallaci fanucci ferrara ferrari ferraro ferretti ferri fiore fiorentino fontana forte
franchi franco fusco galli gallo garofalo gatti genovese gentile giordano giorgi giuliani grassi
greco grimaldi grasso guerra guidi iannone iacovelli innocenti lamberti leone li-causi lo-duca
lombardi lombardo longo lorenzi lucchese lucciano madonia maggi mancini manfredi manna marchesi
marchetti mariani marini marino marra martinelli martini martino mazza mazzanti mazzi melis messina
milani milano montanari monti morelli moretti mori morandi moroni napolitano negri neri nicoletti
orlando pace padovano padovesi palermo palmieri palumbo panicucci parisi pellegrini pellegrino pepe
piazza piccio pinto pirozzi pisani pisano poli pugliesi ricci ricciardi rinaldi riva rizzi rizzo
romani romano rossetti rossi rosso ruggeri ruggiero russo sala salvi sanna santini santoro sartori
schiavone serra silvestri sorrentino spina tedesco testa toscani toscano trentini trevisan
trevisani udinesi valente valentini ventura venturi villa vitale vitali zanella zetticci zito abreu
aguiar albuquerque almeida alves amaral amorim andrade antunes araújo araujo arruda assis azevedo
barbosa barreto barros batista bezerra borges braga brandão brito cabral caldeira camargo campos
cardoso carneiro carvalho castro cavalcante cavalcanti coelho cordeiro correia costa coutinho couto
cunha dias diniz duarte esteves faria farias fernandes ferreira figueiredo fonseca franco freitas
furtado garcia gomes gonçalves goncalves goulart guedes guerreiro guimarães henriques leal leite
lima lopes lourenço macedo machado magalhães maia marinho marques martins matos medeiros melo
mendes mendonça menezes miranda monteiro moraes morais moreira mota moura nascimento neves nobre
nogueira nunes oliveira pacheco paiva pereira pinheiro pinho pinto pires queirós ramalho ramos
rebelo rego reis ribeiro rocha rodrigues sales salgado sampaio santana santos saraiva silva
silveira simões soares sousa souza tavares teixeira teles torres valente vasconcelos vaz viana
vicente vieira vilela xavier
"""
_NORTH_EAST = """
aaltonen abrahamsson ahlberg ahonen albrektsen amundsen andersen andersson andreassen anttila
arnesen aronsson arvidsson axelsen axelsson bakke bakken bang bech bengtsson berg berge berggren
berglund bergman bergström birkeland bjerke björk blomqvist bondesen bredesen brekke bruun bøe
carlsen carlsson christensen christiansen christoffersen clausen dahl dahlberg dahlgren dalgaard
danielsen danielsson davidsen davidsson edvardsen eide ek ekström eklund eliassen ellingsen eriksen
erikson eriksson falk fischer fosse fransson fredriksen fredriksson gulbrandsen gundersen
gunnarsson gustafsson gustavsson haaland hagen halvorsen hakala hämäläinen hammer hansen hansson
hanssen haugen hauge hedlund heikkilä heikkinen heino hellström helland henriksen henriksson
hermansen hermansson hjelm hoff holm holmberg holmgren holmqvist holst holt håkansson isaksen
isaksson iversen jacobsen jakobsen jakobsson jansson järvinen jensen jeppesen jespersen johannessen
johannesen johansen johansson johnsen johnsson jokinen jonassen jonasson jonsson josefsen josefsson
juhl jørgensen kallio karjalainen karlsen karlsson kinnunen kjeldsen kjær knudsen koivisto korhonen
koskinen kristensen kristiansen kristoffersen laaksonen laine larsen larsson lassen lauridsen
laursen lehtinen lehtonen leino lie lind lindberg lindell lindgren lindholm lindqvist lindström
lorentzen lund lundberg lundgren lundqvist lundström lunde madsen magnussen magnusson makinen
mäkelä mäkinen malm martinsen martinsson mathiesen mathisen mattila mattsson mikkelsen mikkola
moberg moe moen mogensen mortensen moller mølgaard møller mårtensson naess næss nielsen niemi
nieminen nikolaisen nilsen nilsson nissen norberg nordin nordström nurmi nyberg nygaard nygård
nyström nyman ojala olausson olesen olofsson olsen olsson opsahl overgaard palm paulsen pedersen
peltonen persson petersen petersson pettersen pettersson poulsen rantanen rasmussen ravn riis rinne
roland rønning rytter saarinen salminen salo salonen samuelsson sand sandberg sandvik savolainen
schou sihvonen simonsen sjöberg sjögren skov solberg solheim sommer sorensen steen stenberg strand
strøm strömberg sundberg sundström svendsen svensson syversen sæther sørensen söderberg tangen
thomassen thomsen thorsen thygesen toft toivonen tuominen turunen tveit vestergaard virtanen wallin
westerlund wiik wikström winther åberg åkesson åström ødegård östlund aradóttir björnsdóttir
einarsdóttir einarsson guðmundsdóttir guðmundsson gunnarsdóttir jónsdóttir jónsson kristjánsdóttir
magnúsdóttir ólafsdóttir sigurðardóttir sigurðsson þórðarson þorsteinsson adamczyk adamska adamski
andrzejewski bąk baran baranowska baranowski borkowski brzezińska brzeziński chmielewska
chmielewski cieślak czarnecka czarnecki czerwiński dąbrowska dąbrowski dobrowolski domański dudek
duda gajewski głowacki górska górski grabowska grabowski jabłońska jabłoński jakubowska jakubowski
jankowska jankowski jasiński jaworski kaczmarczyk kaczmarek kamińska kamiński kalinowska kalinowski
kania kaźmierczak kołodziej konieczny kowalczyk kowalewski kowalska kowalski kozłowska kozłowski
krajewski krawczyk król krupa kubiak kucharska kucharski kwiatkowska kwiatkowski lewandowska
lewandowski lis łuczak maciejewska maciejewski majewska majewski makowski malinowska malinowski
marciniak markowski mazur mazurek michalak michalska michalski mróz nowacki nowak nowakowska
nowakowski nowicka nowicki olszewska olszewski ostrowski pawlak pawłowska pawłowski piątek pietrzak
piotrowska piotrowski przybylska przybylski rutkowska rutkowski sadowska sadowski sawicka sawicki
sikora sikorski sobczak sokołowski stępień szczepaniak szczepański szewczyk szulc szymańska
szymański szymczak tomaszewska tomaszewski urbańska urbański walczak wasilewski wieczorek wilk
wiśniewska wiśniewski witkowska witkowski włodarczyk wojciechowska wojciechowski wójcik woźniak
wróbel wróblewski wysocki zając zakrzewski zalewska zalewski zawadzki zieliński zielińska
ziółkowski beneš bartoš blažek čech čermák černá černý doležal dostál dušek dvořák dvořáková fiala
hájek havlíček holub horák horáková hruška janda jelínek kadlec kolář konečný kopecký kovář kovařík
král kratochvíl kříž krejčí kučera kučerová malý mareš marek mašek matoušek moravec musil navrátil
němec němcová nguyen novák nováková novotná novotný pokorná pokorný polák pospíšil procházka
procházková říha růžička sedláček šimek sládek slavík šťastný štěpánek strnad svoboda svobodová
sýkora tichý urban vacek vaněk vávra veselá veselý vítek vlček vondra zelenka zeman antunović babić
barić bilić blažević bošnjak božić brkić đurić filipović grgić horvat ilić ivanković ivanović jakić
janković jovanović jukić jurić katić klarić knežević kolarić kos kovač kovačević kovačić krajnc
lončarić lovrić lukić marić marković martinović matić mihaljević milić mitrović mlakar nikolić
novak pavić pavlović perić perković peterlin petrović popović potočnik radić šarić savić simić
stojanović šimić tadić tomić vidović vuković vidmar zupan zupančič župančić balázs balogh barta
bíró bodnár bognár borbély deák fábián faragó farkas fazekas fehér fekete fodor gál gulyás hajdú
halász hegedűs horváth illés jakab jónás juhász katona kelemen kerekes király kis kiss kocsis
kovács lakatos lászló lengyel lukács magyar major máté mészáros molnár nagy nemes németh oláh orbán
orosz orsós pap papp pásztor péter pintér rácz sándor sárközi simon sipos somogyi soós szabó szalai
szekeres szilágyi szűcs szőke szücs takács tamás török tóth váradi varga végh veres vincze virág
vörös abramov aleksandrov alekseev alexeev andreev antonov artemiev avdeev baranov belov belyaev
bogdanov bondarenko borisov bykov chernov danilov denisov dmitriev dorofeev egorov efimov ermakov
ershov fedorov fedotov filatov filippov fomin frolov gavrilov gerasimov golubev gorbunov grigoriev
gusev ignatov ilyin isaev ivanov ivanova kalinin karpov kazakov kirillov kiselev klimov kolesnikov
komarov kondratiev konovalov korolev kostenko kovalenko kovalev kovalchuk kozlov kravchenko krylov
kudryavtsev kulikov kuzmin kuznetsov kuznetsova lazarev lebedev lysenko makarov maksimov markov
martynov maslov matveev medvedev melnikov melnyk mikhailov mironov morozov morozova moroz naumov
nazarov nesterov nikiforov nikitin nikolaev novikov orlov osipov panov pavlov petrenko petrov
petrova polyakov ponomarev popov popova potapov prokhorov romanov rudenko ryabov rybakov savchenko
savelyev semenov semyonov sergeev shapiro shcherbakov shevchenko shevchuk sidorenko sidorov smirnov
smirnova sobolev sokolov sokolova solovyov soloviev sorokin stepanov sukhanov tarasov tikhonov
timofeev titov tkachenko trofimov tsvetkov vasiliev vasilyev vinogradov vlasov volkov vorobyov
voronin yakovlev yefimov zaitsev zaytsev zakharov zhukov zhuravlev zimin andreou angelopoulos
antoniou antonopoulos christodoulou dimitriou economou georgiou giannopoulos ioannou karagiannis
konstantinou makris nikolaidis nikolaou oikonomou pagonis panagopoulos papadakis papadopoulos
papadopoulou papageorgiou papanikolaou pappas petrou samaras stavrou theodorou tsipras vasileiou
vlachos albu anghel barbu ceausescu constantin constantinescu cristea dumitrescu dumitru georgescu
gheorghiu iliescu ionescu iordache lazar lungu lupu marinescu matei mihai moldovan munteanu neagu
niculescu nistor popa popescu preda radu rusu sandu stan stanciu stefanescu stoica tudor ungureanu
vasile vasilescu arslan aslan avcı aydın çelik çetin demir doğan erdoğan güneş kaplan karaca kaya
kılıç koç kurt öz özcan özdemir özkan öztürk polat şahin şimşek taş tekin türk ünal yavuz yıldırım
yıldız yılmaz
"""
_WORLD = """
abbasi abdi abdulla abdullah abdulrahman abubakar adan ahmadi ahmadzai ahmed al-amin al-farsi
al-hashimi al-masri al-rashid al-saud alam alavi albaz alvi amini amiri ansari arafat arain asghar
aslam ashrafi awad aziz azizi badawi baig bakr bangura barzani bashir basha bazzi bilal bishara
boulos bukhari chaudhry chaudhary daher darwish dogan eid el-amin el-sayed essa faraj farah farooq
fawzi ganem ghanem ghaffari ghorbani gul habib hadad haddad hakim hakimi halabi hamad hamdan hameed
hamidi hamza hanna haq haque hariri hasan hashemi hashim hassan hassani heidari hijazi hosseini
hussein ibrahim iqbal ismail issa jaber jabbour jafari jalali jamal javed kabir kader kamal karimi
kassab kassem kazemi khalaf khalid khalifa khalil khan khatib khoury latif mahdi mahmoud majeed
maloof mansoor mansour masoud mazari mir mirza moghaddam mohammad mohammadi mohammed moradi morcos
mousavi mubarak mughal munir mustafa najjar naqvi nasr nasser nazari nejad nematzadeh noori nouri
omar osman qasim qureshi rafiq rahimi rahman rajabi ramadan rana rasheed rashidi raza rezaei rezai
rostami saad sabbagh sadeghi safi said salah salama salehi salem saliba samara sarkis sayegh
shaheen shahid shalabi shamoun sharif sharifi shehata siddiqui soleimani sultan tabatabai taher
tahan tanaka tehrani totah yazdi youssef zadeh zaman zamani zaher achebe adebayo adeleke adeyemi
adichie afolabi agbaje akande akinola amadi anyanwu appiah asante awolowo ayodele azikiwe balogun
banda bello boateng buthelezi chukwu dlamini diallo diop ekwueme emenike eze fofana gebreyesus
gumede haile igwe iheanacho ikande jallow juma kamara kariuki keita kenyatta khumalo kimani
kipkemboi koroma kruger mabaso mahlangu maina makinde mandela mbeki mensah mkhize mohale mokoena
moyo mthembu mugabe mutua mwangi naidoo ncube ndiaye ndlovu ndung'u ngcobo njoku njoroge nkosi
nkrumah nwachukwu nwankwo nwosu nyambura obasanjo obi obiora ochieng odhiambo odinga ojo okafor
okeke okonkwo okoro okoye olajide olawale onyango onyekachi opara oppong osei otieno owusu oyelaran
sesay sibanda sithole sow tadesse tesfaye traoré touré umeh usman uzoma van-wyk wanjiku yeboah zulu
zuma acharya agarwal aggarwal agrawal ahuja anand arora bajwa balakrishnan banerjee bansal basu
bedi bhardwaj bhargava bhat bhatia bhattacharya bhatnagar biswas bose chadha chakraborty chandra
chatterjee chaturvedi chauhan chawla chopra choudhary choudhury dalal das dasgupta datta desai
deshmukh deshpande devi dey dhawan dhillon dixit dubey dutta dwivedi gandhi ganguly garg ghosh gill
goel gopalan goswami goyal grewal grover gulati gupta iyengar iyer jadhav jain jha joshi kamath
kapadia kapoor kapur kaul khanna khatri khurana kulkarni kumar lal mahajan malhotra mathur mehra
mehrotra mehta menon mishra misra mistry mittal modi mohan mukherjee murthy naidu naik nair nambiar
nanda narang narayan narayanan nath nayak nayar pandey pandit parekh parikh parmar patil pillai
prabhu prakash prasad purohit raghavan rai rajan rajput raman ramachandran ramakrishnan raman rana
randhawa rangan ranganathan rao rastogi rathore rattan raut ravindran reddy sabharwal sachdev sahni
sahu saini salvi sandhu sarkar sastry saxena sehgal sen sethi shah shankar sharma shenoy shetty
shinde shukla sidhu sinha sodhi soni srinivasan srivastava subramaniam subramanian suri swaminathan
swamy tagore talwar tandon thakkar thakur thapar tiwari tripathi trivedi upadhyay varma
venkataraman venkatesan verma vora vyas wadhwa yadav abe akiyama amano ando aoki aoyama arai araki
asano baba chiba doi endo fujii fujimoto fujita fujiwara fukuda fukui furukawa goto hamada hara
harada hasegawa hashimoto hattori hayashi higashi higuchi hirano hirata hirose honda hori hoshino
ichikawa iida ikeda imai inoue ishida ishii ishikawa ishihara ito iwasaki iwata kaneko kato
kawaguchi kawai kawakami kawamura kawasaki kikuchi kimura kinoshita kishi kitagawa kitamura
kobayashi koga koizumi kojima kondo kono kubo kudo kuroda maeda maruyama masuda matsuda matsui
matsumoto matsumura matsuo miura miyamoto miyazaki mizuno mochizuki mori morita murakami murata
nagai nagata nakagawa nakajima nakamura nakano nakashima nakata nakayama nishida nishikawa
nishimura noda noguchi nomura oda ogawa ohashi oishi oka okada okamoto okumura onishi ono ota
otsuka oyama ozawa saito sakai sakamoto sakurai sano sasaki sato sawada shibata shimada shimizu
shinohara sugawara sugimoto sugiyama suzuki tachibana takagi takahashi takano takeda takeuchi
takeshita tamura taniguchi tanaka taniyama tsuchiya tsuda uchida ueda uehara ueno wada watanabe
yagi yamada yamaguchi yamamoto yamamura yamanaka yamane yamasaki yamashita yamauchi yamazaki
yokoyama yoshida yoshikawa yoshimura bai cai cao chan chang chao chau chen cheng cheung chin chiu
chong chou chow choy chu chua chuang chung cui dai deng ding dong du duan fan fang feng fong fu
fung gao goh gong gu guan guo han hao he ho hong hou hsiao hsieh hsu hu hua huang hui hung jia
jiang jin kang kong kuo kwan kwok lai lam lau lei leong leung li liang liao lim lin ling liu lo lok
long lou low lu luo lyu ma mak mei meng mok ng ngai ong ouyang pan pang peng qi qian qiao qin qiu
quan ren shao shen sheng shi shih shum sima siu song su sui sun sung szeto tai tam tan tang tao teo
tian to toh ting tong tsai tsang tse tseng tso tsui tu wan wang wei wen weng wong woo wu xia xiang
xiao xie xin xiong xu xue yam yan yang yao yap ye yee yeh yen yeo yeung yi yin ying yip you yu yuan
yue yuen yung zeng zhan zhang zhao zheng zhong zhou zhu zhuang zou bae baek bak byun cha cho choe
choi chung gwon hwang hyun jang jeon jeong jo joo jung kang ki kim ko koo kwon lee lim min moon nam
noh oh paik park ryu seo shim shin son song suh um wang won woo yang yeo yoo yoon yun bui cao dang
dao dinh do doan duong ha ho hoang huynh lam le luong luu ly mai ngo nguyen pham phan phung quach
ta thai to tran trinh truong vo vu vuong aquino bautista dela-cruz dizon magsaysay mangubat marcos
pangilinan reyes tolentino villanueva widodo wijaya santoso suharto hidayat kusuma setiawan pratama
nugroho hartono somsak srisai chaiyasit boonmee suwan rattanakosin saetang thongchai abramowitz
adler ben-david blumenthal cohen epstein feinstein feldman friedman ginsberg goldberg goldman
goldstein greenberg horowitz kaplan katz lerner levi levin levinson levitt lieberman mandelbaum
margolis mizrahi moskowitz peretz perlman rabinowitz rosen rosenberg rosenblum rosenfeld rosenthal
rothschild rubin rubinstein sandler schwartz segal shapira silverman silverstein stern weinberg
weinstein weisman zuckerman
"""
LAST_NAMES = frozenset(f"{_ENGLISH} {_GERMAN_DUTCH} {_ROMANCE} {_NORTH_EAST} {_WORLD}".split())
