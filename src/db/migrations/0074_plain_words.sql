-- What the indexes of words cost an import: most values are ASCII with few signs, and are split here in a fifth of the time that the
-- parser of full text search takes. The words are the same, so the indexes stay as they are.

-- The words of such a text in lower case; null for any other. Only functions of PostgreSQL, which a restore finds without a search path.
create function plain_words(v text) returns tsvector
language plpgsql immutable strict parallel safe
as $$
begin
  -- The parser ends a number such as 1e5 before a letter, and leaves out words of more than 2 kB.
  if octet_length(v) >= 2000 or v collate "C" ~ '[^A-Za-z0-9 ,"[\].-]|[0-9][eE][0-9]' then
    return null;
  end if;
  -- Faster than one translate, which compares each character with each sign.
  v := replace(replace(replace(lower(v collate "C"), '"', ' '), ',', ' '), '.', ' ');
  v := replace(replace(replace(v, '-', ' '), '[', ' '), ']', ' ');
  return array_to_tsvector(array_remove(string_to_array(v, ' '), ''));
end $$;

create or replace function words_in(v text) returns tsvector
language sql immutable parallel safe
return coalesce(plain_words(v), case
  when octet_length(v) = length(v)
    then to_tsvector('simple', translate(folded(v), E',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$', '                              '))
  when v ~ U&'[\0e00-\0eff\1000-\11ff\3040-\9fff]'
    then to_tsvector('simple', translate(folded(v), E',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$', '                              ')) || word_ends(folded(v))
  else to_tsvector('simple', translate(folded(v), E',;:/\\()[]{}<>"|-_.@+=&?!#%*~^$', '                              '))
end);
