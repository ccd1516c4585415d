// Which disks this process has found full: each as long as writing to it fails. Other processes see it by src/jobs/full-disks.ts.

/** database: of the server; backup: of BACKUP_DIR. */
export type Disk = 'database' | 'journal' | 'log' | 'backup';

/** What fails is tried again within five seconds. After so long without a failure there is room, or nothing to write. */
const lastingMs = 8_000;
/** The next nightly backup shows whether there is room. */
const backupLastingMs = 25 * 3_600_000;

const failedAt = new Map<Disk, number>();

/** disk_full; ENOSPC; over the quota of the user. */
const fullCodes = ['53100', 'ENOSPC', 'EDQUOT'];

/** Whether an error says that a disk has no room. */
export const isFull = (error: unknown): boolean =>
  fullCodes.includes((error as { code?: string } | null)?.code ?? '') ||
  /ENOSPC|EDQUOT|no space left on device|disk quota exceeded/i.test((error as Error | null)?.message ?? '');

/** Notes a failure, if it is one for lack of room. */
export function noteFailure(disk: Disk, error: unknown, now = performance.now()): void {
  if (isFull(error)) failedAt.set(disk, now);
}

export function noteSuccess(disk: Disk): void {
  failedAt.delete(disk);
}

export function fullHere(now = performance.now()): Disk[] {
  const lasts = (disk: Disk) => (disk === 'backup' ? backupLastingMs : lastingMs);
  return [...failedAt].filter(([disk, at]) => now - at < lasts(disk)).map(([disk]) => disk);
}
