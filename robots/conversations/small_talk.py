"""Small talk of languages as data: greetings, thanks, consent. Pure.

A phrase is as it is written in small letters, "_" joins its words. Companions say nothing beside a
phrase: "danke dir", "buongiorno a tutti". English stands in `chatter`.
"""
# ruff: noqa: RUF001 - letters of other languages

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

# English words: they are small talk beside other small talk alone.
_ENGLISH_TOO_WORDS = """
top super dag pa pas on te le no ok okay okey hi hey sorry pardon bravo prima perfect tot sim si non
a as vale exact ta
"""
_ENGLISH_TOO = frozenset(_ENGLISH_TOO_WORDS.split())


@dataclass(frozen=True)
class SmallTalk:
    """The small talk of one language. code: ISO 639-1."""

    code: str
    phrases: str
    companions: str

    @cached_property
    def by_first(self) -> dict[str, list[tuple[str, ...]]]:
        """The phrases by their first words, the longest first."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for phrase in self.phrases.split():
            words = tuple(fold_letters(phrase).split("_"))
            found.setdefault(words[0], []).append(words)
        return {first: sorted(phrases, key=len, reverse=True) for first, phrases in found.items()}

    @cached_property
    def companion_words(self) -> frozenset[str]:
        """The companions, folded."""
        return frozenset(fold_letters(self.companions).split())

    def remaining(self, words: Sequence[str]) -> list[int] | None:
        """The places of the words that are no small talk; None without any small talk."""
        left: list[int] = []
        at, found = 0, False
        while at < len(words):
            length = self._phrase_length(words, at)
            if not length:
                left.append(at)
            found = found or (length > 0 and (length > 1 or words[at] not in _ENGLISH_TOO))
            at += length or 1
        return [at for at in left if words[at] not in self.companion_words] if found else None

    def _phrase_length(self, words: Sequence[str], at: int) -> int:
        for phrase in self.by_first.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                return len(phrase)
        return 0


def fold_letters(text: str) -> str:
    """Small letters in one spelling; the Turkish i without a dot is an i."""
    return text.casefold().replace("i\u0307", "i").replace("\u0131", "i")


SMALL_TALK = (
    SmallTalk(
        "de",
        """
        hallo hallöchen hi hey moin moin_moin servus grüezi grüß_gott grüß_dich guten_morgen
        guten_tag guten_abend gute_nacht gute_besserung mahlzeit tschüss tschüß tschau ciao
        auf_wiedersehen bis_später bis_morgen bis_bald bis_dann bis_gleich bis_nachher bis_montag
        danke danke_schön dankeschön danke_sehr danke_dir vielen_dank besten_dank herzlichen_dank
        tausend_dank bitte bitte_schön bitteschön bitte_sehr gern_geschehen gerne kein_problem
        keine_ursache alles_klar alles_gut klar okay ok passt in_ordnung einverstanden genau stimmt
        ja nein jawohl doch super toll prima klasse spitze perfekt wunderbar schönen_tag
        schönes_wochenende
        schönen_abend schönen_feierabend entschuldigung sorry tut_mir_leid wie_geht_es_dir
        wie_geht's
        wie_gehts mir_geht_es_gut glückwunsch herzlichen_glückwunsch viel_erfolg viel_glück
        """,
        """
        dir euch ihnen dich allen alle zusammen leute liebe lieber sehr auch noch und an wieder
        schon
        einen ein so das ist mal für alles nochmal ich wünsche dann
        """,
    ),
    SmallTalk(
        "fr",
        """
        bonjour bonsoir salut coucou bonne_nuit bonne_journée bonne_soirée bon_week-end bon_appétit
        bienvenue au_revoir à_bientôt à_demain à_plus à_plus_tard à_tout_à_l'heure à_lundi merci
        merci_beaucoup merci_bien mille_mercis de_rien je_vous_en_prie je_t'en_prie pas_de_problème
        pas_de_souci s'il_vous_plaît s'il_te_plaît svp stp d'accord ok okay entendu parfait super
        génial très_bien ça_marche ça_va comment_ça_va oui non ouais exactement bravo félicitations
        désolé désolée pardon excuse-moi excusez-moi enchanté bonne_chance bon_courage
        """,
        """
        à a tous toutes tout tout_le_monde le monde toi vous et les amis l'équipe bien très aussi
        encore pour beaucoup mille
        """,
    ),
    SmallTalk(
        "es",
        """
        hola buenos_días buenas_tardes buenas_noches buenas buen_día bienvenido bienvenida adiós
        chao hasta_luego hasta_mañana hasta_pronto hasta_el_lunes nos_vemos gracias muchas_gracias
        mil_gracias muchísimas_gracias de_nada no_hay_de_qué por_favor vale de_acuerdo está_bien
        todo_bien ok okay claro perfecto genial estupendo muy_bien sí no exacto qué_tal cómo_estás
        cómo_está perdón disculpa disculpe lo_siento felicidades enhorabuena buen_fin_de_semana
        buena_suerte buen_provecho un_saludo saludos sin_problema
        """,
        """
        a todos todas todo el mundo equipo chicos chicas y muy bien por ti usted amigos luego
        también que tengas para
        """,
    ),
    SmallTalk(
        "it",
        """
        ciao salve buongiorno buon_giorno buonasera buona_sera buonanotte buona_notte buona_giornata
        buona_serata buon_weekend buon_fine_settimana benvenuto benvenuta arrivederci a_dopo
        a_domani
        a_presto a_lunedì ci_vediamo ci_sentiamo grazie grazie_mille molte_grazie tante_grazie prego
        di_niente figurati per_favore per_piacere va_bene d'accordo ok okay certo perfetto ottimo
        benissimo molto_bene bene sì no esatto come_va come_stai tutto_bene scusa scusi scusate
        mi_dispiace congratulazioni auguri complimenti in_bocca_al_lupo buon_lavoro nessun_problema
        """,
        "a tutti tutte ragazzi te voi e di molto davvero anche per tutto dopo",
    ),
    SmallTalk(
        "pt",
        """
        olá oi bom_dia boa_tarde boa_noite bem-vindo bem-vinda adeus tchau até_logo até_amanhã
        até_já
        até_breve até_mais até_segunda obrigado obrigada muito_obrigado muito_obrigada valeu de_nada
        não_há_de_quê por_favor se_faz_favor tudo_bem está_bem está_bom tá_bom ok okay claro beleza
        perfeito ótimo muito_bem sim não exato como_vai como_está como_estás desculpa desculpe
        com_licença sinto_muito parabéns felicidades boa_sorte bom_fim_de_semana bom_trabalho abraço
        abraços sem_problema combinado
        """,
        "a todos todas pessoal gente você vocês e muito mesmo por tudo equipa amigos para um",
    ),
    SmallTalk(
        "nl",
        """
        hallo hoi hey goedemorgen goede_morgen goedemiddag goede_middag goedenavond goede_avond
        goedenacht welterusten welkom doei dag tot_ziens tot_straks tot_morgen tot_later tot_snel
        tot_maandag bedankt dank_je dank_u dankjewel dank_je_wel dankuwel hartelijk_dank
        heel_erg_bedankt
        graag_gedaan geen_probleem geen_dank alsjeblieft alstublieft oké ok okay prima goed akkoord
        begrepen in_orde ja nee inderdaad precies top geweldig super hoe_gaat_het alles_goed sorry
        gefeliciteerd succes fijne_dag fijne_avond fijn_weekend prettig_weekend eet_smakelijk
        """,
        "allemaal iedereen jullie je u heel erg zeer en ook nog wel aan mensen team voor alles",
    ),
    SmallTalk(
        "pl",
        """
        cześć hej siema witam witaj witajcie dzień_dobry dobry_wieczór dobranoc dobrej_nocy
        do_widzenia do_zobaczenia do_jutra do_usłyszenia pa pa_pa na_razie na_zdrowie dziękuję
        dzięki
        wielkie_dzięki dziękuję_bardzo bardzo_dziękuję proszę proszę_bardzo nie_ma_za_co
        nie_ma_sprawy
        dobrze dobra w_porządku ok okej okay jasne pewnie zgoda super świetnie doskonale wspaniale
        tak
        nie dokładnie jak_się_masz co_słychać wszystko_dobrze przepraszam sorry gratulacje
        powodzenia
        miłego_dnia miłego_wieczoru miłego_weekendu smacznego pozdrawiam
        """,
        "wszystkim wszyscy państwu wam ci ludzie zespół bardzo i też za wszystko później",
    ),
    SmallTalk(
        "tr",
        """
        merhaba merhabalar selam selamlar günaydın iyi_günler iyi_akşamlar iyi_geceler tünaydın
        hoş_geldin hoş_geldiniz hoş_bulduk hoşça_kal hoşçakal güle_güle görüşürüz görüşmek_üzere
        yarın_görüşürüz teşekkürler teşekkür_ederim teşekkür_ederiz çok_teşekkürler sağ_ol sağol
        sağ_olun sağolun eyvallah rica_ederim bir_şey_değil lütfen tamam tamamdır peki olur oldu ok
        okey tabii tabi evet hayır aynen kesinlikle harika süper mükemmel çok_iyi güzel nasılsın
        nasılsınız iyiyim özür_dilerim pardon kusura_bakma tebrikler kolay_gelsin afiyet_olsun
        iyi_haftalar iyi_çalışmalar iyi_hafta_sonları
        """,
        "herkese arkadaşlar hepinize size sana çok ve de da sonra için her şey ederim",
    ),
)
