-- The last campaigns sent, which the start page tells, among 100,000.
create index campaign_last_sent on campaign (account_id, send_at desc nulls last, id)
  where status = 'sent' and type <> 'auto';
