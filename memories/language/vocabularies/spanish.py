"""Spanish."""

from memories.language.vocabularies.vocabulary import (
    ComparisonWords,
    DutyWords,
    QuestionWords,
    TimeWords,
    Vocabulary,
)

SPANISH = Vocabulary(
    code="es",
    name="Spanish",
    function_words="""
    quizás quizá tal a el la los las un una unos unas de del al y o pero no es son era eran fue
    fueron será ser está
    están estaba ha han había he hemos hay tiene tienen tengo tenemos yo tú él ella nosotros ellos
    ellas usted ustedes me te se le les lo nos mi mis tu tus su sus nuestro nuestra nuestros este
    esta estos estas ese esa eso que qué quién quiénes cuál cuándo dónde cómo cuánto por para con
    sin
    sobre entre desde hasta en muy más también ya siempre nunca todo todos todas si como donde
    cuando
    porque ahora aquí hace soy somos estoy debe vale gracias hola alguien nadie después antes dijo
    """,
    spelling=r"[a-záéíóú]{0,20}ñ[a-záéíóú]{0,20}",
    times=TimeWords(
        months=(
            "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto",
            "septiembre setiembre", "octubre", "noviembre", "diciembre",
        ),
        short_months="ene feb mar abr may jun jul ago sept oct nov dic",
        weekdays=(
            "lunes", "martes", "miércoles miercoles", "jueves", "viernes", "sábado sabado",
            "domingo",
        ),
        units={
            "minute": "minuto | minutos", "hour": "hora | horas", "day": "día dia | días dias",
            "week": "semana | semanas", "weekend": "fin_de_semana finde | fines_de_semana",
            "month": "mes | meses", "quarter": "trimestre | trimestres", "year": "año | años",
        },
        numbers={
            1: "un una uno", 2: "dos", 3: "tres", 4: "cuatro", 5: "cinco", 6: "seis", 7: "siete",
            8: "ocho", 9: "nueve", 10: "diez", 11: "once", 12: "doce", 15: "quince", 20: "veinte",
            30: "treinta",
        },
        day_parts={
            "morning": "por_la_mañana", "afternoon": "por_la_tarde", "night": "por_la_noche",
            "evening": "al_anochecer",
        },
        times=(
            ("anteayer/antier", "day -2"), ("antes de ayer", "day -2"), ("ayer", "day -1"),
            ("anoche", "day -1 night"), ("hoy", "day 0"), ("mañana", "day 1"),
            ("pasado mañana", "day 2"), ("esta mañana", "day 0 morning"),
            ("esta tarde", "day 0 afternoon"), ("esta noche", "day 0 night"),
            ("el? WEEKDAY pasado", "WEEKDAY -1"), ("el pasado WEEKDAY", "WEEKDAY -1"),
            ("el próximo WEEKDAY", "WEEKDAY 1"), ("el? WEEKDAY próximo", "WEEKDAY 1"),
            ("el WEEKDAY que viene", "WEEKDAY 1"), ("este WEEKDAY", "WEEKDAY 0"),
            ("el/la? UNIT pasado/pasada", "UNIT -1"), ("el/la pasado/pasada UNIT", "UNIT -1"),
            ("el/la? próximo/próxima UNIT", "UNIT 1"), ("el/la? UNIT próximo/próxima", "UNIT 1"),
            ("el/la UNIT que viene", "UNIT 1"), ("este/esta UNIT", "UNIT 0"),
            ("hace COUNT UNITS", "AGO"), ("dentro de COUNT UNITS", "AHEAD"),
            ("en? los/las últimos/últimas COUNT UNITS", "LASTING"),
            ("el? DAY º? de MON .? de/del YEAR", "DATE"), ("el? DAY º? de MON", "DATE"),
            ("el? DAY / MM / YEAR", "DATE"), ("el? DAY . MM . YEAR", "DATE"),
            ("en? MONTH pasado", "MONTH -1"), ("en? MONTH próximo", "MONTH 1"),
            ("en? MONTH de/del YEAR", "DATE"), ("en? MONTH YEAR", "DATE"), ("en MONTH", "DATE"),
            ("en el? año? YEAR", "DATE"), ("el WEEKDAY", "WEEKDAY"),
        ),
        bare_times=(
            ("MONTH", "DATE"), ("YEAR", "DATE"), ("el? año YEAR", "DATE"),
            ("el? WEEKDAY", "WEEKDAY"),
        ),
        bounds={
            "since": ("desde el/la?", "a partir de/del el/la?"),
            "before": ("antes de/del el/la?",), "after": ("después de/del el/la?", "tras el/la?"),
            "until": ("hasta el/la?",),
            "due": ("para el/la?", "a más tardar el?", "como muy tarde el?"),
        },
        ranges=(
            ("entre el/la?", "y el/la?", ""), ("de/del/desde el/la?", "a/al/hasta el/la?", ""),
        ),
        not_after={"mañana": "la una cada buena de", "hoy": "hasta"},
        written={
            "day": "el {}", "week": "en la semana del {}", "weekend": "el fin de semana del {}",
            "month": "en {}", "year": "en {}",
        },
        more_words="""
        pronto recientemente tarde temprano desde noche verano invierno primavera otoño navidad
        cumpleaños
        """,
    ),
    questions=QuestionWords(
        when=(
            "cuándo", "cuando", "desde cuándo", "hasta cuándo", "a qué hora", "qué día/hora/fecha",
            "en qué fecha/año/mes/día", "cuánto tiempo", "cuál es la fecha", "a partir de cuándo",
        ),
        first_person="yo me mi mí mis mío mía míos mías conmigo",
    ),
    comparison=ComparisonWords(
        negation="""
        no ni nunca jamás nadie nada ningún ninguno ninguna ningunos ningunas sin tampoco
        """,
        opposites=(
            "más mayor superior / menos menor inferior", "antes / después",
            "abierto abierta abre / cerrado cerrada cierra",
            "activado encendido / desactivado apagado", "permitido / prohibido",
            "siempre / nunca jamás",
            "ama adora / odia evita", "verdadero sí / falso no", "mañana / tarde noche",
            "alguien todos / nadie", "aceptado aprobado / rechazado denegado",
        ),
        stem="amos|emos|imos|ando|iendo|ados?|adas?|aban?|os|as|es|an|en|ar|er|ir|a|o|e|s",
        be="es son soy era está están llama",
        have="tiene tienen tengo ha",
        object_verbs="usa usamos usan utiliza utilizamos prefiere lleva quiere guarda",
        verbs="""
        vive vivo vivimos trabaja trabajo trabajamos empieza comienza termina abre cierra cuesta
        queda
        reside dirige gestiona conduce paga entrega reúne sale llega pertenece duerme aparca
        """,
        attributes="""
        color nombre código contraseña estado tamaño proveedor proveedora contacto dirección número
        precio formato idioma lengua jefe jefa director directora responsable médico médica dentista
        marca modelo título tema objetivo moneda lugar versión sala piso presupuesto límite favorito
        """,
        possessives="mi mis nuestro nuestra",
        named="llama llamado llamada nombrado",
        place_words="en a sobre bajo detrás junto",
        fillers="""
        un una unos unas el la los las lo de del al mi mis nuestro nuestra nuestros tu su sus este
        esta
        ese esa muy también ya yo él ella nosotros ellos usted me se nos hola pues
        """,
        now="ahora desde actualmente hoy",
        we="nosotros nos nuestro nuestra",
        change=(
            "ya no|ya (?:tampoco|ni)|ahora|a partir de ahora|en lugar de"
            "|en vez de|mudado|mudé|mudó|mudamos"
            "|cambié|cambiado|cambió|cambiamos|cambiaron|reemplazado|sustituido"
            "|sustituye|renombrado"
            "|pasamos de|pasado de|se convirtió|cancelado|cancelada|canceló"
            "|aplazado|aplazada|dejó|dejado"
            "|dejé|renunció|vendió|vendido|vendida|subió|bajó|aumentó|redujo|prolongado|divorciado"
            "|divorciada|migrado|migramos|abandonó|antes"
        ),
        uncertain=(
            "quizás?|tal vez|probablemente|posiblemente|a lo mejor|podría"
            "|podrían|quisiera|querría|espera"
            "|espero|planea|planeamos|piensa|pienso|si|parece|según|dice que"
            "|dijo|debería|va a|voy a|vamos a"
            "|quiere|quiero|tengo que|tiene que|hay que"
        ),
        opinion="gracias|genial|estupendo|cree|creo|gusta|gustan|encanta|odia|odio|adora|opina",
        history="ayer|hoy|antiguamente|la semana pasada|el (?:mes|año) pasado|anoche",
        scope=(
            "excepto|salvo|durante|solo|sólo|solamente|los (?:lunes|martes|miércoles|jueves"
            "|viernes)"
        ),
        states=(
            "abierto abierta cerrado cerrada", "pagado pagada pendiente impagado",
            "soltero soltera casado casada divorciado divorciada viudo viuda", "aprobado rechazado",
            "libre ocupado ocupada", "lleno vacío", "activo inactivo", "público privado",
            "permitido prohibido", "enfermo sano", "roto reparado",
        ),
    ),
    duties=DutyWords(
        own=("tengo que", "debo", "yo tengo que", "yo debo", "he de"),
        named=("tiene que", "debe", "ha de", "deberá"),
        shared=("tenemos que", "debemos", "hay que"),
        not_after="no nunca haber",
    ),
)  # fmt: skip
