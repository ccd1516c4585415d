-- The workers ask which campaigns have something due, and then for the chunk of one of them that is due next: each a
-- look at one place of this index, however many chunks a campaign has. The index by time alone is asked by nobody any more.
create index chunk_turn on chunk (account_id, campaign_id, due_at, no) where state = 'waiting';
drop index chunk_waiting;
