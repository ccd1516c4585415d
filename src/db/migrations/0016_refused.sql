-- Recipients that were refused since the last acceptance, and replies that turned out to be about us.

-- Recipients that failed with a permanent reply since a message of their campaign was last accepted. What follows from a bounce
-- waits until it is clear that the reply is about them: many equal ones in a row are about us.
create table refused (
  account_id int not null,
  campaign_id int not null,
  seq int not null,
  -- The reply without what differs from message to message.
  signature text not null,
  domain text not null,
  -- Whether the address is to be suppressed.
  suppress boolean not null,
  at timestamptz not null,
  -- A message was accepted since, but it may have been begun before.
  broken boolean not null default false,
  primary key (account_id, campaign_id, seq)
);

-- Replies that refused so many recipients of a campaign in a row that they count as a refusal of us, until a person resumes it.
create table refused_reply (
  account_id int not null,
  campaign_id int not null,
  signature text not null,
  -- As the relay sent it.
  reply text not null,
  at timestamptz not null default now(),
  -- A person has resumed the campaign: the reply is about the recipients.
  confirmed boolean not null default false,
  primary key (account_id, campaign_id, signature)
);
