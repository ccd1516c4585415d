-- Pictures that travel inside the mails of a campaign (inline_img), frozen at launch. address is where the picture stands
-- on the web, for pages; '' for one that stood in the HTML itself.
create table inline_image (
  account_id int not null,
  campaign_id int not null,
  cid text not null,
  content_type text not null,
  address text not null,
  bytes bytea not null,
  primary key (account_id, campaign_id, cid)
);
alter table inline_image alter column bytes set storage external;
