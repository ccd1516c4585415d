-- True when a PRO account has said that it wants no footer; without that, mail that has no link to unsubscribe gets one.
alter table campaign add column footer_declined boolean not null default false;
