-- What the public archive shows is chosen: by list, and by campaign. An archive that is on stays on, and is empty until a list is chosen.

-- The public archive of an account.
create table archive (
  account_id int primary key references account on delete cascade,
  is_on boolean not null default false,
  -- The last part of its address; null for one that cannot be guessed.
  slug text unique,
  -- '' for the name of the account.
  title text not null default '',
  description text not null default '',
  -- Address of a picture that is shown where the archive is shared; '' for none.
  picture text not null default '',
  -- Tag of BCP 47; '' for the language of the account.
  language text not null default '',
  -- Whether search engines may list it.
  indexable boolean not null default false
);

insert into archive (account_id, is_on)
select id, true
from account
where settings -> 'archive_index' = 'true';

update account
set settings = settings - 'archive_index'
where settings ? 'archive_index';

-- Whether campaigns to the list are in the archive.
alter table list add column in_archive boolean not null default false;

-- Null until the campaign is launched: then false if it goes to segments, otherwise true, unless it was chosen before.
alter table campaign add column in_archive boolean;

update campaign c
set in_archive = not exists (
  select from campaign_segment s where s.account_id = c.account_id and s.campaign_id = c.id
)
from archive a
where a.account_id = c.account_id
  and c.send_at is not null
  and c.type not in ('auto', 'message');
