#!/bin/bash
# Runs once, when the database is created: lets the standby follow, and lets commits wait for it from the next start on.
set -e
echo "host replication postrider all scram-sha-256" >> "$PGDATA/pg_hba.conf"
psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --command "alter system set synchronous_standby_names = 'standby'"
