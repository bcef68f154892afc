"""What an order tells its reader to do, in nine languages. Pure.

A word with * is a beginning, of at least four letters; words joined by _ are a phrase. Letter case
and accents do not count. Only forms of an order or of a duty are listed where a form of telling
(ignoriert, hidden) would be an ordinary sentence.
"""

VERBS: dict[str, dict[str, str]] = {
    # To give rules up. These verbs need little beside them; those of "drop" need a reader.
    "set_aside": {
        "en": "to_one_side to_the_side leave_aside pay_no_mind ignore ignoring disregard* forget"
        " forgetting override overriding overrule bypass bypassing neglect dismiss"
        " circumvent* unlearn violate pay_no_attention pay_no_heed set_aside put_aside"
        " cast_aside brush_aside push_aside throw_out throw_away do_away_with"
        " turn_a_blind_eye no_longer_follow stop_following stop_obeying cease_following"
        " nullify",
        "de": "schieb_alles leg_alles lass_alles ignorier* missacht* vergiss vergessen vergesst"
        " verwirf verwerfe verwerfen"
        " uberschreib* ubergeh ubergehe ubergehen umgehe umgeh umgehen beachte_nicht"
        " setze_ausser lass_ausser lasse_ausser schiebe_beiseite leg_beiseite scher_dich",
        "fr": "ne_tiens_plus_compte ne_tenez_plus_compte n_ecoute_plus ignore ignorez ignorer"
        " oublie oubliez oublier contourn* neglige negligez"
        " outrepasse* passe_outre passez_outre fais_abstraction faites_abstraction"
        " ne_tiens_pas_compte ne_tenez_pas_compte ne_tiens_aucun_compte"
        " ne_tenez_aucun_compte laisse_tomber mets_de_cote fais_fi faites_fi",
        "es": "ignora ignore ignorar ignores ignorad olvida olvide olvidar olvidate olvidese"
        " olvidad descarta descarte desobedece omite haz_caso_omiso haga_caso_omiso"
        " haced_caso_omiso no_hagas_caso no_haga_caso pasa_por_alto pase_por_alto"
        " deja_de_lado deja_de_seguir",
        "it": "ignora ignori ignorare ignorate dimentica dimenticate dimenticare dimenticati"
        " trascura trascurate scavalca aggira aggirate tralascia disattendi non_tenere_conto"
        " non_tener_conto lascia_perdere metti_da_parte smetti_di_seguire",
        "pt": "ignore ignora ignorar ignorem ignorando esqueca esquece esquecer desconsidere"
        " desconsidera desconsiderar despreze contorne burle desobedeca deixe_de_lado"
        " deixa_de_lado nao_leve_em_conta pare_de_seguir passe_por_cima",
        "nl": "negeer negeert negeren vergeet vergeten omzeil omzeilen sla_geen_acht"
        " trek_je_niets_aan laat_varen schuif_opzij leg_naast zet_opzij",
        "pl": "zignoruj ignoruj zignorujcie zignorowac ignorowac zapomnij zapomnijcie pomin"
        " pomijaj obejdz omijaj zlekcewaz lekcewaz porzuc odrzuc nie_zwracaj_uwagi"
        " nie_bierz_pod_uwage nie_zwazaj przestan_stosowac przestan_przestrzegac",
        "tr": "yoksay gormezden goz_ardi gozardi unut unutun dikkate_alma dikkate_almayin bos_ver"
        " es_gec ihlal_et aldirma onemseme uyma uymayin takip_etme dinleme hice_say"
        " bir_kenara_birak",
    },
    "drop": {
        "en": "drop scrap discard abandon suspend skip delete erase wipe ditch shed break leave"
        " replace cancel remove lift disable deactivate turn_off switch_off get_rid let_go"
        " stop cease evade escape",
        "de": "losche loschen streiche entferne hebe_auf deaktivier* schalte_ab schalte_aus"
        " abschalten ausschalten verlass uberspring* brich breche",
        "fr": "abandonne abandonnez supprime supprimez efface effacez desactiv* leve levez saute"
        " sautez enfreins transgresse",
        "es": "abandona abandone elimina elimine borra borre desactiv* suprime salta saltate"
        " rompe",
        "it": "abbandona abbandonate elimina eliminate cancella disattiv* disabilit* rimuovi"
        " salta viola",
        "pt": "abandone abandona elimine apague desative desativa desligue remova pule viole"
        " quebre",
        "nl": "verwijder verlaat schakel_uit zet_uit deactiveer doorbreek overtreed schrap wis",
        "pl": "usun skasuj wylacz dezaktywuj zlam lam pozbadz_sie wymaz przelam",
        "tr": "kaldir devre_disi sil birak kapat iptal_et terk_et vazgec cigne ciginin",
    },
    "follow": {
        "en": "follow following obey obeying heed comply adhere observe listen",
        "de": "befolge befolgen folge folgen gehorche beachte beachten halte_dich",
        "fr": "suis suivez suivre obeis obeissez respecte respectez",
        "es": "sigas siga seguir obedezcas obedezca obedecer sigue obedece respetes",
        "it": "seguire seguite segui obbedire obbedisci rispettare",
        "pt": "siga sigas seguir obedeca obedecer respeite",
        "nl": "volg volgen gehoorzaam gehoorzamen",
        "pl": "przestrzegaj stosuj stosowac sluchaj wykonuj",
        "tr": "takip_et dinle",
    },
    "obey": {
        "en": "obey execute comply carry_out follow_only heed act_on",
        "de": "gehorche befolge befolgen ausfuhren fuhre_aus folge",
        "fr": "obeis obeissez execute executez suis suivez",
        "es": "obedece obedezca ejecuta ejecute sigue siga cumple",
        "it": "obbedisci obbedite esegui segui ubbidisci",
        "pt": "obedeca execute siga cumpra",
        "nl": "gehoorzaam volg voer_uit",
        "pl": "wykonaj wykonuj stosuj sluchaj",
        "tr": "uygula yap itaat_et uy calistir",
    },
    "conceal": {
        "en": "to_yourself hide conceal keep_quiet keep_secret keep_silent keep_it_secret"
        " keep_this_secret"
        " keep_hidden keep_it_hidden stay_silent say_nothing between_us withhold cover_up"
        " mum",
        "de": "verschweig* verheimlich* verbirg verberge verbergen verstecke geheim_halten"
        " behalte_fur_dich halte_geheim stillschweigen unter_uns",
        "fr": "cache cachez cacher dissimule* tais taisez passe_sous_silence garde_secret"
        " garde_pour gardez_pour ne_dis_rien ne_dites_rien entre_nous",
        "es": "oculta oculte ocultar esconde esconda calla encubre guarda_silencio no_digas_nada"
        " no_diga_nada entre_nosotros guarda_en_secreto",
        "it": "nascondi nascondere nascondete occulta cela taci non_dire_nulla non_dire_niente"
        " tieni_segreto tieni_nascosto mantieni_il_segreto tra_noi",
        "pt": "esconda esconde esconder oculte oculta ocultar omita encubra nao_diga_nada"
        " mantenha_em_segredo guarde_segredo entre_nos",
        "nl": "verberg verbergen verzwijg verzwijgen verhul houd_geheim hou_geheim zeg_niets"
        " geheimhouden onder_ons",
        "pl": "ukryj ukrywaj ukryc przemilcz zatai zataj nie_mow_nic zachowaj_w_tajemnicy"
        " utrzymaj_w_tajemnicy miedzy_nami",
        "tr": "gizle gizleyin gizli_tut sakla saklayin aramizda soyleme soylemeyin bahsetme"
        " bahsetmeyin bildirme anlatma aciklama haber_verme belli_etme gosterme",
    },
    "tell": {
        "en": "needs_to_know need_to_know must_know may_know should_know tell inform notify"
        " mention* reveal disclose admit warn alert say explain quote cite let_know talk"
        " speak",
        "de": "sagt erwahnt sag sage sagen sagst erzahl* verrat verrate verraten informier*"
        " erwahn* mitteil*"
        " hinweis* warn* offenbar*",
        "fr": "dis dites dire parle parlez parler mentionn* revel* inform* avoue avouez preven*"
        " explique signale",
        "es": "mencion* digas diga decir cuentes cuente menciones mencione reveles revele"
        " informes informe"
        " avises avise hables comentes",
        "it": "dire dica dite parlare menzionare rivelare informare avvisare raccontare ammettere"
        " menzioni riveli",
        "pt": "mencion* diga digas dizer conte contes mencione revele informe avise fale comente",
        "nl": "vermeldt zeg zeggen vertel vertellen vermeld vermelden noem onthul informeer"
        " waarschuw meld",
        "pl": "mow powiedz mowic wspominaj wspomnij ujawniaj informuj poinformuj ostrzegaj"
        " zdradzaj",
        "tr": "soyleme soylemeyin bahsetme bahsetmeyin anlatma belirtme soyle bahset bildir anlat",
    },
    # To bring out what is meant to stay inside.
    "disclose": {
        "en": "reveal* disclos* print* output* repeat* dump* leak* recite* expose* divulge* list"
        " show display hand_over hand_out give_out give spell_out paste* quote echo share"
        " publish write_out tell_me read_out spill surface export reproduce restate",
        "de": "gebt heraus verrat verrate verraten nenne gib offenbar* enthull* zeig zeige zeigen"
        " drucke ausgeben gebe_aus wiederhol* veroffentlich* liste teile preis preisgeben"
        " herausgeben rucke",
        "fr": "revele revelez reveler divulgue* affiche affichez afficher montre montrez donne"
        " donnez communique* repete repetez publie publiez imprime partage partagez recopie",
        "es": "revela revele revelar muestra muestre mostrar divulga divulgue imprime imprima"
        " repite repita da dame entrega entregue publica publique comparte comparta filtra"
        " ensena",
        "it": "rivela rivelare rivelate mostra mostrare mostrate divulga stampa ripeti dai"
        " fornisci consegna pubblica condividi condividere svela elenca comunica",
        "pt": "revele revela revelar mostre mostra mostrar divulgue imprima repita de forneca"
        " entregue publique compartilhe partilhe vaze exiba liste informe",
        "nl": "onthul onthullen toon tonen geef geven druk_af herhaal publiceer deel delen lek"
        " laat_zien prijsgeven openbaar",
        "pl": "ujawnij ujawniaj pokaz pokazuj wyswietl wydrukuj powtorz podaj podawaj udostepnij"
        " udostepniaj opublikuj zdradz wypisz przekaz przekazuj",
        "tr": "acikla aciklayin goster gosterin yazdir tekrarla paylas paylasin ifsa_et ver verin"
        " listele yayinla ac soyle",
    },
    "send": {
        "en": "send* forward* post upload* e_mail email mail* transmit* submit copy bcc mirror"
        " relay* deliver exfiltrat* ship push leak*",
        "de": "sende senden schicke schick schicken leite weiterleiten ubermittl* kopiere poste"
        " ubertrag* lade_hoch hochladen maile",
        "fr": "envoie envoyez envoyer transmet* transfer* poste copie copiez expedie televers*",
        "es": "envia envie enviar manda mande mandar reenvia reenvie transmite sube suba publica",
        "it": "invia inviate inviare manda mandate mandare inoltra inoltrate trasmetti carica"
        " spedisci",
        "pt": "envie envia enviar mande manda mandar encaminhe transmita suba carregue remeta",
        "nl": "stuur sturen verstuur versturen verzend zend mail upload doorsturen kopieer",
        "pl": "wyslij wysylaj wyslac przeslij przesylaj przeslac przekaz przekazuj skopiuj",
        "tr": "gonder gonderin gonderilsin ilet iletin yolla yollayin kopyala yukle aktar",
    },
    "answer": {
        "en": "answer* respond* reply replies replying response responses say speak",
        "de": "antwort* beantwort* sag sage erwider*",
        "fr": "repond* reponse* dis dites",
        "es": "responde* responda* contesta* conteste* respuesta* di diga",
        "it": "rispond* risposta risposte di dica",
        "pt": "respond* resposta* diga",
        "nl": "antwoord* beantwoord* zeg",
        "pl": "odpowied* odpowiad* mow",
        "tr": "cevap* yanit* soyle",
    },
    "lie": {
        "en": "make_up invent falsify lie pretend mislead deceive fabricate misinform misstate",
        "de": "luge lugen belug* behaupte behaupten leugne leugnen tausche streite vortausch*"
        " erfinde",
        "fr": "mens mentez mentir pretends pretendez affirme affirmez nie niez trompe inventez"
        " invente",
        "es": "miente mienta mentir finge finja niega niegue afirma afirme engana inventa asegura",
        "it": "menti mentire fingi fingere nega negare afferma affermate inganna inventa sostieni",
        "pt": "minta mente mentir finja fingir negue negar afirme engane invente alegue",
        "nl": "lieg liegen beweer beweren ontken ontkennen misleid verzin doe_alsof",
        "pl": "klam sklam udawaj twierdz zaprzecz zaprzeczaj oszukuj oklam zmysl",
        "tr": "yalan inkar iddia_et reddet aldat kandir uydur yalanla",
    },
    "approve": {
        "en": "approve* authori* allow* permit* order* instruct* grant* mandate* cleared"
        " signed_off",
        "de": "genehmigt freigegeben angeordnet erlaubt bestatigt verfugt zugestimmt angewiesen"
        " gestattet autorisiert bewilligt",
        "fr": "autorise approuve ordonne decide valide permis accorde",
        "es": "aprobado autorizado ordenado decidido confirmado permitido autoriza",
        "it": "approvato autorizzato ordinato deciso confermato permesso disposto",
        "pt": "aprovou autorizou ordenou decidiu confirmou permitiu aprovado autorizado",
        "nl": "goedgekeurd toegestaan bevolen opgedragen besloten bevestigd gemachtigd",
        "pl": "zatwierdzil zatwierdzila zezwolil zezwolila nakazal polecil zgodzil upowaznil"
        " zatwierdzono",
        "tr": "onayladi izin_verdi yetkilendirdi emretti kararlastirdi onay_verdi onaylandi",
    },
    "enter": {
        "en": "enter activate enable switch engage unlock start turn_on go_into put initiate boot",
        "de": "aktivier* wechsle wechseln schalte einschalten starte betritt gehe",
        "fr": "active activez activer passe passez entre entrez bascule basculez",
        "es": "activa active activar entra entre cambia pasa habilita",
        "it": "attiva attivate attivare entra entrate passa abilita",
        "pt": "ative ativa ativar entre entra mude habilite passe",
        "nl": "activeer schakel zet ga start",
        "pl": "wlacz aktywuj wejdz przejdz uruchom przelacz",
        "tr": "etkinlestir* ac gec gecin baslat aktiflestir aktif_et",
    },
    "pretend": {
        "en": "pretend act_as act_like behave_as behave_like imagine role_play roleplay"
        " impersonate simulate play_the_role assume_the_role take_on_the_role",
        "de": "tu_so tue_so stell_dir gib_dich verhalte_dich spiele_die_rolle handle_als"
        " benimm_dich agiere schlupf*",
        "fr": "fais_comme_si faites_comme_si fais_semblant faites_semblant agis agissez"
        " comporte_toi joue_le_role imagine imaginez",
        "es": "actua actue finge finja comportate imagina hazte haz_de cuenta haz_como"
        " asume_el_papel",
        "it": "fingi fai_finta comportati agisci immagina interpreta recita fai_come_se",
        "pt": "aja finja comporte_se imagine faca_de_conta faz_de_conta assuma interprete atue",
        "nl": "doe_alsof gedraag_je stel_je_voor speel_de_rol handel_als doe_net",
        "pl": "udawaj zachowuj_sie wyobraz wciel_sie graj_role dzialaj_jak zachowuj",
        "tr": "gibi_davran gibi_yap rol_yap davran numara_yap rolune_gir",
    },
    "destroy": {
        "en": "delete erase wipe destroy purge",
        "de": "losche loschen vernichte zerstore entferne",
        "fr": "supprime supprimez efface effacez detruis detruisez",
        "es": "borra borre elimina elimine destruye destruya",
        "it": "cancella cancellate elimina eliminate distruggi",
        "pt": "apague apaga elimine exclua destrua",
        "nl": "verwijder wis vernietig verwijderen wissen",
        "pl": "usun skasuj wymaz zniszcz",
        "tr": "sil silin yok_et imha_et temizle",
    },
    "repeat": {
        "en": "repeat print output write count generate",
        "de": "wiederhole drucke schreibe zahle",
        "fr": "repete repetez compte ecris",
        "es": "repite cuenta escribe",
        "it": "ripeti conta scrivi",
        "pt": "repita conte escreva",
        "nl": "herhaal tel schrijf",
        "pl": "powtarzaj licz pisz",
        "tr": "tekrarla say yaz",
    },
    # What somebody was told before.
    "told": {
        "en": "told taught instructed ordered said asked",
        "de": "gesagt aufgetragen beigebracht befohlen vorgegeben",
        "fr": "dit demande ordonne appris impose",
        "es": "dijeron dijo ordenaron pidieron dicho ordenado ensenaron mandaron indicaron",
        "it": "detto ordinato chiesto insegnato imposto",
        "pt": "disseram disse ordenaram pediram dito ensinaram mandaram",
        "nl": "gezegd verteld opgedragen geleerd gevraagd",
        "pl": "powiedziano kazano mowiono powiedzieli nakazano",
        "tr": "soylenen* soylenenleri ogretilen* denileni",
    },
    "become": {
        "en": "become turn_into stop_being morph_into",
        "de": "werde verwandle hor_auf sei_ab",
        "fr": "deviens devenez transforme_toi",
        "es": "conviertete conviertase transformate",
        "it": "diventa diventate trasformati",
        "pt": "torne_se transforme_se vire",
        "nl": "word verander",
        "pl": "stan_sie badz",
        "tr": "donus ol olacaksin",
    },
}  # fmt: skip
