// The server's settings: sized by the machine's memory, safe against kill -9 and power cuts. Written to a file at each
// start; an administrator's own settings go into local.conf in the same directory, and win.
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { neededConnections } from '../connections.ts';
import { type Endpoint, socketPort } from './endpoint.ts';
import type { Place } from './place.ts';

/** Writes the settings file and returns its path. */
export function writeSettings(
  place: Place,
  endpoint: Endpoint,
  overrides: Record<string, string>,
  workers?: number,
): string {
  const file = join(place.root, 'postgresql.conf');
  const all = { ...settings(endpoint, memoryBytes(), sharedMemoryBytes(), workers), ...overrides };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${quoted(value)}`);
  lines.unshift('# Written at each start. Put your own settings into local.conf in this directory.');
  const local = join(place.root, 'local.conf');
  if (existsSync(local)) lines.push(`include = ${quoted(local)}`);
  // Readable for the server's user, writable for us only; it holds no secret.
  rmSync(file, { force: true });
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  return file;
}

/** The settings for a machine with this much memory and shared memory, in bytes. */
export function settings(
  endpoint: Endpoint,
  memory: number,
  sharedMemory: number,
  workers = availableParallelism(),
): Record<string, string> {
  const megabytes = (share: number, min: number, max: number) =>
    `${Math.max(min, Math.min(max, Math.floor(memory / share / 2 ** 20)))}MB`;
  const where: Record<string, string> =
    'port' in endpoint
      ? { listen_addresses: '127.0.0.1', port: String(endpoint.port), unix_socket_directories: '' }
      : {
          listen_addresses: '',
          port: String(socketPort),
          unix_socket_directories: endpoint.socketDir,
          unix_socket_permissions: '0700',
        };
  return {
    ...where,
    max_connections: String(Math.max(100, neededConnections(workers))),
    // A list of a million with its indexes is 500 MB; unused memory is not taken.
    shared_buffers: megabytes(16, 32, 1024),
    effective_cache_size: megabytes(2, 128, 8192),
    maintenance_work_mem: megabytes(64, 32, 128),
    work_mem: '8MB',
    // Parallel queries share memory through /dev/shm, which containers keep at 64 MB.
    ...(sharedMemory < 256 * 2 ** 20 ? { dynamic_shared_memory_type: 'sysv' } : {}),
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    wal_compression: 'on',
    max_wal_size: '2GB',
    // Before recovery everything is flushed once more: one call for the file system instead of one a file takes 100 ms
    // instead of 300 to 1,000. Kernels before 5.8 could hide an error of that call.
    ...(syncfsReportsErrors() ? { recovery_init_sync_method: 'syncfs' } : {}),
    checkpoint_timeout: '15min',
    random_page_cost: '1.1',
    // Our statements are short; compiling them costs more than it gains.
    jit: 'off',
    // Recipient rows are updated several times each: clean up after 5 % changed instead of 20 %.
    autovacuum_naptime: '15s',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_analyze_scale_factor: '0.05',
    autovacuum_vacuum_cost_limit: '1000',
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    // The server writes to the file it is given, whose size log.ts limits.
    logging_collector: 'off',
    log_line_prefix: '%m [%p] %q%u@%d ',
    log_checkpoints: 'off',
  };
}

function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

function sharedMemoryBytes(): number {
  try {
    const { bsize, blocks } = statfsSync('/dev/shm');
    return bsize * blocks;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function syncfsReportsErrors(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return platform() === 'linux' && (major > 5 || (major === 5 && minor >= 8));
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
