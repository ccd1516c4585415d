-- How many contacts took each arm of a step that has two. Together they are passed; of other steps both are 0.
alter table automation_tally
  add column took_yes int not null default 0,
  add column took_no int not null default 0;

-- Until now: who entered the first step of an arm took it, and all others who passed the step took the other one. Of a step
-- whose arms are both empty nothing is known, and it is counted from now on.
with armed as (
  select v.account_id, v.automation_id, s.step ->> 'key' as step, s.step #>> '{yes,0,key}' as yes, s.step #>> '{no,0,key}' as no
  from automation a
  join automation_version v on v.account_id = a.account_id and v.automation_id = a.id and v.no = a.version
  cross join lateral jsonb_path_query(v.definition, 'strict $.** ? (@.yes.type() == "array")') as s(step)
),
known as (
  select t.account_id, t.automation_id, t.step,
    case when r.yes is not null then least(coalesce(y.entered, 0), t.passed)
      else t.passed - least(coalesce(n.entered, 0), t.passed) end as took_yes
  from armed r
  join automation_tally t using (account_id, automation_id, step)
  left join automation_tally y on y.account_id = r.account_id and y.automation_id = r.automation_id and y.step = r.yes
  left join automation_tally n on n.account_id = r.account_id and n.automation_id = r.automation_id and n.step = r.no
  where r.yes is not null
    or r.no is not null
)
update automation_tally t
set took_yes = k.took_yes, took_no = t.passed - k.took_yes
from known k
where t.account_id = k.account_id
  and t.automation_id = k.automation_id
  and t.step = k.step;
