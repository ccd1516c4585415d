-- People are found by their names over all lists: by the words of their values, without accents, apostrophes and case. Neither
-- unaccent nor pg_trgm is needed, which not every server has.

-- A text without case, accents and apostrophes. Most texts are ASCII, where a byte is a character.
create function folded(v text) returns text
language sql immutable parallel safe
return case
  when octet_length(v) = length(v) then translate(lower(v collate "C"), '''`', '')
  else lower(translate(
    replace(regexp_replace(normalize(v, NFD), U&'[\0300-\036f]', '', 'g'), U&'\00df', 'ss'),
    U&'\00d8\00f8\0141\0142\0110\0111\0131\00c6\00e6\0152\0153''`\2019\2018\02bc\02bb\00b4\2032',
    'OoLlDdiAaOo'
  ))
end;

-- The ends of words in scripts without blanks between words (Thai, Chinese, Japanese): words are searched for by their beginning,
-- and these are so found by any part.
create function word_ends(v text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array(
  select distinct substr(word, n, 30)
  from unnest(string_to_array(translate(v, '",;()', '     '), ' ')) as word,
    generate_series(2, least(length(word), 30)) as n
  where word ~ U&'[\0e00-\0eff\1000-\11ff\3040-\9fff]'
));

-- The words of a text, folded. What is no letter or digit separates words.
create function words_in(v text) returns tsvector
language sql immutable parallel safe
return case
  when octet_length(v) = length(v)
    then to_tsvector('simple', translate(folded(v), E',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$', '                              '))
  when v ~ U&'[\0e00-\0eff\1000-\11ff\3040-\9fff]'
    then to_tsvector('simple', translate(folded(v), E',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$', '                              ')) || word_ends(folded(v))
  else to_tsvector('simple', translate(folded(v), E',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$', '                              '))
end;

-- The words of the values of a member.
create function words_of(fields jsonb) returns tsvector
language sql immutable parallel safe
return words_in(jsonb_path_query_array(fields, '$.*')::text);

-- People by name, among a million.
create index subscription_by_word on subscription using gin (words_of(fields));

-- Several words of addresses, such as ada.lovelace@example.com, among a million. Domains are in no query for names.
create index contact_by_word on contact using gin (words_in(split_part(email_key, '@', 1)));
