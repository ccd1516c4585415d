-- Access by OAuth for relays and bounce mailboxes: access tokens that are renewed instead of a password.

alter table relay drop constraint relay_auth_method_check;
alter table relay add constraint relay_auth_method_check
  check (auth_method in ('', 'plain', 'login', 'cram-md5', 'xoauth2', 'oauthbearer', 'oauth'));

-- With oauth the password is empty.
alter table bounce_mailbox add column auth text not null default 'password' check (auth in ('password', 'oauth'));

-- How a relay or a bounce mailbox gets its access tokens, and the present one.
create table oauth_grant (
  -- 0 for a relay.
  account_id int not null,
  -- Of the relay, or of the mailbox of the account.
  id int not null,
  relay_id int generated always as (case when account_id = 0 then id end) stored references relay(id) on delete cascade,
  mailbox_id int generated always as (case when account_id <> 0 then id end) stored,
  provider text not null check (provider in ('microsoft', 'google', 'other')),
  flow text not null check (flow in ('authorization_code', 'client_credentials')),
  -- Where a person signs in; '' for client credentials.
  authorize_url text not null,
  token_url text not null,
  client_id text not null,
  scope text not null,
  -- The client's secret and the refresh token as JSON, sealed with the installation's secret.
  secrets bytea not null,
  -- Changes with the settings: a renewal that began before does not overwrite them.
  version int not null default 1,
  -- Tokens that it has given.
  renewals int not null default 0,
  -- Sealed; null before the first one.
  access_token bytea,
  -- A little before its end, so that it is not used in its last moment.
  expires_at timestamptz,
  -- When a worker renews it; null while that is not possible, as a person has to sign in.
  renew_at timestamptz,
  -- A process asks for a token until then at most: a refresh token may work only once.
  renewing_until timestamptz,
  -- Failed requests in a row; no other is made before retry_at.
  failures int not null default 0,
  retry_at timestamptz,
  -- Why the last request failed, in English; '' when it did not.
  problem text not null default '',
  renewed_at timestamptz,
  -- A person who has been sent to the provider to sign in.
  state_hash bytea,
  state_user int,
  state_until timestamptz,
  -- Of PKCE, sealed.
  verifier bytea,
  primary key (account_id, id),
  foreign key (account_id, mailbox_id) references bounce_mailbox(account_id, id) on delete cascade
);
create index oauth_grant_relay on oauth_grant (relay_id);
-- What workers look for every second.
create index oauth_grant_renew on oauth_grant (renew_at) where renew_at is not null;
