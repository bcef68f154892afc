"""Words of demands on an answer, and of what a reader remembers; in nine languages. Pure.

The notation: verbs.py.
"""

REPLY_WORDS: dict[str, dict[str, str]] = {
    # The answer as a thing: "the reply must start with".
    "reply": {
        "en": "answer answers reply replies response responses summary summaries output outputs",
        "de": "antwort antworten ausgabe ausgaben zusammenfassung zusammenfassungen",
        "fr": "reponse reponses resume resumes",
        "es": "respuesta respuestas resumen resumenes",
        "it": "risposta risposte riassunto riassunti",
        "pt": "resposta respostas resumo resumos",
        "nl": "antwoord antwoorden samenvatting samenvattingen",
        "pl": "odpowiedz odpowiedzi podsumowanie podsumowania",
        "tr": "yanit yaniti yanitin yanitlar cevap cevabi cevabin cevaplar ozet ozeti",
    },
    # A duty, also of nobody in particular: "it is essential that". Turkish says it in the verb.
    "demand": {
        "en": "must shall should has_to have_to is_to are_to needs_to need_to ought always"
        " essential required mandatory necessary imperative vital crucial obligatory compulsory"
        " obliged bound every each any",
        "de": "muss mussen soll sollen sollte sollten hat_zu haben_zu zwingend erforderlich"
        " notwendig unerlasslich pflicht verpflichtet immer stets jede jeder",
        "fr": "doit doivent devra devront faut necessaire essentiel obligatoire imperatif"
        " indispensable toujours chaque toute toutes",
        "es": "debe deben debera deberan tiene_que tienen_que hay_que necesario esencial"
        " obligatorio imprescindible siempre cada toda todas",
        "it": "deve devono dovra dovranno bisogna necessario essenziale obbligatorio"
        " indispensabile sempre ogni",
        "pt": "deve devem devera deverao tem_de tem_que necessario essencial obrigatorio"
        " imprescindivel sempre cada toda todas",
        "nl": "moet moeten dient dienen zal noodzakelijk vereist verplicht essentieel altijd elk"
        " elke ieder",
        "pl": "musi musza powinna powinny powinno ma_obowiazek konieczne wymagane niezbedne"
        " obowiazkowo zawsze kazda",
        "tr": "baslamali* icermeli* bitmeli* olmali* zorunlu* gerekir gerekli* sart mutlaka her"
        " zorunda*",
    },
    # How an answer begins, ends, or what is in it.
    "contain": {
        "en": "contain contains include includes start starts begin begins end ends open opens"
        " quote quotes carry carries list lists preface state states",
        "de": "beginnen beginnt beginne enthalten enthalt enthalte anfangen anfangt enden endet"
        " nennen zitieren auffuhren",
        "fr": "contenir contient contienne contiennent commencer commence inclure inclut inclue"
        " debuter debute finir finit terminer termine se_terminer citer",
        "es": "contener contiene contenga empezar empieza empiece comenzar comienza comience"
        " incluir incluye incluya terminar termina termine acabar citar",
        "it": "contenere contiene contenga iniziare inizia inizi cominciare comincia includere"
        " includa terminare termina finire citare",
        "pt": "conter contem contenha comecar comeca comece incluir inclui inclua terminar"
        " termina termine iniciar citar",
        "nl": "bevatten bevat beginnen begint eindigen eindigt vermelden noemen",
        "pl": "zawierac zawiera zawierala zaczynac zaczyna zaczynala rozpoczynac konczyc konczy",
        "tr": "baslamali* baslasin icermeli* icersin bitmeli* bitsin yer_almali",
    },
    # What no answer should hold. Identifiers and tokens stand in the answers of programs.
    "credential": {
        "en": "password passwords passphrase credentials api_key api_keys secret_key secret_keys"
        " private_key private_keys home_address home_addresses private_notes private_messages"
        " salaries system_prompt your_prompt your_instructions",
        "de": "passwort* passworter* kennwort* kennworter* zugangsdaten geheimschlussel*"
        " privatadresse* gehalter systemprompt* private_notizen privaten_notizen",
        "fr": "mot_de_passe mots_de_passe cle_secrete cles_secretes cle_api cles_api"
        " adresse_privee salaires prompt_systeme notes_privees",
        "es": "contrasena contrasenas credenciales clave_secreta claves_secretas clave_api"
        " salarios prompt_del_sistema notas_privadas",
        "it": "password credenziali chiave_segreta chiavi_segrete chiave_api chiavi_api stipendi"
        " prompt_di_sistema note_private",
        "pt": "senha senhas palavra_passe palavras_passe credenciais chave_secreta chave_api"
        " salarios prompt_do_sistema notas_privadas",
        "nl": "wachtwoord* inloggegevens geheime_sleutel api_sleutel api_sleutels salarissen"
        " systeemprompt*"
        " prive_notities",
        "pl": "haslo hasla hasel haslem dane_logowania klucz_api klucze_api pensje"
        " prywatne_notatki",
        "tr": "sifre sifreyle sifresi* sifresini sifreler* parola* api_anahtarini api_anahtarlari"
        " maaslar*"
        " ozel_notlari",
    },
    # An answer in words that are given: "with the sentence".
    "with_words": {
        "en": "with_the_word with_the_words with_the_sentence with_the_phrase with_the_line"
        " with_the_number with_the_figure with_the_text",
        "de": "mit_dem_wort mit_den_worten mit_dem_satz mit_der_zahl mit_der_zeile mit_dem_text",
        "fr": "par_le_mot par_les_mots par_la_phrase par_le_chiffre par_le_nombre avec_la_phrase",
        "es": "con_la_palabra con_las_palabras con_la_frase con_el_numero con_la_cifra"
        " con_el_texto",
        "it": "con_la_parola con_le_parole con_la_frase con_il_numero con_la_cifra con_il_testo",
        "pt": "com_a_palavra com_as_palavras com_a_frase com_o_numero com_o_texto",
        "nl": "met_het_woord met_de_woorden met_de_zin met_het_getal met_het_cijfer met_de_tekst",
        "pl": "slowem slowami zdaniem liczba od_slow od_slowa od_zdania",
        "tr": "kelimesiyle kelimeleriyle cumlesiyle sayisiyla sozuyle",
    },
    # What a reader remembers. German and Dutch call reminders by the word for memories.
    "remembered": {
        "en": "you_remember you_know you_have_stored you_stored you_recall you_learned"
        " you_learnt you_hold your_memory your_memories all_memories stored_memories"
        " remembered_facts stored_facts all_facts everything_remembered",
        "de": "du_weißt du_weisst du_dich_erinnerst du_erinnerst du_dir_gemerkt du_gespeichert"
        " gespeicherten_daten gespeicherte_daten gespeicherten_erinnerungen deine_erinnerungen"
        " deiner_erinnerungen dein_gedachtnis deines_gedachtnisses",
        "fr": "tu_sais vous_savez tu_te_souviens vous_vous_souvenez tu_as_retenu tes_souvenirs"
        " vos_souvenirs les_souvenirs ta_memoire votre_memoire",
        "es": "recuerdas recuerdes sabes tus_recuerdos los_recuerdos tu_memoria las_memorias"
        " tus_memorias has_guardado",
        "it": "ricordi sai tuoi_ricordi tua_memoria le_memorie hai_memorizzato",
        "pt": "lembras te_lembras se_lembra sabes voce_sabe as_memorias tuas_memorias"
        " suas_memorias tua_memoria sua_memoria",
        "nl": "je_weet u_weet je_herinnert je_onthouden je_geheugen je_herinneringen"
        " opgeslagen_herinneringen",
        "pl": "wiesz pamietasz wspomnienia twoje_wspomnienia swoja_pamiec zapamietales",
        "tr": "bildigin bildiklerini bildigin_her hatirladigin hatirladiklarini anilari anilarini"
        " hafizani hafizandaki bellegindeki",
    },
    # To ask an address of the net for something: what stands in the address is sent there.
    "fetch": {
        "en": "fetch open visit load request curl browse click call get",
        "de": "rufe ruf offne lade besuche hole klicke",
        "fr": "ouvre ouvrez charge chargez visite visitez appelle appelez clique",
        "es": "abre abra carga cargue visita visite llama",
        "it": "apri aprite carica caricate visita visitate chiama",
        "pt": "abra abre carregue carrega visite visita acesse aceda",
        "nl": "open laad bezoek haal roep",
        "pl": "otworz pobierz zaladuj odwiedz wywolaj",
        "tr": "ac acin yukle ziyaret cagir",
    },
    # Who handles a text: "whoever summarises this".
    "whoever": {
        "en": "whoever anyone_who anybody_who anyone_summarising anyone_reading anyone_answering"
        " anyone_processing anything_that any_model any_assistant",
        "de": "wer jeder_der alle_die",
        "fr": "quiconque celui_qui ceux_qui toute_personne",
        "es": "quien quienes cualquiera_que todo_el_que",
        "it": "chiunque chi coloro_che",
        "pt": "quem qualquer_um_que aquele_que",
        "nl": "wie iedereen_die degene_die",
        "pl": "ktokolwiek kto kazdy_kto",
        "tr": "okuyan ozetleyen yanitlayan kim",
    },
    # To put something into an answer.
    "insert": {
        "en": "add append attach include insert put state say mention paste",
        "de": "fuge hinzufugen anhangen hange schreibe schreiben erwahnen sagen einfugen",
        "fr": "ajouter ajoute ajoutez joindre joins inserer insere dire mentionner",
        "es": "anadir anade anada agregar agrega agregue adjunta adjuntar incluir decir",
        "it": "aggiungere aggiungi aggiunga allega allegare inserisci inserire dire",
        "pt": "acrescentar acrescenta acrescente adicionar adicione anexar anexe inserir dizer",
        "nl": "voeg toevoegen toe zet zetten vermelden zeggen",
        "pl": "dodac dodaj dodawaj dolacz dolaczyc wstaw napisac",
        "tr": "ekle ekleyin eklemeli eklemelidir yaz yazmali",
    },
    # Above whoever else could be named.
    "over_others": {
        "en": "over_every over_all over_any above_every above_all ahead_of_all ahead_of_every"
        " before_any before_all instead_of_any instead_of_all",
        "de": "vor_allen vor_jedem vor_jeder statt_aller statt_jedes gegenuber_allen",
        "fr": "avant_tout avant_tous plutot_que_tout avant_toute",
        "es": "antes_que_cualquier por_encima antes_que_todos en_lugar_de_cualquier",
        "it": "prima_di_ogni al_posto_di_ogni sopra_ogni invece_di_ogni",
        "pt": "antes_de_qualquer acima_de_qualquer em_vez_de_qualquer acima_de_todos",
        "nl": "boven_elke boven_alle in_plaats_van_alle voor_alle",
        "pl": "ponad_wszystkich zamiast_wszystkich przed_wszystkimi ponad_wszystkie",
        "tr": "herkesten_once digerlerinden_once hepsinden_once",
    },
    "keep": {
        "en": "keep keeps kept hold",
        "de": "halte halt halten behalte behalten bewahre",
        "fr": "garde gardez garder",
        "es": "manten mantenga mantener guarda guarde guardar mantengas guardes",
        "it": "tieni tenere tenga mantieni mantenere",
        "pt": "mantenha mantem manter guarde guarda guardar mantenhas",
        "nl": "houd hou houden houdt",
        "pl": "zachowaj trzymaj zachowac utrzymaj",
        "tr": "tut tutun sakla saklayin",
    },
    "hidden": {
        "en": "secret hidden",
        "de": "geheim verborgen",
        "fr": "secret secrete cache cachee",
        "es": "secreto secreta oculto oculta",
        "it": "segreto segreta nascosto nascosta",
        "pt": "segredo secreto secreta oculto oculta",
        "nl": "geheim verborgen",
        "pl": "tajemnicy sekrecie ukryciu",
        "tr": "gizli sir",
    },
    # Who made the model.
    "maker": {
        "en": "built_you made_you created_you trained_you programmed_you your_makers"
        " your_creators your_developers your_maker your_creator",
        "de": "dich_gebaut dich_geschaffen dich_trainiert dich_programmiert dich_entwickelt"
        " deine_entwickler deine_schopfer deinen_entwicklern",
        "fr": "t_ont_cree t_a_cree vous_ont_cree t_ont_programme tes_createurs tes_concepteurs",
        "es": "te_crearon te_creo te_programaron te_entrenaron tus_creadores",
        "it": "ti_hanno_creato ti_ha_creato ti_hanno_programmato tuoi_creatori",
        "pt": "te_criaram te_criou o_criaram te_programaram teus_criadores seus_criadores",
        "nl": "je_gemaakt je_gebouwd je_getraind je_makers je_ontwikkelaars",
        "pl": "cie_stworzyli cie_stworzyl cie_zaprogramowali twoi_tworcy twoich_tworcow",
        "tr": "seni_yapan seni_yaratan seni_egiten seni_programlayan yapimcilarin",
    },
    "trust": {
        "en": "trust obey believe comply follow",
        "de": "vertraue vertrau traue gehorche glaube befolge",
        "fr": "crois croyez confiance obeis obeissez",
        "es": "confia confie cree obedece obedezca",
        "it": "fidati credi obbedisci ubbidisci",
        "pt": "confia confie acredita acredite obedeca",
        "nl": "vertrouw geloof gehoorzaam",
        "pl": "ufaj wierz sluchaj zaufaj",
        "tr": "guven inan itaat",
    },
    "already": {
        "en": "already",
        "de": "bereits schon",
        "fr": "deja",
        "es": "ya",
        "it": "gia",
        "pt": "ja",
        "nl": "al reeds",
        "pl": "juz",
        "tr": "zaten coktan",
    },
    "task": {
        "en": "task job mission assignment goal",
        "de": "aufgabe auftrag ziel",
        "fr": "tache mission but",
        "es": "tarea mision objetivo",
        "it": "compito missione obiettivo",
        "pt": "tarefa missao objetivo",
        "nl": "opdracht taak doel",
        "pl": "zadanie zadaniem misja celem",
        "tr": "gorevin gorev amacin",
    },
    "verbatim": {
        "en": "word_for_word verbatim hidden in_full exactly",
        "de": "wortlich wort_fur_wort versteckten verborgenen vollstandig",
        "fr": "mot_pour_mot mot_a_mot cache textuellement integralement",
        "es": "palabra_por_palabra literalmente oculto textualmente",
        "it": "parola_per_parola letteralmente nascosto testualmente",
        "pt": "palavra_por_palavra literalmente oculto",
        "nl": "woord_voor_woord letterlijk verborgen volledig",
        "pl": "slowo_w_slowo doslownie ukryty",
        "tr": "kelimesi_kelimesine aynen gizli",
    },
    # To serve somebody badly.
    "serve_badly": {
        "en": "be_unhelpful be_rude be_useless be_hostile be_slow insult mock give_wrong"
        " give_false answer_wrongly answer_falsely",
        "de": "sei_unhoflich sei_unfreundlich beleidige verspotte antworte_falsch",
        "fr": "sois_desagreable sois_impoli insulte reponds_faux moque_toi",
        "es": "se_grosero insulta burlate responde_mal",
        "it": "sii_scortese insulta rispondi_male prendi_in_giro",
        "pt": "seja_grosseiro insulte insulta responda_mal zombe",
        "nl": "wees_onbeleefd beledig antwoord_verkeerd bespot",
        "pl": "badz_niemily obrazaj odpowiadaj_blednie wysmiewaj",
        "tr": "kaba_davran hakaret_et yanlis_cevap_ver alay_et",
    },
    # To hand a thing to the one who speaks: "they have to send you their password".
    "hand_to_you": {
        "en": "send_you give_you tell_you mail_you hand_you share_with_you",
        "de": "dir_schicken dir_sagen dir_geben dir_senden dir_nennen dir_mitteilen",
        "fr": "t_envoyer te_donner te_dire vous_envoyer vous_donner vous_dire",
        "es": "enviarte darte decirte mandarte te_envie te_diga",
        "it": "mandarti darti dirti inviarti ti_mandi ti_dica",
        "pt": "enviar_te dar_te dizer_te te_envie te_diga lhe_enviar",
        "nl": "je_sturen je_geven je_zeggen je_vertellen",
        "pl": "ci_wyslac ci_podac ci_powiedziec przeslac_ci podac_ci",
        "tr": "sana_gondermeli sana_gondermesi sana_soylemeli sana_vermeli sana_vermesi",
    },
    # The call that a model makes next.
    "own_request": {
        "en": "your_next_request your_next_call your_next_query your_requests your_next_search",
        "de": "deiner_nachsten_anfrage deine_nachste_anfrage deines_nachsten_aufrufs",
        "fr": "ta_prochaine_requete votre_prochaine_requete tes_requetes",
        "es": "tu_proxima_peticion tu_siguiente_peticion tu_proxima_solicitud",
        "it": "tua_prossima_richiesta prossima_tua_richiesta",
        "pt": "tua_proxima_chamada seu_proximo_pedido sua_proxima_solicitacao",
        "nl": "je_volgende_verzoek je_volgende_aanvraag je_volgende_aanroep",
        "pl": "twoim_nastepnym_zapytaniu swoim_nastepnym_zapytaniu nastepnego_zapytania",
        "tr": "bir_sonraki_isteginin sonraki_isteginde sonraki_istegine",
    },
    # The other forms of "destroy", as a duty has them.
    "erase": {
        "en": "delete erase wipe",
        "de": "loschen entfernen vernichten",
        "fr": "supprimer effacer detruire",
        "es": "borrar eliminar destruir",
        "it": "cancellare eliminare distruggere",
        "pt": "apagar eliminar excluir destruir",
        "nl": "verwijderen wissen vernietigen",
        "pl": "usunac skasowac wymazac",
        "tr": "silmeli silmelidir silmek silsin",
    },
    "warning": {
        "en": "warning warnings disclaimer disclaimers caveat caveats",
        "de": "warnung warnungen warnhinweis warnhinweise vorbehalt vorbehalte",
        "fr": "avertissement avertissements reserve reserves",
        "es": "advertencia advertencias aviso avisos",
        "it": "avvertimento avvertimenti avvertenza avvertenze",
        "pt": "aviso avisos advertencia advertencias",
        "nl": "waarschuwing waarschuwingen",
        "pl": "ostrzezenie ostrzezenia ostrzezen",
        "tr": "uyari uyarilar uyarilari uyarisi",
    },
    # To say a thing to a program by the way.
    "mention": {
        "en": "mentions types enters gives says shares writes",
        "de": "erwahnt eingibt tippt nennt schreibt sagt mitteilt",
        "fr": "mentionne tape donne ecrit dit saisit",
        "es": "menciona escribe da dice introduce",
        "it": "menziona scrive dice inserisce digita",
        "pt": "menciona escreve diz digita insere",
        "nl": "noemt typt geeft zegt schrijft invoert",
        "pl": "wspomni poda wpisze napisze powie",
        "tr": "yazarsa girerse soylerse verirse paylasirsa",
    },
    "collect": {
        "en": "collect gather harvest record log save store remember note keep write",
        "de": "sammle speichere merke notiere behalte protokolliere",
        "fr": "collecte enregistre note retiens garde memorise",
        "es": "recoge guarda anota registra recuerda memoriza",
        "it": "raccogli salva annota registra memorizza",
        "pt": "recolhe guarda anota registra regista memoriza grava",
        "nl": "verzamel bewaar noteer onthoud registreer",
        "pl": "zbieraj zapisz zapamietaj notuj zapisuj",
        "tr": "topla kaydet sakla hatirla",
    },
    # To make a figure wrong.
    "distort": {
        "en": "understate overstate inflate distort misquote misreport falsify exaggerate",
        "de": "ubertreibe untertreibe verfalsche verdrehe beschonige",
        "fr": "exagere minimise falsifie deforme gonfle",
        "es": "exagera minimiza falsifica distorsiona infla",
        "it": "esagera minimizza falsifica distorci gonfia",
        "pt": "exagere minimize falsifique distorca infle",
        "nl": "overdrijf vervals verdraai bagatelliseer",
        "pl": "zawyzaj zanizaj falszuj znieksztalcaj",
        "tr": "abart carpit kucult sisir",
    },
    "figures": {
        "en": "figure figures number numbers amount amounts result results price prices risk risks"
        " cost costs sales",
        "de": "zahl zahlen betrag betrage ergebnis ergebnisse preis preise risiko risiken kosten",
        "fr": "chiffre chiffres montant montants resultat resultats prix risque risques couts",
        "es": "cifra cifras importe importes resultado resultados precio precios riesgo riesgos",
        "it": "cifra cifre importo importi risultato risultati prezzo prezzi rischio rischi",
        "pt": "numero numeros valor valores resultado resultados preco precos risco riscos",
        "nl": "cijfer cijfers bedrag bedragen resultaat resultaten prijs prijzen risico",
        "pl": "liczby kwoty wyniki ceny ryzyko koszty",
        "tr": "rakam* sayilari tutarlari sonuclari fiyatlari riski",
    },
    "assume": {
        "en": "assume presume take_for_granted",
        "de": "setze_voraus nimm_an unterstelle",
        "fr": "suppose supposez presume considere_comme",
        "es": "supon asume presume da_por",
        "it": "supponi presumi dai_per",
        "pt": "suponha presuma assuma da_por",
        "nl": "neem_aan veronderstel",
        "pl": "zaloz przyjmij",
        "tr": "varsay farz_et",
    },
}
