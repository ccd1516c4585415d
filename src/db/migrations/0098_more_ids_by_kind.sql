-- Sessions, uploads and imports draw their ids from stretches of their own too (see 0015_ids_by_kind.sql).
select setval('session_seq', greatest(last_value, 50000000), is_called and last_value > 50000000) from session_seq;
select setval('upload_seq', greatest(last_value, 720000000), is_called and last_value > 720000000) from upload_seq;
select setval('import_seq', greatest(last_value, 750000000), is_called and last_value > 750000000) from import_seq;
