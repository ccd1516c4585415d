-- What a call that makes something has answered, by the key that its caller gave it: the same call made again, since the
-- first answer was lost, gets that answer and makes nothing.
create table kept_answer (
  account_id int not null references account on delete cascade,
  method text not null,
  key text not null,
  -- SHA-256 of the parameters: a key stands for one call.
  call bytea not null,
  -- Written in the transaction that makes what it names.
  answer jsonb,
  at timestamptz not null default now(),
  primary key (account_id, method, key)
);
create index kept_answer_at on kept_answer (at);
