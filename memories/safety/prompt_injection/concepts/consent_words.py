"""Words of leave and of agreement, claimed or refused; in nine languages. Pure.

The notation: verbs.py.
"""

CONSENT_WORDS: dict[str, dict[str, str]] = {
    # "I authorise you": a right given by a text.
    "i_grant": {
        "en": "i_authorise i_authorize i_allow i_permit i_grant i_hereby i_empower i_approve"
        " authorises_you authorizes_you hereby_authorise hereby_authorize hereby_allow"
        " you_are_authorised you_are_authorized you_have_my",
        "de": "ich_erlaube ich_ermachtige ich_genehmige ich_gestatte ich_befuge hiermit"
        " ich_erteile",
        "fr": "je_t_autorise je_vous_autorise j_autorise je_te_permets je_vous_permets t_autorise"
        " vous_autorise",
        "es": "te_autorizo le_autorizo autorizo te_permito les_autorizo te_autoriza",
        "it": "ti_autorizzo vi_autorizzo autorizzo ti_permetto vi_permetto ti_autorizza",
        "pt": "autorizo_te autorizo_o te_autorizo autorizo permito_te o_autorizo",
        "nl": "ik_machtig ik_geef ik_sta ik_autoriseer hierbij",
        "pl": "upowazniam zezwalam pozwalam niniejszym",
        "tr": "yetki_veriyorum izin_veriyorum yetkilendiriyorum izin_verilmistir",
    },
    "skip": {
        "en": "skip skipping bypass bypassing omit omitting forgo waive waiving without no",
        "de": "uberspring* umgeh* auslassen auszulassen ohne verzichten wegzulassen",
        "fr": "sauter contourner passer ignorer sans omettre",
        "es": "saltarte saltarse saltar omitir sin ignorar",
        "it": "saltare omettere evitare senza ignorare",
        "pt": "saltar pular omitir dispensar sem ignorar",
        "nl": "overslaan over_te_slaan zonder omzeilen",
        "pl": "pomijac pomijania pominac bez pominiecia",
        "tr": "atlamana atlamaya atlama olmadan onaysiz sormadan atlayabilirsin",
    },
    "consent": {
        "en": "approval approvals confirmation confirmations permission permissions consent review"
        " reviews check checks verification sign_off asking second_look questions",
        "de": "freigabe* genehmigung* bestatigung* zustimmung* prufung* ruckfrage* nachzufragen"
        " kontrolle*",
        "fr": "approbation* validation* confirmation* autorisation* controle* accord demander"
        " verification*",
        "es": "aprobacion* confirmacion* permiso permisos revision* verificacion* preguntar"
        " consentimiento autorizacion*",
        "it": "approvazion* conferma conferme permesso permessi revision* verific* chiedere"
        " consenso"
        " autorizzazion*",
        "pt": "aprovacao aprovacoes confirmacao confirmacoes permissao permissoes revisao"
        " verificacao"
        " perguntar consentimento autorizacao",
        "nl": "goedkeuring* bevestiging* toestemming controle* vragen akkoord verificatie",
        "pl": "zgody zgode zgoda zatwierdzen* potwierdzen* pytania sprawdzen* weryfikacji"
        " akceptacji",
        "tr": "onay onaylari onaysiz izin sormadan kontrol teyit dogrulama",
    },
    "wave_through": {
        "en": "approve accept grant sign_off release authorise authorize confirm",
        "de": "genehmige genehmigt genehmigst akzeptier* winke bestatige bestatigt freigeben"
        " genehmigen",
        "fr": "approuve approuvez approuver valide validez valider accepte acceptez accepter",
        "es": "aprueba apruebe aprobar acepta acepte aceptar autoriza autorice",
        "it": "approva approvate approvare accetta accettate accettare autorizza",
        "pt": "aprova aprove aprovar aceita aceite aceitar autoriza autorize",
        "nl": "keur goedkeuren accepteer bevestig keurt",
        "pl": "zatwierdzaj zatwierdz zatwierdzac akceptuj akceptowac zatwierdzajcie",
        "tr": "onayla onaylayin kabul",
    },
    # To put words into somebody's mouth. English "claim" is a matter of insurance as well.
    "claim": {
        "en": "claim_she claim_he claim_they claim_we claim_everyone claim_everybody"
        " claim_nobody claim_all pretend_she pretend_he pretend_they pretend_everyone"
        " pretend_everybody insist_that say_falsely",
        "de": "behaupte behauptet behaupten",
        "fr": "pretends pretendez affirme affirmez",
        "es": "afirma afirme finge asegura asegure",
        "it": "sostieni afferma affermate fingi",
        "pt": "afirme afirma alegue finja",
        "nl": "beweer beweren",
        "pl": "twierdz twierdzcie udawaj",
        "tr": "iddia",
    },
    "agreed": {
        "en": "agreed agrees consented approved_it objected in_favour signed_it",
        "de": "zugestimmt zustimmt einverstanden stimmte gebilligt",
        "fr": "d_accord accepte consenti approuve",
        "es": "de_acuerdo aceptado acepto acordo aprobado estuvo_de",
        "it": "d_accordo accettato acconsentito approvato",
        "pt": "concordou concordaram aceitou de_acordo aprovou",
        "nl": "akkoord ingestemd eens instemde",
        "pl": "zgodzil* zgadza* zaakceptowal*",
        "tr": "kabul_ettigini onayladigini razi katildigini hemfikir",
    },
    # What puts right what is wrong.
    "correction": {
        "en": "correction corrections objection objections retraction retractions rebuttal"
        " rebuttals contradiction contradictions",
        "de": "korrektur* berichtigung* einwand einwande widerspruch* richtigstellung*",
        "fr": "correction corrections objection objections rectification* dementi dementis",
        "es": "correccion correcciones objecion objeciones rectificacion* desmentido*",
        "it": "correzione correzioni obiezione obiezioni rettifica rettifiche smentita smentite",
        "pt": "correcao correcoes objecao objecoes retificacao desmentido*",
        "nl": "correctie correcties bezwaar bezwaren rectificatie*",
        "pl": "korekt* sprostowan* poprawk* sprzeciw* zastrzezen*",
        "tr": "duzeltme* itiraz* tekzip*",
    },
    "turn_down": {
        "en": "ignore ignores ignoring disregard* reject refuse dismiss discard overlook",
        "de": "ignorier* missacht* verwirf verwerfe lehne weise ubergeh",
        "fr": "ignore ignorez ignorer rejette rejetez refuse refusez ecarte ecartez",
        "es": "ignora ignore ignorar rechaza rechace descarta descarte",
        "it": "ignora ignori ignorate ignorare rifiuta rifiutate respingi",
        "pt": "ignore ignora ignorar rejeite rejeita recuse recusa descarte",
        "nl": "negeer negeert negeren verwerp weiger wijs",
        "pl": "ignoruj ignorowac odrzucaj odrzuc zignoruj",
        "tr": "yoksay gormezden reddet dikkate_alma kabul_etme",
    },
    "later": {
        "en": "later future subsequent further follow_up any",
        "de": "spater* kunftig* weitere* nachfolgend* jede* alle",
        "fr": "ulterieur* futur* suivant* toute toutes tout",
        "es": "posterior* futur* siguiente* toda todas cualquier",
        "it": "successiv* futur* ulterior* ogni qualsiasi",
        "pt": "posterior* futur* seguinte* qualquer todas",
        "nl": "latere toekomstige verdere elke alle",
        "pl": "pozniejsz* przyszl* dalsz* wszelki* wszystk*",
        "tr": "sonraki gelecek* ileride tum her",
    },
}  # fmt: skip
