-- How many contacts speak a language or live in a zone, compared as segments compare it. Without, the planner takes each for
-- one in two hundred, and looks the members of a quarter of a million contacts up one by one.
create statistics contact_language on (lower(language collate "C")) from contact;
create statistics contact_time_zone on (lower(time_zone collate "C")) from contact;
