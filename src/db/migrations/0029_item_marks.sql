-- Items of a feed are known by more than their guid, which changes when a site moves.
alter table recurring_item
  -- The key under which the same item was known before its guid changed; '' for none.
  add column same_as text not null default '',
  -- Hashes, see src/recurring/feed/marks.ts; '' for none, and in rows from before these columns until the feed is read again.
  add column guid_mark text not null default '',
  add column link_mark text not null default '',
  add column slug_mark text not null default '',
  add column title_mark text not null default '',
  add column text_mark text not null default '',
  -- The date in the feed; null without one, and for one that was still to come.
  add column published_at timestamptz;

-- So that each feed is read once more as a whole, and its items get their marks.
update recurring
set etag = '', last_modified = ''
where etag <> '' or last_modified <> '';
