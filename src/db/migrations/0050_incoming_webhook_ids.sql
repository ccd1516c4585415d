-- Ids of incoming webhooks begin where those of no other table do.
alter sequence incoming_webhook_seq start 890000000 restart;
