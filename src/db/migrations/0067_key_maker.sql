-- Where no one approves their own work, that of a key is also the work of the person who made the key.
alter table api_key add column made_by int references app_user on delete set null;
