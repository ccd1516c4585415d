-- When a message for later is to be sent; null for one that was sent at once.
alter table message add column send_at timestamptz;
-- The messages that wait for their time.
create index message_by_send_at on message (account_id, send_at) where send_at is not null;
