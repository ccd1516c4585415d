-- What reports ask for beside a campaign's own rows.

-- Who left because of which campaign: evidence stays when the contact subscribes again or goes altogether.
create index consent_by_campaign on consent (account_id, ((detail ->> 'campaign')))
  where detail ? 'campaign';
