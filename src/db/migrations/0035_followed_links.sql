-- What came of following the links of campaigns that are being written, so that campaignCheck can name those that lead nowhere.
create table followed_link (
  account_id int not null references account(id) on delete cascade,
  -- SHA-256 of the address, which has no fragment.
  hash bytea not null,
  followed_at timestamptz not null default now(),
  -- answered; gone: the page does not exist; failing: no answer, or an error of the server.
  outcome text not null check (outcome in ('answered', 'gone', 'failing')),
  -- The HTTP status, or why there was no answer: timeout, name, unreachable, redirects, protocol.
  reason text not null,
  primary key (account_id, hash)
);
