// A name for the user that PostgreSQL's programs run as. initdb, and a server in single-user mode, end at once if their user id has
// no entry in the user database, as in a container that was started with any user id. The library nss_wrapper gives them one, where
// it is installed; only they see it. The server itself needs no name.
import { spawnSync } from 'node:child_process';
import { chownSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.ts';
import { EmbeddedPostgresError } from './problem.ts';

/** Where distributions install it. */
const libraries = ['/usr/lib/*/libnss_wrapper.so', '/usr/lib64/libnss_wrapper.so', '/usr/lib/libnss_wrapper.so'];

/**
 * What initdb and the single-user mode need in their environment; nothing if their user has a name.
 * @throws EmbeddedPostgresError if it has none and the library is missing
 */
export function nameEnvironment(
  { root, runAs }: Place,
  hasName = isKnown,
  library = libraries.flatMap((pattern) => globSync(pattern))[0],
): Record<string, string> {
  const uid = runAs?.uid ?? process.getuid!();
  const gid = runAs?.gid ?? process.getgid!();
  if (hasName(uid)) return {};
  if (!library) {
    throw new EmbeddedPostgresError(
      'not-permitted',
      `User id ${uid} has no name, which PostgreSQL needs to create a database. Start the program as a user that is in /etc/passwd, ` +
        'install nss_wrapper (Debian: apt-get install libnss-wrapper), or set DATABASE_URL to your own server.',
    );
  }
  const users = join(root, 'users');
  const groups = join(root, 'groups');
  writeFileSync(users, `postrider:x:${uid}:${gid}::${root}:/bin/false\n`);
  writeFileSync(groups, `postrider:x:${gid}:\n`);
  if (runAs) for (const file of [users, groups]) chownSync(file, uid, gid);
  return { LD_PRELOAD: library, NSS_WRAPPER_PASSWD: users, NSS_WRAPPER_GROUP: groups };
}

/** Asks the system, whose users may be elsewhere than in /etc/passwd. A system that cannot be asked is not doubted. */
function isKnown(uid: number): boolean {
  const { status } = spawnSync('id', ['-un', String(uid)], { stdio: 'ignore' });
  return status === null || status === 0;
}
