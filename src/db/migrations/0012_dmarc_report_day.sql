-- Reporters use the id of a report again on another day, so a report is recognised by its day, too.
alter table dmarc_report
  drop constraint dmarc_report_pkey,
  add primary key (account_id, domain_id, reporter, report_id, day);
