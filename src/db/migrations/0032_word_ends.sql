-- A tsvector holds 1 MB: the ends of the first 300 words are enough to find a person, and leave room for all values of a member.
create or replace function word_ends(v text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array(
  select distinct substr(word, n, 30)
  from (
    select word
    from unnest(string_to_array(translate(v, '",;()', '     '), ' ')) as word
    where word ~ U&'[\0e00-\0eff\1000-\11ff\3040-\9fff]'
    limit 300
  ) as words,
    generate_series(2, least(length(word), 30)) as n
));
