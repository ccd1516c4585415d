// Checks of this machine and its settings: they need no database.
import { accessSync, constants, existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Below this, the disk may be full within hours. */
const lowBytes = 2e9;
const lowShare = 0.1;
/** PostgreSQL stops writing soon. */
const emptyBytes = 3e8;

export type Space = { freeBytes: number; totalBytes: number };

/** @param baseUrl the public URL; undefined when the database is not reachable */
export function checkSettings(config: Config, baseUrl: string | undefined): Finding[] {
  const findings: Finding[] = [];
  if (config.sealKey === '')
    findings.push(
      warning(
        'settings',
        'SEAL_KEY is not set: a copy of the database reveals private keys and passwords of relays.',
        'Before you enter secrets, set it to the output of "openssl rand -base64 32", and keep a copy elsewhere.',
      ),
    );
  if (baseUrl !== undefined) {
    const { protocol, hostname } = new URL(baseUrl);
    const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
    if (isLocal)
      findings.push(
        warning(
          'settings',
          `Links in messages begin with ${baseUrl}, which no recipient can reach.`,
          'Set BASE_URL to the public URL.',
        ),
      );
    else if (protocol === 'http:')
      findings.push(
        warning(
          'settings',
          `${baseUrl} is not encrypted: passwords and links pass the network in clear text.`,
          'Put a reverse proxy with TLS in front, and set BASE_URL to its https URL.',
        ),
      );
  }
  if (config.bounceDomain === '')
    findings.push(
      warning(
        'settings',
        'BOUNCE_DOMAIN is not set: bounces go to the From address.',
        'Set it, or connect the webhooks or a bounce mailbox of your relay, to notice dead addresses.',
      ),
    );
  return findings.length > 0 ? findings : [ok('settings', 'valid')];
}

/** The disks that the installation writes to. */
export async function checkDisks(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  const places = [
    ['DATA_DIR', config.dataDir],
    ...(config.backupDir === '' ? [] : [['BACKUP_DIR', config.backupDir]]),
  ] as [string, string][];
  for (const [name, directory] of places) {
    if (!existsSync(directory)) {
      findings.push(
        warning(
          'disk',
          `${name} ${directory} does not exist.`,
          'Postrider creates it when needed. Create it yourself if it is to be on a separate disk.',
        ),
      );
      continue;
    }
    try {
      accessSync(directory, constants.W_OK | constants.X_OK);
    } catch {
      findings.push(
        problem(
          'disk',
          `${name} ${directory} is not writable.`,
          `Let the user that runs Postrider (id ${process.getuid?.() ?? '?'}) write there.`,
        ),
      );
      continue;
    }
    findings.push(judgeSpace(name, directory, await spaceOf(directory)));
  }
  return findings;
}

export function judgeSpace(name: string, directory: string, { freeBytes, totalBytes }: Space): Finding {
  const text = `${name} ${directory}: ${gigabytes(freeBytes)} of ${gigabytes(totalBytes)} GB free`;
  const advice = 'Free space, enlarge the disk, or keep details for a shorter time (Settings → Privacy and data).';
  if (freeBytes < emptyBytes) return problem('disk', text, advice);
  if (freeBytes < lowBytes || freeBytes < totalBytes * lowShare) return warning('disk', text, advice);
  return ok('disk', text);
}

export async function spaceOf(directory: string): Promise<Space> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** A file with credentials that was read should not stay. */
export async function checkFiles({ dataDir }: Config): Promise<Finding[]> {
  const file = join(dataDir, 'first-account.env');
  if (!(await stat(file).catch(() => undefined))) return [];
  return [warning('files', `${file} has the credentials of the first start.`, 'Read it, then delete it.')];
}

export const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
