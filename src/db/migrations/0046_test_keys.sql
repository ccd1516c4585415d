-- What is sent by a call with it stays in the built-in inbox.
alter table api_key add column test boolean not null default false;
-- Called with such a key: kept in the built-in inbox, and passed to no relay.
alter table message add column test boolean not null default false;
