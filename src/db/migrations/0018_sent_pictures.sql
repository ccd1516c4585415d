-- Pictures that a message carried to its recipients. They stay reachable, as its links do, after the campaign, the template or
-- the picture in the library is deleted.
create table sent_asset (
  account_id int not null,
  name text not null,
  primary key (account_id, name),
  foreign key (account_id, name) references asset on delete cascade
);

insert into sent_asset (account_id, name)
select distinct r.account_id, r.name
from campaign_asset r
join frozen_content f on f.account_id = r.account_id and f.campaign_id = r.campaign_id;
