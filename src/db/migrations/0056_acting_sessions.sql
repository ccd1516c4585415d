-- Until when the operator acts in an account that is not theirs; null in an account of the person's own.
alter table session add column acting_until timestamptz;
