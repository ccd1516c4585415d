-- none: not one of the conditions may match. Segments are few rows, so the check is short.
alter table segment
  drop constraint segment_match_check,
  add constraint segment_match_check check (match in ('all', 'any', 'none'));
