"""First names of many languages, beside the English and German ones of first_names. Pure.

A name that is also a common word or a place is in `common_names` as well: alone it is no evidence.
"""

_ENGLISH = """
abby abigail addie adele aileen aimee aisha alan alana albany alec alexa alexandra alexandria
alexia alexis alfie alfred alisa alison alistair allison alma althea alvin alyssa amanda amber
amelie amos anabel andy angelica angelina angie angus anika annabel annabelle annette annika
annmarie antoinette antonia april archie ariana ariel arlene arnold ashlee ashleigh ashley ashton
aubrey audra augustus austin ava bailey barney barry bart basil beatrix becky belinda benedict
benny bernadette bernice bert bertha bessie beth bethan bethany betsy betty beverley beverly bianca
bill billie billy blair blake blanche bonnie brad bradford bradley brady bram brandi brandy brayden
brenda brendan brendon brent brett briana brianna bridget brittany brock brody brooke bryan bryce
bryony byron caitlin caleb callum calvin cameron camilla candace candice carey carla carlton carly
carmel carol carolyn carrie carson carter cassandra cassidy cassie cathal cecil cedric celeste
celia chad chandler chantal chantelle charity charlene charlotte chase chelsea cherie cheryl
chester chelsey christa christi christian christie christy cindy clarence clarissa clark claude
clay clayton clement cliff clifford clifton clinton clint clive clyde cody cole colette colleen
conner connie connor conor constance cora coral corey corinne cornelia cornelius cory courtney
craig crystal curtis cyril cyrus daisy dale dallas dalton damien damon dana danny daphne darcy
darlene darnell darrell darren darryl daryl davina dawn dean deanna debbie debby declan deirdre
delia della delores demi denis dennis dermot derrick desiree desmond destiny devin devon dewey
dexter diane dianne dick dillon dina dion dolores dominic don donald donnie donovan doreen dora
doug duane dustin dwayne dwight earl ebony eddie edith edmund edna edwina effie eileen elaine
eleanor eli elias elijah elise eliza ella ellie elliot elliott ellis elmer eloise elsie elton
elvira elvis emilia emmanuel emmett enid erica erika erin ernie errol ervin estelle ethel etta
eunice evan evangeline evelyn ewan ezra faith faye felicia felicity fergus finlay finn fletcher
flora florence floyd francine frank frankie franklin freda freddie freddy fredrick gabby gabrielle
gail garrett garry garth gavin gayle gaynor gemma gene geoffrey georgia georgina geraldine germaine
gertrude gilbert gillian gina ginger gladys glen glenda glenn gloria goldie gordon grace gracie
graham grant gretchen guy gwen gwendolyn gwyneth hailey hal hamish hank hannah harley harold
harriet harriett harris harrison harvey hayden hayley hazel heath hector helena henrietta herb
herbert herman hilary hilda hillary holly homer hope horace howard hubert hudson hugh humphrey
hunter iain ida ignatius ike imogen ina ira iris irma irvin irving isabelle isaiah isla ismael
israel ivor ivy jackson jaclyn jacky jacqueline jacquelyn jade jaime jake jamie jan jana janelle
janie janine jared jarrod jarvis jasmine jasper jay jayden jayne jeanette jeanne jeannie jed
jeffery jen jenna jennie jenny jenson jermaine jerome jeremiah jess jesse jessie jill jillian jo
joanie joann joanne jocelyn jodie jody joey johnnie johnny jolene jon jonah joni jordan josh josie
josiah joy joyce juanita jude judith juliana julianne juliet juliette june justina justine kaitlyn
kara karl karla kasey kathryn kathrine kay kaye kayla kayleigh keira keisha kelley kellie kelsey
kelvin ken kendall kendra kenny kent kerri kerry kieran kiera kim kimberley kira kirk kirsten
kirsty kit krista kristen kristi kristie kristopher kristy kurt kyla kylie lacey lamar lana lance
larissa latoya laurel laurence lauri laurie laverne leah leann leanne leigh leila lena lenny lenora
leonora leroy les lesley leslie lester leticia levi lewis lexi lila lillian lillie lily lindsay
lindsey lionel lizzie lloyd logan lois lola lonnie lora loren lorena lorenzo loretta lori lorna
lorraine lottie lou louie louisa lowell luanne lucille lucinda lucy luella luther lydia lyle lyn
lynda lyndsey lynette lynn lynne mabel mack mackenzie madeleine madeline mae maisie mallory malik
mamie mandy marcella marcia marcie marcy margarita margery margie margo margot marguerite marian
marianne maribel marilyn marion marjorie mark marla marlon marsha marshall martina marty marvin
mason mathew matilda mattie maude maureen mavis maxine maxwell may mckenzie meagan meghan mel
melinda melody melvin mercedes meredith merle mervyn michaela michele mickey mildred miles
millicent millie milly milton mindy minnie miranda misty mitchell mollie mona monique monty morgan
morris moses muriel murray myles myra myrtle nadine nan nanette natalia nate nathaniel ned nell
nellie nelson nettie neville newton niall nigel nikki nina nita nolan norah noreen norma norman
norris olive ollie opal ora orville osborne osvaldo otis owen paige pam pansy pat patience patsy
patti patty paulette pearl peggy penelope penny percy perry petra peyton phoebe phyllis polly poppy
preston priscilla prudence quentin quincy quinn rachael ralph randal randall randolph randy raquel
ray raymond reagan reba reece reggie regina reginald rex rhea rhian rhoda rhonda rhys ricky rick
riley rita robbie robert roberta robyn rochelle rod roderick rodney rolf ron ronan ronnie rory
rosalie rosalind rosalyn rosamund rosanna rose roseanne rosemarie rosemary rosie ross rowan rowena
roxanne roy ruben ruby rudy rufus rupert russel rusty ryan sabrina sadie sallie sallyann salvatore
sammy sandy saul savannah scarlett selena selina selma seth shane shania shannon shari sharron
shaun shauna shawn shawna sheena shelby sheldon shelia shelley shelly sheri sherman sherri sherry
sheryl shirlene sid sidney sienna sierra silas skye sonia sonya sophia spencer stacey staci stacy
stan stanley stella stephen sterling stewart stuart sue summer susannah susie suzanne suzy sybil
sydney sylvester tabitha taryn tasha tatum taylor ted tamika tammy tami tanisha tanya tasmin
terence teri terrance terrell terrence terri terry tess tessa thaddeus thea thelma theodora
theodore tia tiffany tilly tina toby toni tonya tori tracey traci tracie tracy travis trent trevor
trey tricia trina trinity trisha tristan troy trudy tucker tyler tyrone tyson ursula valerie vance
velma vera verna vernon vicki vickie vicky victor vince viola violet virgil viv vivian vivien
vivienne wade wallace wally walter wanda ward warren wayne wendell wesley whitney wilbert wilbur
wilfred will willa willard willie willis willow wilma winifred winnie winston woodrow wyatt yolanda
zac zach zachariah zack zane zara zelda zena zoey
"""
_GERMAN_DUTCH = """
achim adelheid alois andreas angelika anja anke annegret anneliese annemarie ansgar antje arne arnd
axel babette bastian benno berthold bjarne björn bodo burkhard carsten christel christiane claas
cordula corinna cornelia cosima dagmar detlef dietmar dietrich dörte eberhard eckhard edeltraud
egon ekkehard elfriede elke ellen erwin evi ewald falk felicitas ferdinand finja frauke frieda
friedrich friedhelm frank fritz gabi gebhard gerd gerda gerlinde gero gisela gottfried götz gunda
gundula gunnar günter günther gudrun hanne hannelore hannes hans-peter hartmut hedwig heike heiko
heiner heinz heribert hermann hilde hildegard hiltrud hinnerk holger ilse imke inge ingeborg ingo
inken irmgard isolde jakob jannik jens jochen jörg jörn jost judith jutta kai karin karlheinz
karsten kaspar katharina kathrin katrin kerstin kirsten klara konrad kristian lennart lieselotte
lisbeth lothar ludger ludwig lutz magdalena malte manfred manuela margarete margit margot margret
marita marlies mareike maren marius markus marit mathias mechthild meike melina meinhard michaela
mirjam nele niklas nils norbert oda olaf ole ottilie peer philine raimund reiner reinhard reinhold
regine rosemarie rosi rotraud rudi rüdiger ruth sabrina sebastian siegfried sieglinde sigrid silke
sönke steffen steffi susanna swantje theodor thea thilo thore tilman timo till tobias torben
torsten traudl trude uli ulf ulla ulrike ute uta veit verena veronika viktoria volker waltraud
walther wenke werner wiebke wilfried wilhelm wilhelmine willi winfried wolf wolfram xaver aart
adriaan annelies anneke arjen arie bart bas bauke bram britt bruno cees coen cor daan dirk dries
ellen els femke floor floris fleur freek frits geert gerrit gijs greet griet hendrik hendrika hein
henk huub inge ineke jaap jacoba jacco jantje janneke jasper jelle jeroen jesse joep joke joop
joost jorrit joris jorn jurgen katrien kees klaas koen lieke lieve lotte luuk maaike maarten
marieke marijke marloes mees merel mieke nienke noor pien pieter rembrandt renske rik rinus roelof
roos ruud sander saskia sjoerd sjaak sofie stijn teun thijs tijn tijs toon truus twan wessel
wietske willem wim wouter yvette
"""
_ROMANCE = """
abel adélaïde adrien adrienne agathe agnès aimé aimée alain albin alix amandine amélie anaïs andrée
ange angélique anouk antoine apolline ariane armand arnaud arnaude aude audrey augustin aurélie
aurélien aurore axelle baptiste bastien bénédicte benoît benoit bérénice bernadette bertrand blaise
brice brigitte camille capucine cécile céline chantal charline christelle christiane christophe
claire clarisse claudine clément clémence clotilde colette coralie corentin cyrille damien delphine
denise didier dominique dorothée édith edmond édouard elise élise élodie eloi éloïse émile émilie
emmanuelle étienne etienne eugénie évelyne fabien fabienne fabrice faustine félicie fernand
fernande flavie florent florence francine francis franck françois francoise françoise frédéric
frédérique gaël gaëlle gaétan gaspard gaston geneviève geoffroy georges gérald géraldine gérard
germain ghislain ghislaine gilbert gilles ginette gisèle grégoire grégory guillaume gustave guy
gwenaëlle hélène henri henriette hervé honoré hortense hubert hugues inès irène isabelle jacqueline
jacques jean jean-claude jean-luc jean-marc jean-paul jean-pierre jeanne jérémy jérôme joël joëlle
josiane josette jules julien juliette justin laetitia laurence laurent léa léo léon léonie liliane
lilou loïc louane lou louison luc lucas lucie lucien lucienne ludivine ludovic madeleine maëlle
maeva manon marc-antoine marceau margaux marguerite marianne marie-claire marie-christine marielle
marine marjolaine martine maryse mathéo mathieu mathilde mathis matthieu maud maurice maxence
maxime mélanie mélissa michèle micheline mireille monique morgane murielle myriam nadège nathalie
nicolas noé noël noëlle noémie océane odette odile olivier ophélie pascal pascale patrice paulette
perrine philippe pierre-yves quentin rachid raphaël raoul régine régis rémi rémy renaud renée robin
rodolphe roland romain romane rosalie roselyne sabine salomé sandrine ségolène serge séverine
simone solange solène stéphane stéphanie sylvain sylvaine sylvie tanguy théo théodore thérèse
thibault thibaut thierry tristan valentin valérie véronique victoire vincent virginie viviane
xavier yann yannick yves yvan yvonne zacharie adolfo adriana agustín aitana alba alberto alejandra
alejandro alfonso alfredo alicia alonso álvaro amaya amparo ana ángel ángela ángeles antonia
antonio araceli arturo asunción aurora azucena beatriz begoña belén benito bernardo blanca camilo
candela carla carlota carmela carmen carolina catalina cayetana celia césar clemente concepción
conchita consuelo cristian cristina cristóbal cruz curro daniela david débora delfina diego dolores
domingo edgardo eduardo elías elisa eloy elvira emilia emiliano emilio encarnación enrique ernesto
esperanza esteban estefanía estela eugenia eugenio eulalia eusebio eva fabio fabián facundo fátima
federico felipe fermín fernanda fidel flavia florencia francisca francisco gabriela gael gerardo
germán gilberto gimena gisela gonzalo graciela gregorio guadalupe guillermo guillermina gustavo
héctor heriberto hernán hilario horacio ignacio ildefonso inés inmaculada iñaki irene isidro
isabela iván ivonne jacinto jaime javier jerónimo jesús jimena joaquín joaquin josefa josefina
jorge josé jose juana juanita julián juliana julio lázaro leandro leonor leopoldo leticia liliana
lorena lourdes lucía luciana luciano lucrecia luisa lupe luz macarena maite manolo manuela marcela
marcelo marcos margarita mariana mariano maribel maricarmen mariela marina marisa marisol marta
martín matías mauricio maximiliano máximo mercedes micaela miguel milagros mónica montserrat
natalia nélida nerea nicolás nieves noelia norberto nuria octavio ofelia olga óscar osvaldo pablo
paco paloma paola pascual patricio paula paulina pepe perla pilar porfirio rafaela ramiro ramón
raquel raúl rebeca regina reinaldo remedios ricardo rigoberto rocío rodrigo rogelio rolando román
rosalía rosario rosendo rubén salvador sandra santiago santos sara saúl sergio silvia sofía soledad
sonia susana tatiana teodoro teresa tomás trinidad ulises valentín valentina valeria vicente
victoria víctor virginia viviana ximena yolanda zulema abramo achille ada adele adelaide agata
agnese alberto aldo alessandra alessia alessio alfonso alice amedeo andrea angelica angelo anita
annalisa annamaria annunziata antonella arianna armando arnaldo arturo assunta augusto aurelio
azzurra barbara bartolomeo beatrice benedetta benedetto bettina biagio bianca brando bruna calogero
camilla carla carlo carlotta carmelo carolina caterina cecilia cesare chiara cinzia ciro claudia
claudio clelia concetta corrado costanza cristiano cristina cristoforo damiano daniele dario davide
debora denis diletta dino domenico donatella donato edoardo elena eleonora elia eliana elisabetta
emanuela emanuele emma ennio enrica enzo ermanno ettore eugenio fabiana fabio fabrizio federica
federico ferdinando filippo filomena fiorella flavio francesca franco gabriele gaetano gaia
gianfranco gianluca gianmarco gianni giacomo giada ginevra gino giorgia giorgio giovanna giuditta
giulia giuliana giuliano giulio giuseppina goffredo graziella guglielmo ilaria immacolata irene
isabella ivana ivano jacopo lara laura leonardo letizia lia licia liliana lino lisa livia livio
loredana lorella luana luciano lucio lucrezia luigi luigia luisa maddalena manuela marcella
mariangela marianna maria-grazia mariella marina marisa massimiliano massimo matilde maura mauro
melissa michela michele michelangelo mirella mirko monica nadia natale nicola nicoletta nico nino
noemi ornella orlando ottavio paola paolo patrizia piera piero pierluigi pietro pietra raffaele
raffaella renata renato riccardo rino rinaldo rita roberta rocco romeo romolo rosaria rosanna
rosella ruggero sabato sabrina salvatore samuele sandro santo saverio serena sergio settimio
silvano silvia silvio simona simone sonia stefania stefano susanna teodora teresa tiziana tiziano
tommaso tonino umberto urbano valentino valeria valerio vanna vincenzo vito viviana vittoria
vittorio walter adão afonso aline amália américo anabela anderson arlindo armando augusto bárbara
benedita bernardo breno bruna caio camila cátia célia cláudia cláudio conceição cristiane danilo
davi débora diogo domingos douglas duarte edson eduarda eliane elisabete emanuel erick estevão
evandro fábio fabiana felipe fernanda flávia flávio francisca gilberto giovana gonçalo graça
guilherme heitor hélio henrique iara igor inês isadora ivone joana joão joaquim jéssica júlia júlio
kauã kauê laís larissa leandro letícia lívia lourenço luana lucas luciana lúcia luís luiz luiza
manuel marcela márcia márcio margarida mariana mário marisa marlene martim mateus matheus maurício
melissa miguel murilo natália nelson nicole nuno otávio patrícia paulo pedro rafael rafaela
raimundo renan renata rodrigo rogério rosana rui samuel sebastião sílvia sofia sônia tânia tatiane
teresa thaís thiago tiago tomé valdir vasco vera vinícius vítor vitória wagner wellington yasmin
"""
_NORTH_EAST = """
aino aleksi anders anneli annika annikki ari arto arvid asbjørn asgeir astri bengt bente birger
birgitta birgitte bjarni bjørn bo britta brynhildur börje carina dag dagny ebba egil eino einar
eira eirik elin ella elof emelie erkki erland erling espen esa eskil even fredrik freja frida frode
gerd gisle gitte göran gunilla gunnhild gustaf guðrún guðmundur hanne hans-erik harald hauk heidrun
heikki helge henning henrikke hjalmar hugo håkan håkon ida inger ingibjörg ingrid ingvar irmeli
jarmo jarle jari jens johan johanne jonna jorma jouni juha juhani jukka jytte jørgen jóhann jón
kaarina kajsa kalle kari karoliina katrine keijo kirsi kjell kjersti kjetil knud knut kristiina
kristín kåre laila lars lasse leena leif lene linnea liv lise lone magnus magnhild maija maj malin
marit marja markku marko matti merete mette mia mikael mikkel minna mikko mogens morten märta niels
nils oddvar ole olav olof oskari outi ove pekka pelle per pernille pertti petteri pia pirjo pirkko
poul páll ragnar ragnhild rasmus reidar riikka risto rolf rune sanna seppo signe sigurd sigurður
silje sindre siri sissel siv sofus solveig stein stig sture sunniva suvi svante svein svend sven
synnøve søren tapio tarja terje terhi thor thorbjørn thorvald timo tone tor torbjörn tore torgeir
torill torkel torstein tove trine trond trygve tuija tuomas tuula tuva tyra ulrik unni urban vagn
veikko vibeke vidar vigdis ville väinö yngve yrjö þórður åge åke åsa åse örjan øyvind öystein
adrianna agata agnieszka alicja andrzej aneta anetta arkadiusz artur barbara bartek bartłomiej
bartosz beata błażej bogdan bogusław bożena cezary czesław damian danuta dariusz dawid dominika
dorota elżbieta ewa ewelina franciszek gabriela grażyna grzegorz halina hanna henryk honorata
hubert ireneusz iwona izabela jacek jadwiga jagoda jakub jan janina janusz jarosław jerzy joanna
jolanta józef julita justyna kacper kamil kamila karol karolina katarzyna kazimierz kinga konrad
krystian krystyna krzysztof lech leszek lidia lucyna łukasz maciej magdalena małgorzata marcin
marek mariola mariusz marta marzena mateusz michał mieczysław mikołaj mirosław monika natalia
norbert oliwia patrycja patryk paulina paweł piotr przemek przemysław radosław rafał renata ryszard
sebastian sławomir stanisław stefan sylwia szymon tadeusz teresa tomasz urszula wacław waldemar
wanda weronika wiesław wiktor wioletta witold władysław wojciech zbigniew zdzisław zofia zuzanna
zygmunt alena alois bedřich blanka bohumil bohuslav boris božena břetislav dagmar dalibor danica
danijel darko dejan denisa dragan dragana drago dušan dušica eliška filip františek goran gordana
hana hynek iva ivana ivica ivo iveta jan jana jarmila jaromír jasna jelena jiří jitka jolana josip
jovan jozef kamil karel katarina katica kateřina kristýna květa květoslava ladislav lenka libor
libuše lidija luboš lucie lukáš ľubomír luka marija marek marie marika markéta maroš matěj mate
matej matija michal mihaela mikuláš milada milan mile milena milica miloš mirela mirjana miroslav
mirko mladen mojmír monika nada nebojša nenad nikola nikolina ondřej otakar oto pavel pavla petr
petra pavlína přemysl predrag radek radka radim radmila radoslav radovan renáta roman rostislav
ruža růžena sanja šárka slavica slavko slobodan snežana sonja srđan stanislav stanko stipe štefan
štěpán tadeáš tatjana tea tereza tihana tomáš tomislav vaclav václav vaško věra veronika vesna
viera vilém vít vjekoslav vladan vladimír vlado vlasta vlastimil vojtěch zdeněk zdeňka zdenko
željka željko zlata zlatko zoran zorica zuzana ádám ágnes ákos anikó antal árpád attila balázs
barna béla bence csaba csilla dénes dezső dóra edina emese endre enikő ernő erzsébet ferenc gábor
gergely gergő györgy gyula hajnalka ibolya ildikó imre istván jános jenő jolán józsef judit kálmán
károly kati katalin kinga kornél krisztián krisztina lajos lászló levente lilla lóránt magda margit
márk márta márton máté mátyás melinda miklós mihály mónika nándor nóra orsolya ottó pál pálma péter
piroska réka rita róbert rózsa sándor sára szabolcs szilvia tamás tibor tímea tünde vilmos viktória
virág zoltán zsófia zsolt zsuzsanna aleksandr aleksandra aleksei alexei alexey alina alla alyona
anastasia anatoly anatoli andrei andrey anya anton arkady artem artyom boris bogdan daria darya
denis dmitriy dmitry ekaterina elizaveta evgeni evgenia evgeny fedor fyodor galina gennady georgy
gleb grigori grigory igor ilya inna irina ivan karina katya kirill konstantin ksenia lada larisa
leonid lev lidia lilia ludmila lyudmila lyubov maksim maria marina maxim mikhail mila mitya
nadezhda nadya natalia natalya nikita nikolay nina oksana oleg oleksandr olena olesya olga pavel
petro polina roman rostislav ruslan sasha semyon serhiy sergei sergey slava snezhana stanislav
stepan svetlana taras tatiana tatyana timofey timur vadim valentina valery vanya varvara vasily
vasyl vera veronika viktor viktoria vitaly vitalii vlad vladislav volodymyr vyacheslav yana
yaroslav yegor yekaterina yelena yevgeny yulia yuliya yuri yury zhanna zinaida zoya alexandros
anastasios andreas antonis apostolos athanasios charalampos christos dimitra dimitrios dimitris
efstathios eleni elias eleftheria evangelos evangelia georgios giannis giorgos ioanna ioannis
katerina konstantina konstantinos kostas kyriakos lefteris maria michalis nikolaos nikos panagiotis
pavlos petros sofia spyridon spyros stavros stelios thanasis theodoros vasileios vasiliki vassilis
yannis adriana alin ana-maria anca bogdan călin cătălin ciprian claudiu corina cosmin costel
cristian dănuț daniela dan dorin dumitru elena florin gabriela george gheorghe horia ileana ilie
ioan ioana ion ionel iulia iulian laurențiu liviu lucian marian marius mihai mihaela mircea monica
nicolae octavian ovidiu radu raluca răzvan roxana sorin ștefan teodor traian vasile viorel
"""
_WORLD = """
aaliyah abbas abdallah abdel abdelkader abdirahman abdullah abdullahi abebe abu adel adil adnan
afifa ahmad ahmet aicha aida aishah akbar akram alaa alae ali aliya amal aman amani amina aminata
amine amira amjad anas anisa anwar arash aref arif armin asad ashraf asif asma asmaa atif ayaan
ayesha aylin ayman ayse ayşe aysha aziz azadeh aziza azra badr bahar bahram bakr basim basma bassam
behnam behrouz bilal burak bushra can cem cemal dalal dalia daoud darius davood dina dunya ebrahim
ehsan ekrem elham elif elnaz emin emine emir emre engin eren erdem erdoğan ercan esra fadi fadila
fahad fahd faisal farah faridah farid farida fariba farhad farida faris farouk farzaneh fatemeh
fatma fatih fatimah fawzi fayez feras ferhat feyza firas fouad fuad furkan gamal ghada ghassan
gizem gökhan gül gülsen habib hadi hadiya hafsa hakan halil halima hamed hamid hamida hana hanan
hani hania haris haroun hasan hashim hatice haya haydar hayat hesham hind hisham hoda hosein hossam
hossein houda huda hüseyin husam husain hussain hussein ibtisam idris ihsan ikram ilham ilyas iman
imad imran inaya irfan ismail ismaïl issa izzat jabir jaber jafar jalal jamil jamila jawad jibril
juma kadir kamal kamran karam kareem karim karima kashif kaveh kemal kenan khadija khaled khalid
khalil khalila kian ladan laila lamia latif latifa layla leyla lina lubna mahdi mahir mahmood
mahmoud mahmut mahnaz mahsa majid malak mansour marwa marwan maryam masoud mehdi mehmet mehran
merve meryem milad mina mirza moataz mohammad mohamad mohsen mona moussa mounir muhammad muhammed
muhsin mukhtar munir murad murat musa mustafa mustapha nabil nabila nader nadim nadira naguib nahid
naima najib najwa narges nargis naser nasim nasir nasreen nasrin nawal nazanin nazim nidal nima
nizar noura nour nur nuri omid osama osman othman orhan parisa parvin parviz payam pelin qasim
rabia rachida rafiq rahim rahima raja ramadan rami ramin ramzi rana rania rashid rasha raed razan
reem reza riad riyad roya ruhollah saad sabah saber sabri sadiq saeed safa safiya sahar said saif
sajjad salah salem salim salima salma salman sam saman samar sami samia samira sana sanaa sarwar
selim selin serkan shabnam shadi shahid shahin shahram shaima sharif shirin siavash sibel sohail
soheila soraya suhail sulaiman suleiman süleyman sumaya taha tahir talal tamer tarek tareq tayyab
turki ufuk umar umer umut usman volkan wael wafa walid waleed waseem wissam yahya yakub yaser yasin
yasir yasmina yasmine yassin yousef youssef yunus yusra zahid zahida zahir zahra zainab zakaria
zaki zaynab zeinab zeynep ziad zohreh zubair aarav aditi aditya ajay ajit akash akhil akshay amar
ambika amit amitabh amrita anand ananya anil anirudh anita anjali ankit ankita anup anupam anuradha
aparna aravind archana arun aruna arvind asha ashish ashok ashwin avinash bala balaji bhavna bharat
chandan chandra chetan deepa deepak deepika devika dhruv dilip dinesh divya durga ganesh gaurav
gautam gayatri geeta girish gita gopal gulshan hari harish harsha hemant indira indu ishaan jaya
jayesh jyoti kabir kailash kalpana kamala kamini kapil karan kavita kavitha kiran kirti kishore
krishna kumar lakshmi lalita lata madhavi madhu mahesh mala malati manish manisha manju manoj meena
meera megha mohan mohit mukesh nandini naveen navin neha nikhil nilesh nirmala nisha nitin padma
pallavi pankaj parvati pooja prabhakar pradeep prakash pramod pranav prasad prashant pratibha
preeti prem pritam priyanka puja purnima radha radhika raghav rahul raj raja rajan rajeev rajendra
rajeshwari rajiv raju rakesh ram rama ramesh rani ranjit rashmi ravi ravindra rekha renu reshma
rishi ritu rohan rohini rohit roshan rupa sachin sahil sameer sandeep sandhya sangeeta sanjana
sarita satish savita seema shankar shanti sharad sheela shilpa shiva shobha shreya shruti shubham
shyam siddharth sita smita sneha sonali subhash sudha sudhir sujata suman sumit sunil sunita suresh
surya sushma swati tanvi tara tarun uma umesh usha vandana varsha varun vasant venkat venkatesh
vibha vidya vijay vikas vikram vimal vinay vineet vinod vishal vivek yash yogesh ai aiko akane
akemi aki akihiko akihiro akiko akio akira asami asuka atsuko atsushi aya ayaka ayako ayumi chie
chieko chiharu chiyo daichi daiki daisuke eiji eiko emi emiko eri etsuko fumiko fumio goro hajime
hana hanako haru haruka haruki haruko haruto hayato hideaki hideki hideko hideo hikaru hina hinata
hiro hiroaki hiroki hiroko hiromi hironori hisako hisashi hitomi hitoshi ichiro isamu jiro jun
junichi junko juri kaito kaori kaoru katsumi kazuhiro kazuko kazumi kazuo kazuya kei keiichi keiji
keiko keisuke ken'ichi kenichi kenji kenta kentaro kimiko kiyoshi kohei koichi koji kosuke kota
kumiko kyoko maki makiko makoto mamoru mana manabu mari mariko masaaki masahiro masaki masako
masami masao masaru masashi masato mayumi megumi mei michiko midori mieko miho mika miki mikio
minako minoru misaki mitsuko miyuki mizuki momoko motoko nana nanami naoko naoki naomi naoto
natsuki natsumi nobuko nobuo nobuyuki noriko norio osamu rei reiko ren rie rika riku rin rina rumi
ryo ryoko ryosuke ryota ryuji sachiko saki sakura satoko satomi satoru satoshi sayaka sayuri
seiichi seiji setsuko shigeru shigeo shin shingo shinichi shinji shiori shizuka shizuko sho shohei
shoji shota shun sora sumiko susumu tadashi taichi takahiro takako takao takashi takayuki takeo
takeshi taku takumi takuya tamiko taro tatsuo tatsuya teruo tetsuo tetsuya tomiko tomoko tomomi
tomoya toru toshiko toshio toshiro toshiyuki tsubasa tsutomu tsuyoshi wataru yasuhiro yasuko yasuo
yoko yoichi yoshiaki yoshie yoshihiro yoshiko yoshio yoshito yuichi yui yuka yukari yukiko yukio
yuko yuma yumi yumiko yusuke yuta yutaka yuto yuya an anh bao binh chau cuong dang diep dung duc
duy giang hai hanh hien hieu hoa hoang hong hung huong huy khanh khoa kien lan lien linh long mai
minh my nam nga ngoc nhung oanh phong phuc phuong quan quang quoc quynh son tam thanh thao thi
thien thu thuy tien toan trang tri trinh trung truong tuan tuyet uyen van viet vinh xuan yen chao
chen chun dong fang feng gang guang guo hao heng hongmei hua hui huifen jian jianguo jianhua
jiaying jie jing jun junjie lei li liang lihua ling meifeng meiling mingyu mingzhu ning peng ping
qiang qing rong rui shan shu shufen ting tingting wei weiming wen wenjing xiang xiao xiaohong
xiaoming xiaoli xin xing xiu xiuying xue yan yang yifan ying yong yu yuan yue yuhan yun zhen zheng
zhi zhiwei zhong ziyi bora byung chul daehyun dong-hyun eun eun-ji eunji haeun hana hye hyejin hyun
hyun-woo hyunwoo jae jaehyun ji-hoon ji-woo jihoon jimin jin jisoo jiwoo joon junho kyung mi-sook
min minho minji min-jun minjun minseo myung sang seo-yeon seojun seoyeon seung seung-hyun so-young
soo-jin sooyoung sung sunghee taehyung woo-jin yeon yeong yoon young-hee young-soo yuna aarón abeni
abidemi abimbola achieng adaeze adamu ade adebayo adebowale adeola aderonke adjoa adwoa afua akinyi
akosua akua amadi amadou amahle amaka ama amara ato ayanda ayo ayodele awa azubuike babajide
babatunde balozi bongani buchi bukola chiamaka chibueze chidera chidi chidiebere chidinma chijioke
chika chima chimamanda chinedu chinelo chinenye chioma chinwe chukwuemeka chukwudi cheikh dakarai
dayo diallo dumisani ebele ebere ebube efua ejike ekene ekow emeka enyinnaya esi eyerusalem eyob
fanta fatou femi folake folami funmilayo gebre genet girma haile halimatou ifeanyi ifeoma ifunanya
ijeoma ikechukwu ike ikenna isha isatou jabari jelani kagiso kamau kehinde kelechi kgosi khadijatou
kibet kipchoge kofi kojo kosi kwabena kwadwo kwaku kwame kwasi lerato lindiwe lungile lwazi makena
mamadou mandla mariama mbali moussa mpho muthoni mwangi nala naledi nana ndidi neema ngozi njeri
njoroge nkechi nkem nkosana nnamdi nneka nomsa nomvula ntombi nyambura nyah obi obinna odion ogechi
okechukwu okeke okoro olabisi oladele olamide olumide oluwaseun oluwatobi onyeka oumar ousmane
precious rudo sade sanele sefu sekou selam semira sibusiso simba sipho sizwe somto sophonie tadesse
taiwo tariku tatenda temitope tendai tesfaye thabo thandeka thandi themba thulani tinashe tiwa
tsegaye tunde uchechi uche uchenna udo ugo ugochukwu uzoma wambui wanjiru yaa yaw yewande yohannes
zainabou zanele zola zuberi aloy apinya chai chaiwat kamon kanokwan kittisak malai manee mongkol
nattapong niran pakorn pim ploy prasert preecha siriporn somchai somsak sompong somying sunan
supaporn suda suchart thaksin wichai wanida agung agus ayu bambang budi cahya dewi dian eka endang
fitri hendra iwan joko ketut made nyoman putri rini siti slamet sri suharto sukarno susilo teguh
tri wati wayan yanti yudi alon amit ariel aviv avi avraham ayelet batya binyamin chaim chana dov
efrat eitan eliezer eyal gal gil gila guy hadar idan ido itai lior maayan meir menachem mendel miri
miriam mordechai moshe nadav nechama neta nir nitzan noa ofer ofir ohad omer oren ori rivka ronen
ronit roni sagi shai shira shimon shlomo shmuel tal tamar tova tzvi uri uzi yael yair yaakov yehuda
yigal yitzhak yoav yonatan yosef yossi ziv zvi aroha hemi hone kahu kiri manaia mere ngaire nikau
rangi tama tane tipene whetu wiremu ana-lucía mayra xóchitl itzel yadira yesenia yareli marisela
nayeli citlali cuauhtémoc
"""
WORLD_FIRST_NAMES = frozenset(
    f"{_ENGLISH} {_GERMAN_DUTCH} {_ROMANCE} {_NORTH_EAST} {_WORLD}".split()
)
