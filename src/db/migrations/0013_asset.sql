-- Pictures and fonts that came with archives, once an account: named by their content, served under addresses that the
-- campaigns' HTML names. They go when no campaign and no template names them any more.
create table asset (
  account_id int not null references account on delete cascade,
  name text not null,
  content_type text not null,
  -- May hold script (SVG).
  sandbox boolean not null,
  bytes bytea not null,
  created_at timestamptz not null default now(),
  primary key (account_id, name)
);
-- Pictures are packed already.
alter table asset alter column bytes set storage external;

-- Not tied to campaign by a foreign key: the task that clears up after a deleted campaign reads here what it used.
create table campaign_asset (
  account_id int not null,
  campaign_id int not null,
  name text not null,
  primary key (account_id, campaign_id, name),
  foreign key (account_id, name) references asset on delete cascade
);
create index campaign_asset_by_name on campaign_asset (account_id, name);

-- The kind of an archive that campaignUpdate brings by itself; set by a call before it.
alter table campaign add column archive_type text not null default 'zip';
