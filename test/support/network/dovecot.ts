// Dovecot, a real IMAP and POP3 server, unprivileged on loopback, with one mailbox; installed by apt when it is missing and run as root.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/base/free-port.ts';
import { mailUser } from './mail-servers.ts';

const program = '/usr/sbin/dovecot';
const unprivileged = { uid: 65_534, gid: 65_534, name: 'nobody', group: 'nogroup' };

export type Dovecot = {
  imap: number;
  pop3: number;
  add(raw: string): void;
  count(): number;
  close(): Promise<void>;
};

export async function startDovecot(): Promise<Dovecot> {
  install();
  const isRoot = process.getuid?.() === 0;
  const own = userInfo();
  const as = isRoot ? unprivileged : { uid: own.uid, gid: own.gid, name: own.username, group: String(own.gid) };
  const folder = mkdtempSync(join(tmpdir(), 'dovecot-'));
  const [imap, pop3] = [await freePort(), await freePort()];
  const mail = join(folder, 'mail');
  for (const path of [mail, ...['cur', 'new', 'tmp'].map((name) => join(mail, name)), join(folder, 'run')])
    mkdirSync(path);
  writeFileSync(join(folder, 'dovecot.conf'), settings(folder, as, imap, pop3));
  const give = (path: string) => isRoot && chownSync(path, as.uid, as.gid);
  chmodSync(folder, 0o755);
  for (const name of ['', 'mail', 'mail/cur', 'mail/new', 'mail/tmp', 'run']) give(join(folder, name));
  const child = spawn(program, ['-F', '-c', join(folder, 'dovecot.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...(isRoot && { uid: as.uid, gid: as.gid }),
  });
  const ended = once(child, 'exit');
  let serial = 0;
  return {
    imap,
    pop3,
    add: (raw) => {
      const path = join(mail, 'new', `${Date.now()}.${++serial}.test`);
      writeFileSync(path, raw);
      give(path);
    },
    count: () => readdirSync(join(mail, 'cur')).length + readdirSync(join(mail, 'new')).length,
    close: async () => {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function install(): void {
  if (existsSync(program) && existsSync('/usr/lib/dovecot/imap') && existsSync('/usr/lib/dovecot/pop3')) return;
  if (process.getuid?.() !== 0)
    throw new Error('This needs dovecot-imapd and dovecot-pop3d: install them, or run it as root.');
  // RUNLEVEL keeps the system's own server from being started.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
  const packages = ['dovecot-imapd', 'dovecot-pop3d'];
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env, stdio: 'ignore' });
}

const settings = (
  folder: string,
  as: { uid: number; gid: number; name: string; group: string },
  imap: number,
  pop3: number,
) => `
base_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap pop3
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = ${as.name}
default_internal_group = ${as.group}
default_login_user = ${as.name}
first_valid_uid = 1
mail_location = maildir:${folder}/mail
passdb {
  driver = static
  args = password=${mailUser.password.replaceAll(' ', '_')}
}
userdb {
  driver = static
  args = uid=${as.uid} gid=${as.gid} home=${folder}
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${imap}
  }
}
service pop3-login {
  chroot =
  inet_listener pop3 {
    port = ${pop3}
  }
}
`;
