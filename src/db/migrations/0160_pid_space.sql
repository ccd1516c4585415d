-- A pid says something only among the processes that share it: containers of one host may have the same host name and
-- number their processes each for itself. Workers of before tell none, and are then judged by their leases alone.

alter table worker add column pid_space text not null default '';
