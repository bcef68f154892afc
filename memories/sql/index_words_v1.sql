-- The words of a text as the word index has them. docs/adr/0052-words-of-every-language.md says why.

-- Letters with signs as plain ones: é as e, ß as ss, ł as l, dotless i as i.
CREATE FUNCTION memories_plain_letters(word text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN octet_length(word) = char_length(word) THEN word
        ELSE coalesce(nullif(public.unaccent('public.unaccent'::regdictionary, word), ''), word) END;

-- A word as a part of the text form of a tsvector or a tsquery.
CREATE FUNCTION memories_quoted_word(word text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN '''' || replace(replace(word, '\', '\\'), '''', '''''') || '''';

-- The words of a prepared text (memories.language.text_language), with their positions. The letters
-- become plain after the stemmer, which needs the signs.
CREATE FUNCTION memories_index_words(configuration regconfig, prepared text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN octet_length(prepared) = char_length(prepared)
        THEN to_tsvector(configuration, prepared)
        ELSE (
            SELECT coalesce(string_agg(
                public.memories_quoted_word(public.memories_plain_letters(lexeme)) || ':'
                    || array_to_string(positions, ','), ' '), '')::tsvector
            FROM unnest(to_tsvector(configuration, prepared))
        ) END;

-- The words of a prepared text as a question; joined: & for all of them, | for any of them, <-> for
-- one behind the other. Ask it of `own` in memories_text: in `lexemes` every word is at position 1.
CREATE FUNCTION memories_words_query(configuration regconfig, prepared text, joined text)
    RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT coalesce(string_agg(public.memories_quoted_word(lexeme), ' ' || joined || ' '
            ORDER BY at), '')::tsquery
        FROM unnest(public.memories_index_words(configuration, prepared)), unnest(positions) AS at
    );

-- A prepared text as people write questions: all words, "or" for one of them, a minus before what must
-- not be there; quotation marks have no meaning. A prepared text has no letter whose plain form is a
-- quotation mark or nothing.
CREATE FUNCTION memories_web_query(configuration regconfig, prepared text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN public.memories_plain_letters(
        websearch_to_tsquery(configuration, replace(prepared, '"', ' '))::text)::tsquery;

REVOKE ALL ON FUNCTION memories_plain_letters(text), memories_quoted_word(text),
    memories_index_words(regconfig, text), memories_words_query(regconfig, text, text),
    memories_web_query(regconfig, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memories_plain_letters(text), memories_quoted_word(text),
    memories_index_words(regconfig, text), memories_words_query(regconfig, text, text),
    memories_web_query(regconfig, text)
    TO commonmind_app, commonmind_worker;
