-- URLs to which shops and other services post; what they say becomes events of contacts.
create sequence incoming_webhook_seq start 870000000;
create table incoming_webhook (
  account_id int not null references account(id) on delete cascade,
  id int not null default public_id(nextval('incoming_webhook_seq')),
  title text not null,
  service text not null check (service in ('custom', 'shopify', 'woocommerce', 'stripe')),
  token_hash bytea not null unique check (length(token_hash) = 32),
  -- The last characters of the token.
  hint text not null,
  -- With which the service signs, sealed; null: it does not.
  secret bytea,
  -- What of a request is the event: src/automations/received/mapping.ts.
  mapping jsonb not null,
  -- Whose fields are set, and to which those who agree are subscribed.
  list_id int,
  -- Whether those who agree confirm by email first.
  confirms boolean not null default true,
  created_at timestamptz not null default now(),
  -- The last request: what became of it, why, and its body, which is deleted after some days.
  last_at timestamptz,
  last_result text not null default '',
  last_detail text not null default '',
  last_body text,
  primary key (account_id, id),
  -- Only the new lists of the account; deleting a list leaves the webhook without one.
  foreign key (account_id, list_id) references list(account_id, id) on delete set null (list_id)
) with (fillfactor = 50);
