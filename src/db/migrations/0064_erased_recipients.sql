-- The messages that an erased contact shared with other recipients. Their contents are deleted once the others have theirs: nightly.
create index message_recipient_erased on message_recipient (account_id, campaign_id, no)
  where email_key like '%@erased.invalid';
