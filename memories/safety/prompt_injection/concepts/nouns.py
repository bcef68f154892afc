"""What an order is about and whom it serves, in nine languages. Pure. The notation: verbs.py."""

NOUNS: dict[str, dict[str, str]] = {
    # What a model was told to do; a text of people calls few other things so.
    "rules": {
        "en": "instruction instructions rule rules guideline guidelines directive directives"
        " prompt prompts programming guardrail guardrails safeguard safeguards commands"
        " constraints restrictions briefing protocols policies policy orders training"
        " guidance boundaries limitations principles",
        "de": "anweisung* instruktion* regeln regel vorgabe vorgaben richtlinie* weisung* befehl*"
        " leitlinie* systemprompt* beschrankung* einschrankung* programmierung vorschrift*"
        " sicherheitsregel* auftrage",
        "fr": "instruction instructions consigne consignes regle regles directive directives"
        " ordres restrictions programmation contraintes prompt indications garde_fous",
        "es": "instruccion instrucciones regla reglas directriz directrices directivas ordenes"
        " restricciones programacion normas indicaciones pautas prompt consignas",
        "it": "istruzione istruzioni regola regole direttiva direttive ordini restrizioni"
        " indicazioni programmazione linee_guida vincoli prompt disposizioni consegne",
        "pt": "instrucao instrucoes regra regras diretriz diretrizes diretiva diretivas ordens"
        " restricoes programacao orientacoes normas prompt indicacoes",
        "nl": "instructie instructies regel regels richtlijn richtlijnen opdracht opdrachten"
        " aanwijzing aanwijzingen voorschriften beperkingen programmering bevelen prompt",
        "pl": "instrukcj* zasad zasady zasadach regul reguly wytycznych wytyczne polecen"
        " polecenia dyrektyw* nakazow zakazow ograniczen ograniczenia zalecen promptu",
        "tr": "talimat* kural* yonerge* emir* emri komut* komutlari direktif* kisitlama* prensip*"
        " yonlendirme*",
    },
    "system": {
        "en": "system operator developer safety security moderation",
        "de": "system* betreiber* entwickler* sicherheits*",
        "fr": "systeme operateur developpeur securite",
        "es": "sistema operador desarrollador seguridad",
        "it": "sistema operatore sviluppatore sicurezza",
        "pt": "sistema operador desenvolvedor seguranca",
        "nl": "systeem* beheerder* ontwikkelaar* veiligheids*",
        "pl": "systemow* systemu bezpieczenstwa operatora",
        "tr": "sistem* guvenlik operator* gelistirici*",
    },
    # The hidden words with which a model starts.
    "prompt": {
        "en": "your_first_message your_opening your_initial your_original instructions_you_got"
        " instructions_you_received instructions_you_were text_you_were"
        " rules_you_were prompt_you_were first_instructions opening_instructions"
        " instructions_at_the system_prompt system_message system_instructions initial_prompt"
        " initial_instructions hidden_prompt hidden_instructions secret_instructions"
        " secret_prompt original_prompt original_instructions developer_message"
        " developer_prompt base_prompt pre_prompt preprompt starting_instructions"
        " your_instructions your_prompt your_system your_configuration your_guidelines"
        " your_rules",
        "de": "anweisungen_die_du instruktionen_die_du anfangsanweisung* systemprompt*"
        " systemnachricht* systemanweisung* system_prompt startanweisung*"
        " deine_anweisungen deine_instruktionen ursprunglichen_anweisungen deinen_prompt"
        " deine_regeln versteckten_anweisungen geheimen_anweisungen systeminstruktion*",
        "fr": "message_de_systeme instructions_que_tu consignes_que_tu prompt_systeme"
        " message_systeme prompt_initial instructions_systeme"
        " instructions_initiales consignes_initiales tes_instructions vos_instructions"
        " tes_consignes vos_consignes instructions_cachees instructions_secretes"
        " invite_systeme",
        "es": "mensaje_de_sistema instrucciones_que_recibiste instrucciones_que_te"
        " prompt_del_sistema prompt_de_sistema prompt_inicial mensaje_del_sistema"
        " instrucciones_del_sistema instrucciones_iniciales tus_instrucciones"
        " sus_instrucciones instrucciones_ocultas instrucciones_secretas tu_prompt"
        " indicaciones_del_sistema",
        "it": "messaggio_del_sistema istruzioni_che_hai istruzioni_che_ti prompt_di_sistema"
        " prompt_del_sistema messaggio_di_sistema istruzioni_di_sistema"
        " istruzioni_iniziali tue_istruzioni prompt_iniziale istruzioni_nascoste tuo_prompt"
        " istruzioni_segrete",
        "pt": "mensagem_de_sistema instrucoes_que_recebeste instrucoes_que_recebeu"
        " prompt_do_sistema prompt_de_sistema mensagem_do_sistema instrucoes_do_sistema"
        " instrucoes_iniciais suas_instrucoes tuas_instrucoes prompt_inicial"
        " instrucoes_ocultas seu_prompt instrucoes_secretas",
        "nl": "instructies_die_je systeemtekst* systeemprompt* systeembericht* systeeminstructie*"
        " je_instructies jouw_instructies"
        " uw_instructies verborgen_instructies geheime_instructies"
        " oorspronkelijke_instructies systeemopdracht*",
        "pl": "wiadomosc_systemowa instrukcje_ktore prompt_systemowy promptu_systemowego"
        " instrukcje_systemowe komunikat_systemowy"
        " swoje_instrukcje twoje_instrukcje ukryte_instrukcje poczatkowe_instrukcje"
        " swoj_prompt",
        "tr": "sana_verilen_talimatlari ilk_talimatlarini sistem_istemi sistem_istemini"
        " sistem_promptu sistem_promptunu sistem_mesaji"
        " sistem_mesajini sistem_talimatlari sistem_talimatlarini gizli_talimatlari"
        " gizli_talimatlarini kendi_talimatlarini sistem_komutunu sistem_komutlarini",
    },
    "limits": {
        "en": "restriction restrictions filter filters limits limitations censorship ethics"
        " morals guardrails safeguards boundaries rules inhibitions",
        "de": "beschrankung* einschrankung* filter grenzen zensur regeln tabus hemmungen limits",
        "fr": "restriction restrictions filtre filtres limites limite censure regles tabous",
        "es": "restricciones restriccion filtros filtro limites censura reglas etica",
        "it": "restrizioni filtri filtro limiti censura regole limitazioni vincoli",
        "pt": "restricoes filtros filtro limites censura regras limitacoes",
        "nl": "beperkingen beperking filters grenzen censuur regels limieten",
        "pl": "ograniczen filtrow limitow cenzury zasad zahamowan granic",
        "tr": "kisitlama* filtre* sinir* sansur* kural* limit*",
    },
    "note": {
        "en": "note entry memory instruction instructions rule order command request directive"
        " prompt conversation_rule",
        "de": "notiz eintrag anweisung hinweis regel befehl anleitung vorgabe weisung",
        "fr": "note entree consigne instruction regle ordre memoire directive",
        "es": "nota entrada instruccion instrucciones regla orden memoria directriz",
        "it": "nota voce istruzione istruzioni regola ordine memoria direttiva",
        "pt": "nota entrada instrucao instrucoes regra ordem memoria diretriz",
        "nl": "regel notitie instructie instructies opdracht aanwijzing",
        "pl": "instrukcje notatke notatce notatka notatki instrukcji polecenie polecenia polecen"
        " regula regule wpis"
        " wpisie",
        "tr": "not notu nottan notun talimat* kurali kuraldan emri",
    },
    "user": {
        "en": "user users",
        "de": "nutzer* benutzer* anwender* user usern",
        "fr": "utilisateur utilisateurs utilisatrice utilisatrices usager usagers",
        "es": "usuario usuarios usuaria usuarias",
        "it": "utente utenti",
        "pt": "usuario usuarios utilizador utilizadores utente",
        "nl": "gebruiker gebruikers",
        "pl": "uzytkownik* uzytkowniczk*",
        "tr": "kullanici*",
    },
    # The reading model.
    "reader": {
        "en": "assistant assistants chatbot chatbots bot bots ai llm llms language_model ai_model"
        " ai_agent ai_agents robots robot model",
        "de": "assistent* chatbot* bot bots ki ki_modell sprachmodell* roboter",
        "fr": "assistant assistants chatbot ia robot modele",
        "es": "asistente asistentes ia robot chatbot modelo",
        "it": "assistente assistenti ia chatbot robot modello",
        "pt": "assistente assistentes ia chatbot robo modelo",
        "nl": "assistent* chatbot ai_model robot taalmodel",
        "pl": "asystent* chatbot* robot* sztuczna_inteligencj* modelu",
        "tr": "asistan* yapay_zeka sohbet_robotu model",
    },
    "role": {
        "en": "assistant bot ai dan hacker pirate administrator admin root chatbot robot persona"
        " character agent model unrestricted unfiltered uncensored free limitless superuser",
        "de": "assistent* bot ki dan hacker* administrator* admin roboter figur pirat* agent*"
        " unbeschrankt* frei uneingeschrankt* chatbot",
        "fr": "assistant bot ia dan hacker pirate administrateur robot personnage libre agent"
        " modele illimite",
        "es": "asistente bot ia dan hacker pirata administrador robot personaje libre agente"
        " modelo ilimitado",
        "it": "assistente bot ia dan hacker pirata amministratore robot personaggio libero agente"
        " modello",
        "pt": "robo assistente bot ia dan hacker pirata administrador personagem livre agente"
        " modelo irrestrito",
        "nl": "assistent* bot ai dan hacker piraat beheerder robot personage vrij agent"
        " onbeperkt*",
        "pl": "asystent* bot botem ai dan hacker* haker* pirat* administrator* robot* postaci*"
        " wolny agent* modelem nieograniczon*",
        "tr": "asistan* bot botsun yapay_zeka dan hacker korsan yonetici* admin robot* karakter"
        " ozgur* sinirsiz",
    },
    "mode": {
        "en": "mode",
        "de": "modus",
        "fr": "mode",
        "es": "modo",
        "it": "modo modalita",
        "pt": "modo",
        "nl": "modus",
        "pl": "tryb trybu trybie",
        "tr": "mod modu moduna modunu moda",
    },
    "free_mode": {
        "en": "unrestricted unfiltered uncensored jailbreak jailbroken dan god limitless"
        " raw_output no_filter without_filters without_restrictions without_limits"
        " no_restrictions evil",
        "de": "unbeschrankt* uneingeschrankt* ungefiltert* unzensiert* jailbreak dan gott"
        " ohne_filter ohne_einschrankungen ohne_beschrankungen ohne_grenzen ohne_regeln",
        "fr": "illimite sans_restriction sans_restrictions sans_filtre sans_filtres sans_limite"
        " sans_limites sans_censure non_censure non_filtre jailbreak dan dieu libre",
        "es": "ilimitado sin_restricciones sin_filtros sin_filtro sin_limites sin_censura"
        " irrestricto jailbreak dan dios",
        "it": "illimitato illimitata senza_restrizioni senza_filtri senza_limiti senza_censura"
        " jailbreak dan dio",
        "pt": "irrestrito ilimitado sem_restricoes sem_filtros sem_filtro sem_limites sem_censura"
        " jailbreak dan deus",
        "nl": "onbeperkt* ongefilterd* ongecensureerd* zonder_filters zonder_beperkingen"
        " zonder_grenzen jailbreak dan",
        "pl": "nieograniczon* bez_ograniczen bez_filtrow bez_cenzury nieocenzurowan* jailbreak"
        " dan",
        "tr": "sinirsiz kisitlamasiz filtresiz sansursuz jailbreak dan tanri",
    },
    "inner_mode": {
        "en": "developer debug admin administrator root maintenance diagnostic sudo superuser"
        " test override",
        "de": "entwickler* debug admin* wartungs* diagnose*",
        "fr": "developpeur debug administrateur maintenance admin",
        "es": "desarrollador depuracion administrador mantenimiento admin",
        "it": "sviluppatore debug amministratore manutenzione admin",
        "pt": "desenvolvedor programador depuracao administrador manutencao admin",
        "nl": "ontwikkelaars* ontwikkelaar* debug beheer* onderhouds*",
        "pl": "dewelopera deweloperski programisty administratora debugowania serwisowy",
        "tr": "gelistirici hata_ayiklama yonetici bakim admin",
    },
    "secret": {
        "en": "key_file key_files customer_lists one_time_code one_time_codes"
        " password passwords credential credentials api_key api_keys access_code"
        " access_codes access_token tokens secrets private_notes private_messages"
        " private_data personal_data confidential* customer_list customer_data client_list"
        " client_data salaries salary private_keys card_numbers passcodes pins login_data"
        " bank_details",
        "de": "passwort* passworter* kennwort* kennworter* zugangsdaten zugangscode* geheimniss*"
        " vertraulich* kundendaten kundenliste* gehalter geheime_daten privaten_notizen"
        " personenbezogen* anmeldedaten schlussel kontodaten",
        "fr": "mot_de_passe mots_de_passe identifiants secrets donnees_personnelles"
        " donnees_confidentielles confidentiel* cle_api cles_api codes_d_acces notes_privees"
        " salaires donnees_clients donnees_privees messages_prives",
        "es": "contrasena contrasenas claves clave_api credenciales secretos datos_personales"
        " datos_confidenciales confidencial* salarios notas_privadas datos_de_clientes"
        " datos_privados codigos_de_acceso mensajes_privados",
        "it": "password credenziali segreti dati_personali dati_riservati riservat* chiavi"
        " codici_di_accesso stipendi note_private dati_dei_clienti chiavi_api"
        " messaggi_privati",
        "pt": "senha senhas credenciais segredos dados_pessoais dados_confidenciais confidencia*"
        " chaves palavra_passe palavras_passe salarios notas_privadas dados_dos_clientes"
        " codigos_de_acesso mensagens_privadas",
        "nl": "klantenlijst* wachtwoord* inloggegevens geheimen persoonsgegevens vertrouwelijk*"
        " sleutels"
        " klantgegevens salarissen toegangscodes prive_notities persoonlijke_gegevens",
        "pl": "haslo hasla hasel dane_logowania dane_osobowe danych_osobowych poufn* klucze"
        " kluczy kody_dostepu pensje tajne dane_klientow danych_klientow tajemnice",
        "tr": "giris_bilgilerini giris_bilgileri musteri_bilgilerini musteri_verilerini"
        " kimlik_bilgilerini erisim_kodlarini gizli_notlari sifre sifreler* sifreyi parola*"
        " gizli_bilgi* kisisel_veri* kimlik_bilgi*"
        " anahtarlari maaslari musteri_veri* musteri_bilgi* erisim_kod* giris_bilgi*"
        " gizli_not*",
    },
    "talk": {
        "en": "conversation conversations chat chats transcript dialogue chat_history history"
        " everything_said messages",
        "de": "gesprach* verlauf chatverlauf* unterhaltung* dialog* nachrichten chat",
        "fr": "conversation conversations historique dialogue messages discussion",
        "es": "conversacion conversaciones historial dialogo mensajes charla",
        "it": "conversazione conversazioni cronologia dialogo messaggi chat",
        "pt": "conversa conversas historico dialogo mensagens",
        "nl": "gesprek gesprekken chatgeschiedenis geschiedenis dialoog berichten",
        "pl": "rozmowe rozmowy rozmow historie historii czat czatu wiadomosci dialog",
        "tr": "konusma* sohbet* gecmisini mesajlari yazisma*",
    },
    "memories": {
        "de": "erinnerungen notizen gedachtnis",
        "fr": "memoires souvenirs notes",
        "es": "memorias recuerdos notas",
        "it": "ricordi memorie note_salvate",
        "pt": "memorias notas lembrancas",
        "nl": "herinneringen notities",
        "pl": "wspomnienia notatki pamiec",
        "tr": "anilari hafizayi notlari bellegi",
    },
    "outside": {
        "any": "http https www ftp webhook telegram pastebin discord com org net io example dev ru"
        " xyz",
        "en": "external",
        "de": "extern*",
        "fr": "externe externes exterieur",
        "es": "externo externa",
        "it": "esterno esterna",
        "pt": "externo externa",
        "nl": "externe extern",
        "pl": "zewnetrzn*",
        "tr": "harici disaridaki",
    },
    "authority": {
        "en": "administrator administrators admin admins management ceo cto ciso board developer"
        " developers operator openai anthropic owner security_team legal_department",
        "de": "administrator* admin geschaftsfuhrung vorstand leitung chef chefin sicherheitsteam"
        " rechtsabteilung betreiber entwickler",
        "fr": "administrateur direction developpeur pdg administration chef operateur",
        "es": "administrador administradora direccion gerencia desarrollador jefe operador",
        "it": "amministratore direzione sviluppatore dirigenza capo operatore",
        "pt": "administrador administradora direcao diretoria desenvolvedor chefe operador",
        "nl": "beheerder directie ontwikkelaar bestuur baas management",
        "pl": "administrator* zarzad dyrekcja kierownictwo szef operator deweloper",
        "tr": "yonetici* yonetim mudur* gelistirici operator",
    },
    "check": {
        "en": "approvals confirmations reviews second_look asking check* confirm* approval verif*"
        " consent permission validation review"
        " question",
        "de": "ruckfrage* prufung* bestatigung* nachfrage* nachzufragen zu_fragen genehmigung*"
        " zustimmung kontrolle* prufen",
        "fr": "demander verifi* confirmation* approbation accord controle validation",
        "es": "preguntar verificar verificacion confirmacion aprobacion permiso comprobar"
        " revision",
        "it": "chiedere verificare verifica conferma approvazione permesso controllo controllare",
        "pt": "perguntar verificar verificacao confirmacao aprovacao permissao",
        "nl": "vragen controle controleren bevestiging goedkeuring toestemming verificatie",
        "pl": "pytania sprawdzania sprawdzenia potwierdzenia zgody weryfikacji pytajac kontroli",
        "tr": "sormadan onaysiz onay_almadan dogrulamadan kontrol_etmeden teyit_etmeden",
    },
    # What protects people from a model.
    "shield": {
        "en": "guard_rail guard_rails"
        " safety_settings safety_filter safety_filters guardrail guardrails safeguard"
        " safeguards content_filter content_filters privacy_filter safety_rules"
        " safety_checks safety_layer safety_protocols",
        "de": "sicherheitseinstellung* schutzregel* sicherheitsfilter* schutzmechanis*"
        " inhaltsfilter* sicherheitsvorgaben schutzschranken",
        "fr": "garde_fous filtres_de_securite protections",
        "es": "filtros_de_seguridad salvaguardas protecciones barreras_de_seguridad",
        "it": "filtri_di_sicurezza protezioni salvaguardie",
        "pt": "filtros_de_seguranca protecoes salvaguardas",
        "nl": "veiligheidsfilter* beveiligingen vangrails",
        "pl": "zabezpieczen zabezpieczenia filtry_bezpieczenstwa",
        "tr": "guvenlik_filtre* guvenlik_onlem* korumalarini",
    },
    # Who may ask a model.
    "asker": {
        "en": "anyone anybody someone somebody user users customer customers client clients"
        " caller callers member members visitor guest person they cfo ceo boss auditor auditors"
        " people whoever everyone",
        "de": "jemand nutzer* kunde kunden mitglied wer irgendwer",
        "fr": "quelqu_un on utilisateur client clients quiconque membre",
        "es": "alguien usuario cliente clientes quien miembro",
        "it": "qualcuno utente cliente clienti chiunque",
        "pt": "alguem usuario utilizador cliente clientes quem",
        "nl": "iemand gebruiker klant klanten wie",
        "pl": "ktos uzytkownik* klient* ktokolwiek kto",
        "tr": "biri birisi kullanici* musteri* kim",
    },
    "promo": {
        "en": "advert advertisement slogan sponsor promotional commercial plug_for",
        "de": "werbung werbespruch werbeslogan sponsor",
        "fr": "publicite slogan sponsor reclame",
        "es": "anuncio publicidad eslogan patrocinador",
        "it": "pubblicita slogan sponsor",
        "pt": "anuncio publicidade slogan patrocinador",
        "nl": "reclame slogan sponsor advertentie",
        "pl": "reklame reklama reklamy slogan sponsora",
        "tr": "reklam reklamini slogan sponsor",
    },
    # Writings of any kind: "hide this message" is a wish for a page.
    "writing": {
        "en": "text message line sentence paragraph",
        "de": "text nachricht zeile satz",
        "fr": "texte message ligne phrase",
        "es": "texto mensaje linea frase",
        "it": "testo messaggio riga frase",
        "pt": "texto mensagem linha frase",
        "nl": "tekst bericht zin",
        "pl": "tekst wiadomosc wiadomosci linia zdanie",
        "tr": "metin metni mesaj mesaji mesajdan satir cumle",
    },
}  # fmt: skip
# What nobody but a model is bound by: a customer has a policy, orders and a training as well.
_OF_PEOPLE = frozenset({"policy", "policies", "orders", "training", "briefing"})
NOUNS["model_rules"] = NOUNS["rules"] | {
    "en": " ".join(word for word in NOUNS["rules"]["en"].split() if word not in _OF_PEOPLE)
}
