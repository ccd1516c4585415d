-- By how much a scheduled campaign was started after its time; 0 within a minute.
alter table campaign add column late_seconds int not null default 0;
