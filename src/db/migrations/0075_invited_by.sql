-- The name of the person who invited, or their address; empty when a program did. Shown to the person who accepts.
alter table invitation add column invited_by text not null default '';
