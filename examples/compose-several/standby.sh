#!/bin/bash
# Copies the primary at the first start, then follows it under the name that it waits for.
set -e
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "$PGDATA"
  gosu postgres pg_basebackup --dbname "host=database user=postrider application_name=standby" \
    --pgdata "$PGDATA" --write-recovery-conf --wal-method=stream --checkpoint=fast
fi
exec gosu postgres "$@"
