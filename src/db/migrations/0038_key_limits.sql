alter table api_key
  -- Calls a minute and calls at once that the key has; null: as the installation allows each key (API_RATE, API_PARALLEL).
  add column calls_per_minute int check (calls_per_minute between 1 and 1000000),
  add column calls_at_once int check (calls_at_once between 1 and 10000);
