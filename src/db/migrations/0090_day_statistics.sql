-- So that the planner knows that a million moments fall on some hundred days: months of growth are then summed by all
-- workers in small tables instead of being sorted.
create statistics subscription_days on
  (date_bin('1 day', confirm_at, '2000-01-01Z')), (date_bin('1 day', status_at, '2000-01-01Z')),
  (date_bin('1 day', unsubscribe_at, '2000-01-01Z'))
from subscription;
