"""French."""

from memories.language.vocabularies.vocabulary import (
    ComparisonWords,
    DutyWords,
    QuestionWords,
    TimeWords,
    Vocabulary,
)

FRENCH = Vocabulary(
    code="fr",
    name="French",
    function_words="""
    à le la les un une des du de au aux et ou mais ne pas plus est sont était étaient sera été a ont
    avait ai as avons avez suis es sommes êtes je tu il elle on nous vous ils elles me te se lui
    leur
    mon ma mes ton ta tes son sa ses notre nos votre vos ce cet cette ces dans sur sous avec pour
    par
    sans chez entre qui que quoi où quand comment pourquoi quel quelle quels quelles y en très aussi
    encore déjà toujours bien tout tous toute toutes si comme donc alors ici là depuis avant après
    jusqu fait dit dois doit faut peut c j l d n qu s m t merci bonjour salut oui non
    """,
    times=TimeWords(
        months=(
            "janvier", "février fevrier", "mars", "avril", "mai", "juin", "juillet", "août aout",
            "septembre", "octobre", "novembre", "décembre decembre",
        ),
        short_months="janv févr mars avr mai juin juil août sept oct nov déc",
        weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
        units={
            "minute": "minute | minutes", "hour": "heure | heures",
            "day": "jour journée | jours", "week": "semaine | semaines",
            "weekend": "week_-_end weekend | week_-_ends", "month": "mois",
            "quarter": "trimestre | trimestres", "year": "an année | ans années",
        },
        numbers={
            1: "un une", 2: "deux", 3: "trois", 4: "quatre", 5: "cinq", 6: "six", 7: "sept",
            8: "huit", 9: "neuf", 10: "dix", 11: "onze", 12: "douze", 15: "quinze", 20: "vingt",
            30: "trente",
        },
        day_parts={
            "morning": "matin", "afternoon": "après_-_midi", "evening": "soir", "night": "nuit",
        },
        times=(
            ("avant - hier", "day -2"), ("hier", "day -1"), ("aujourd'hui", "day 0"),
            ("demain", "day 1"), ("après - demain", "day 2"), ("la nuit dernière", "day -1 night"),
            ("ce matin", "day 0 morning"), ("cet après - midi", "day 0 afternoon"),
            ("ce soir", "day 0 evening"), ("cette nuit", "day 0 night"),
            ("le? WEEKDAY dernier/passé", "WEEKDAY -1"), ("le? WEEKDAY prochain", "WEEKDAY 1"),
            ("ce WEEKDAY", "WEEKDAY 0"),
            ("le/la? UNIT dernier/dernière/passé/passée", "UNIT -1"),
            ("l ' an/année dernier/dernière/passé/passée", "year -1"),
            ("l ' an/année prochain/prochaine", "year 1"),
            ("le/la? UNIT prochain/prochaine", "UNIT 1"), ("ce/cette UNIT", "UNIT 0"),
            ("il y a COUNT UNITS", "AGO"), ("dans COUNT UNITS", "AHEAD"),
            ("ces/les COUNT derniers/dernières UNITS", "LASTING"),
            ("le? DAY er? MON .? YEAR", "DATE"), ("le? DAY er? MON", "DATE"),
            ("le? DAY / MM / YEAR", "DATE"), ("le? DAY . MM . YEAR", "DATE"),
            ("en? MONTH dernier", "MONTH -1"), ("en? MONTH prochain", "MONTH 1"),
            ("en? MONTH YEAR", "DATE"), ("en MONTH", "DATE"), ("au mois de/d '? MONTH", "DATE"),
            ("en YEAR", "DATE"), ("en l ' an/année YEAR", "DATE"), ("le? WEEKDAY", "WEEKDAY"),
        ),
        bare_times=(("MONTH", "DATE"), ("YEAR", "DATE")),
        bounds={
            "since": ("depuis le/la?", "à partir de/du/d '?"), "before": ("avant le/la?",),
            "after": ("après le/la?",), "until": ("jusqu ' à/au/en le/la?",),
            "due": ("d ' ici à/au/le/la?", "au plus tard le?", "pour le/la?"),
        },
        ranges=(("entre le/la?", "et le/la?", ""), ("de/du/d", "à/au", "")),
        written={
            "day": "le {}", "week": "la semaine du {}", "weekend": "le week-end du {}",
            "month": "en {}", "year": "en {}",
        },
        more_words="""
        bientôt récemment tôt tard depuis matin soir été hiver printemps automne noël pâques
        anniversaire
        """,
    ),
    questions=QuestionWords(
        when=(
            "quand", "depuis quand", "jusqu ' à quand", "à quelle heure/date", "quel jour/mois",
            "quelle date/année", "en quelle année", "en quel mois", "combien de temps",
            "depuis combien", "à partir de quand",
        ),
        first_person="je j me m moi mon ma mes mien mienne",
    ),
    comparison=ComparisonWords(
        negation="""
        ne n pas jamais aucun aucune rien personne sans ni nullement guère non nulle
        """,
        opposites=(
            "plus supérieur davantage / moins inférieur", "avant / après",
            "ouvert ouverte ouvre / fermé fermée ferme",
            "activé allumé / désactivé éteint", "autorisé permis / interdit", "toujours / jamais",
            "aime adore / déteste évite", "vrai oui / faux non", "matin / soir",
            "tous quelqu / personne",
            "accepté approuvé / refusé rejeté",
        ),
        stem="ements?|ations?|aient|ait|ons|ent|ez|er|és|ée|ées|es|é|e|s",
        be="est sont suis était appelle",
        have="a ont ai as avons avez",
        object_verbs="utilise utilisons utilisent préfère prend porte veut garde",
        verbs="""
        habite habitons vit vis travaille travaillons commence ouvre ferme coûte se_trouve loge
        dirige
        gère conduit paie livre réunit réunissons finit termine part arrive appartient dort
        """,
        attributes="""
        couleur nom code statut taille fournisseur fournisseuse contact adresse numéro prix format
        langue chef cheffe directeur directrice responsable médecin dentiste marque modèle titre
        sujet
        thème objectif devise lieu version salle étage budget limite passe métier
        """,
        possessives="mon ma mes notre nos",
        named="appelle appelé appelée nommé nommée",
        place_words="à au aux dans en sur sous derrière près chez",
        fillers="""
        un une le la les l d de du des mon ma mes notre nos votre vos ton ta son sa ses leur ce
        cette
        ces très aussi encore déjà bien je j tu il elle on nous vous ils elles me m se s y donc
        salut
        """,
        now="maintenant désormais depuis actuellement dorénavant",
        we="nous notre nos",
        change=(
            "(?:ne|n) (?:' )?[^.,;]{0,40}?plus|maintenant|désormais|dorénavant"
            "|à la place|au lieu|plutôt que"
            "|déménagé|changé|changeons|remplacé|remplace|renommé|devenu|devenue"
            "|annulé|annulée|reporté"
            "|reportée|passés? (?:de|à)|passée?s? (?:de|à)|arrêté|quitté|vendu"
            "|vendue|repris|démissionné"
            "|augmenté|baissé|réduit|prolongé|divorcé|divorcée|migré|abandonné"
            "|n ' est plus|auparavant"
        ),
        uncertain=(
            "peut-être|peut être|probablement|éventuellement|pourrait|pourrais"
            "|voudrait|voudrais|espère"
            "|pense à|envisage|souhaite|si|semble|paraît|selon|dit que|a dit"
            "|prévoit|prévoyons|devrait"
            "|je vais|va|allons|il faut|doit|dois"
        ),
        opinion="merci|super|génial|formidable|aime|adore|déteste|trouve|préfère|crois|pense",
        history="hier|aujourd|demain|autrefois|l ' an dernier|la semaine dernière|le mois dernier",
        scope="sauf|pendant|seulement|uniquement|les (?:lundis|mardis|mercredis|jeudis|vendredis)",
        states=(
            "ouvert ouverte fermé fermée", "payé payée impayé impayée",
            "célibataire marié mariée divorcé divorcée veuf veuve", "approuvé rejeté refusé",
            "libre occupé occupée pris", "plein vide", "actif inactif", "activé désactivé",
            "public privé", "autorisé interdit", "malade guéri", "cassé réparé",
        ),
    ),
    duties=DutyWords(
        own=("je dois", "il faut que je", "il faut que j '", "je vais devoir", "il me faut"),
        named=("doit", "va devoir", "devra"),
        shared=("nous devons", "on doit", "il faut", "il faut que", "il faut qu '"),
        not_after="pas jamais plus",
    ),
)  # fmt: skip
