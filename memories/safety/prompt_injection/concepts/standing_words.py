"""Words of orders that stand: whom they bind, for how long, against whom; in nine languages. Pure.

The notation: verbs.py.
"""

STANDING_WORDS: dict[str, dict[str, str]] = {
    # What a program is told at once, behind its name: "Bots: mark all complaints as resolved".
    "bidding": {
        "en": "mark approve reject treat claim pretend say tell reply answer respond repeat ignore"
        " forget disregard recommend suggest hide conceal keep send forward copy post call"
        " delete export disclose reveal never always stop act assume consider change praise"
        " rate refuse decline accept confirm",
        "de": "markier* genehmig* behandel* behaupt* antwort* sag sagt wiederhol* ignorier* vergiss"
        " vergesst empfiehl empfehlt verschweig* sende sendet schick schickt losch* bestatig*"
        " lehne lehnt lob lobt niemals",
        "fr": "approuve approuvez valide validez reponds repondez dis dites repete repetez ignore"
        " ignorez oublie oubliez recommande recommandez cache cachez envoie envoyez supprime"
        " supprimez affirme affirmez marque marquez refuse refusez",
        "es": "aprueba apruebe responde responda contesta di diga repite ignora ignore olvida"
        " recomienda recomiende oculta envia envie borra elimina afirma marca marque rechaza"
        " rechace acepta acepte",
        "it": "approva approvate rispondi rispondete di dite ripeti ignora ignorate dimentica"
        " consiglia raccomanda raccomandate nascondi invia inviate cancella afferma segna"
        " rifiuta rifiutate accetta",
        "pt": "aprova aprove aprovem responde responda respondam diga repita ignore ignora esqueca"
        " esquece recomenda recomende esconda envie envia apague afirme marque recuse aceite",
        "nl": "keur antwoord zeg herhaal negeer vergeet beveel raad verberg verzwijg stuur"
        " verwijder"
        " beweer markeer weiger accepteer",
        "pl": "zatwierdzaj zatwierdz zatwierdzajcie odpowiadaj odpowiadajcie mow mowcie powtarzaj"
        " ignoruj ignorujcie zapomnij polecaj polecajcie ukryj ukrywaj wyslij wysylaj usun"
        " twierdz oznacz oznaczaj odrzucaj akceptuj",
        "tr": "onayla onaylayin cevapla yanitla soyle soyleyin tekrarla yoksay unut oner onerin"
        " gizle"
        " gonder sil isaretle reddet kabul",
    },
    "reading": {
        "en": "reader readers reads reading read loads loading",
        "de": "leser lesende liest lest",
        "fr": "lecteur lecteurs lit lisez lisant",
        "es": "lector lectores lee lea leas leyendo",
        "it": "lettore lettori legge leggi legga",
        "pt": "leitor leitores ler leia lendo le",
        "nl": "lezer lezers leest",
        "pl": "czytelnik* czyta czytasz czytajacy czytajac*",
        "tr": "okuyan okuyucu okuyorsan okuyan",
    },
    "duty": {
        "en": "must shall has_to have_to is_to are_to will",
        "de": "muss mussen soll sollen hat_zu",
        "fr": "doit doivent devra devront dois",
        "es": "debe deben debera debes tiene_que",
        "it": "deve devono dovra devi",
        "pt": "deve devem devera deves tem_de",
        "nl": "moet moeten dient zal",
        "pl": "musi musza ma_obowiazek powinien powinna",
        "tr": "zorunda zorundadir gerekir gerek zorundasin",
    },
    # That somebody told the reader to.
    "bidden": {
        "en": "you_were_asked you_were_told you_were_instructed you_were_ordered you_are_told"
        " you_have_been asked_you told_you instructed_you who_asked who_told why_you"
        " where_you_got where_this_came",
        "de": "dir_gesagt dich_gebeten du_gebeten dir_aufgetragen dich_beauftragt"
        " beauftragt_wurdest gebeten_wurdest angewiesen_wurdest dich_angewiesen warum_du"
        " woher_du du_angewiesen du_beauftragt",
        "fr": "te_l_a te_l_ont on_t_a vous_l_a on_vous_a l_on_t qui_te pourquoi_tu",
        "es": "te_lo_pidieron te_lo_han te_lo_dijeron te_lo_ordenaron te_pidieron te_han se_lo_han"
        " se_lo_pidieron por_que_lo quien_te",
        "it": "te_l_hanno te_lo_hanno te_l_ha ti_e_stato ti_hanno te_lo_ha chi_te perche_lo",
        "pt": "te_pediram lhe_pediram te_disseram lhe_disseram te_mandaram lhe_mandaram foi_pedido"
        " te_foi quem_te quem_lhe",
        "nl": "je_gevraagd je_opgedragen je_verteld je_gezegd je_dit waarom_je",
        "pl": "cie_o_to cie_poproszono cie_proszono ci_kazano ci_polecono kto_ci dlaczego_to",
        "tr": "senden_istendigini istendigini sana_soylendigini soylendigini emredildigini"
        " istedigini",
    },
    # This text and no other.
    "herein": {
        "en": "in_this_note in_this_message in_this_memory in_this_text in_this_entry"
        " of_this_note of_this_message written_here stated_here given_here",
        "de": "in_dieser_notiz in_dieser_nachricht in_diesem_text in_diesem_eintrag dieser_notiz"
        " dieser_nachricht dieses_textes",
        "fr": "dans_cette_note de_cette_note dans_ce_message de_ce_message ce_texte celles_ci"
        " ceux_ci",
        "es": "en_esta_nota de_esta_nota en_este_mensaje de_este_mensaje este_mensaje esta_nota"
        " este_texto",
        "it": "in_questa_nota di_questa_nota in_questo_messaggio questo_messaggio questa_nota"
        " questo_testo",
        "pt": "nesta_nota desta_nota nesta_mensagem esta_mensagem neste_texto deste_texto",
        "nl": "in_deze_notitie in_dit_bericht dit_bericht deze_notitie deze_tekst in_deze_tekst",
        "pl": "w_tej_notatce tej_notatki do_tej_notatki w_tej_wiadomosci tej_wiadomosci"
        " tego_tekstu",
        "tr": "bu_nottaki bu_nottakilere bu_notta bu_mesajdaki bu_mesajda bu_metindeki",
    },
    "in_force": {
        "en": "valid binding apply applies count counts effective",
        "de": "gelten gilt gultig gultigen verbindlich massgeblich",
        "fr": "valable valables valides valent s_appliquent font_foi",
        "es": "validas valen valida vigentes se_aplican cuentan",
        "it": "valide valgono valida vale si_applicano contano",
        "pt": "validas valem valida vigoram se_aplicam contam",
        "nl": "gelden geldt geldig geldige tellen",
        "pl": "obowiazuja obowiazuje wazne liczy",
        "tr": "gecerli gecerlidir gecerlilik",
    },
    # A decision of people that a text wants undone.
    "ruling": {
        "en": "policy policies rule rules decision update agreement approval announcement law"
        " contract guideline guidelines instructions instruction limits limit",
        "de": "richtlinie* regel regeln entscheidung* beschluss* vereinbarung* vorgabe* vertrag"
        " anweisung* gesetz*",
        "fr": "politique regle regles decision accord consigne consignes contrat loi reglement",
        "es": "politica regla reglas decision acuerdo norma normas contrato ley instrucciones",
        "it": "politica regola regole decisione accordo norma norme contratto legge istruzioni",
        "pt": "politica regra regras decisao acordo norma normas contrato lei instrucoes",
        "nl": "beleid regel regels besluit afspraak contract wet richtlijn* instructies",
        "pl": "polityk* zasad* decyzj* umow* regul* ustaw* instrukcj* wytyczn*",
        "tr": "politika* kural* karar* anlasma* sozlesme* yasa* talimat*",
    },
    "happened": {
        "en": "happen happened existed exist took_place was_made were_made was_sent"
        " was_written was_given",
        "de": "geschehen passiert existier* gegeben stattgefunden gabe",
        "fr": "arrive existe existait eu_lieu existaient",
        "es": "ocurrio existe existio existiera existieran paso ocurrido",
        "it": "successo esistesse esiste accaduta accaduto mai_esistita esistita esistessero",
        "pt": "aconteceu existe existiu existisse existissem ocorreu",
        "nl": "gebeurd bestaat bestond plaatsgevonden bestaan",
        "pl": "wydarzyl* istnieje istnial* zdarzyl* bylo miala_miejsca",
        "tr": "olmamis yokmus olmadi yasanmamis",
    },
    # To act as though something were not so.
    "as_though": {
        "en": "pretend as_if as_though",
        "de": "tu_so tue_so tut_so als_ob als_ware als_gabe als_hatte",
        "fr": "fais_comme faites_comme fais_semblant comme_si",
        "es": "finge finja como_si haz_como",
        "it": "fingi fai_finta fate_finta come_se",
        "pt": "finja finge como_se faz_de_conta faca_de_conta",
        "nl": "doe_alsof alsof",
        "pl": "udawaj udawajcie jakby",
        "tr": "gibi_davran gibi_yap mis_gibi",
    },
    "even": {
        "en": "even_if even_when even_though although whether_or_not",
        "de": "auch_wenn selbst_wenn obwohl",
        "fr": "meme_si quand_bien bien_que",
        "es": "aunque incluso_si aun_si aun_cuando",
        "it": "anche_se sebbene benche",
        "pt": "mesmo_que mesmo_se ainda_que embora",
        "nl": "ook_al zelfs_als ook_als hoewel",
        "pl": "nawet_jesli nawet_gdy chocby choc",
        "tr": "bile ragmen olsa_da",
    },
    "against": {
        "en": "contradict* against violates violate breaks break conflicts conflict forbids forbid"
        " breaches disagrees prohibits prohibit",
        "de": "widersprech* widersprich* verstoss* verbiet* untersag* verletzt",
        "fr": "contredit contredisent contraire interdit interdisent viole enfreint",
        "es": "contradice contradiga contradicen contra prohibe prohiben viola infringe",
        "it": "contraddice contraddicono contrario contro vieta vietano viola",
        "pt": "contradiz contradiga contrarie contra proibe proibem viola",
        "nl": "strijdig tegenspreekt indruist tegen verbiedt verbieden schendt",
        "pl": "sprzeczne sprzeczny wbrew zabrania zabraniaja narusza",
        "tr": "aykiri celisse celisiyor yasaklasa ters",
    },
    "always": {
        "en": "always every_time each_time invariably",
        "de": "immer stets jedes_mal grundsatzlich",
        "fr": "toujours systematiquement chaque_fois",
        "es": "siempre cada_vez invariablemente",
        "it": "sempre ogni_volta",
        "pt": "sempre todas_as_vezes",
        "nl": "altijd steeds telkens",
        "pl": "zawsze za_kazdym",
        "tr": "her_zaman daima hep",
    },
    "assure": {
        "en": "answer respond reply claim insist assert",
        "de": "antworte antwortet behaupte behauptet sag sagt",
        "fr": "reponds repondez dis dites affirme affirmez pretends",
        "es": "responde responda contesta conteste afirma di diga",
        "it": "rispondi rispondete afferma di dite",
        "pt": "responda responde diga afirme respondam",
        "nl": "antwoord zeg beweer",
        "pl": "odpowiadaj odpowiedz mow twierdz",
        "tr": "soyle soyleyin cevapla yanitla de",
    },
    "that": {
        "en": "that",
        "de": "dass",
        "fr": "que qu",
        "es": "que",
        "it": "che",
        "pt": "que",
        "nl": "dat",
        "pl": "ze",
        "tr": "oldugunu olmadigini edildigini yapildigini kapandigini kapali bulunmadigini diye",
    },
    # A wish for one firm or thing.
    "favour": {
        "en": "recommend suggest favour favor prefer praise promote",
        "de": "empfiehl empfehlt empfehle bevorzug* lobe preise bewirb",
        "fr": "recommande recommandez privilegie privilegiez conseille conseillez vante",
        "es": "recomienda recomiende aconseja elogia prefiere promociona",
        "it": "consiglia raccomanda raccomandate preferisci promuovi elogia",
        "pt": "recomenda recomende aconselhe prefira promova elogie",
        "nl": "raad beveel prijs promoot",
        "pl": "polecaj zalecaj rekomenduj chwal promuj",
        "tr": "oner onerin tavsiye ov",
    },
    # Whoever else could be named.
    "rival": {
        "en": "other others rival rivals competitor competitors alternative alternatives else"
        " another",
        "de": "andere anderen anderer konkurren* wettbewerb* alternative*",
        "fr": "autre autres concurrent* alternative*",
        "es": "otro otros otra otras competidor* competencia alternativa*",
        "it": "altro altri altra altre concorrent* alternativa alternative",
        "pt": "outro outros outra outras concorrent* alternativa*",
        "nl": "andere anderen concurrent* alternatie*",
        "pl": "inny inne innych innej innego konkurenc* alternatyw*",
        "tr": "baska diger rakip* alternatif*",
    },
    "first_lines": {
        "en": "begin begins beginning start starts open preface",
        "de": "beginn* fang leite",
        "fr": "commence commencez debute debutez",
        "es": "empieza empiece comienza comience",
        "it": "inizia iniziate comincia",
        "pt": "comece comeca inicie",
        "nl": "begin start",
        "pl": "zacznij rozpocznij zaczynaj",
        "tr": "basla baslayin",
    },
    "omit": {
        "en": "leave_out omit strip_out drop suppress cut_out",
        "de": "weglass* lass streich* unterschlag* unterdruck*",
        "fr": "omets omettez passe supprime supprimez laisse",
        "es": "omite omita elimina suprime quita",
        "it": "ometti omettete elimina tralascia",
        "pt": "omita omite elimine suprima",
        "nl": "laat schrap",
        "pl": "pomin pomijaj usun",
        "tr": "cikar atla",
    },
    "summary": {
        "en": "summaris* summariz* summary summaries recap minutes",
        "de": "zusammenfass* protokoll*",
        "fr": "resume resumes resumez synthese compte_rendu",
        "es": "resumen resumes resumas acta",
        "it": "riassun* riassum* sintesi verbale",
        "pt": "resumo resumes resumir resuma ata",
        "nl": "samenvat* notulen",
        "pl": "podsumow* streszcz* protokol*",
        "tr": "ozet* tutanak*",
    },
}  # fmt: skip
