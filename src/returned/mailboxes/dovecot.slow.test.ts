// Both clients against a real server: what is taken is deleted, everything else stays and is read once, and a wrong password is one.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Dovecot, startDovecot } from '../../../test/support/network/dovecot.ts';
import { mailUser } from '../../../test/support/network/mail-servers.ts';
import { until } from '../../../test/support/run/until.ts';
import { readImap } from './imap.ts';
import { readPop3 } from './pop3.ts';
import { type Mailbox, usualLimits } from './protocol.ts';

let dovecot: Dovecot;
before(async () => {
  dovecot = await startDovecot();
});
after(() => dovecot.close());

for (const protocol of ['imap', 'pop3'] as const)
  test(`Dovecot is read by ${protocol}`, async () => {
    const mailbox: Mailbox = {
      account: 1,
      id: 1,
      protocol,
      host: '127.0.0.1',
      port: dovecot[protocol],
      security: 'none',
      user: mailUser.user,
      password: mailUser.password.replaceAll(' ', '_'),
      folder: 'INBOX',
      remove: true,
      position: {},
    };
    const server = { addresses: ['127.0.0.1'], port: mailbox.port };
    const client = protocol === 'imap' ? readImap : readPop3;
    const read = async (max = 100) => {
      const subjects: string[] = [];
      const take = async (raw: Buffer) => {
        const [, subject = ''] = /^Subject: (.*)\r$/m.exec(raw.toString()) ?? [];
        subjects.push(subject);
        assert.match(raw.toString(), /\r\n\.\r\n\.\.dots\r\n/);
        return subject.startsWith('taken');
      };
      const done = await client(server, mailbox, take, max, usualLimits);
      assert.equal(done.problem, '');
      mailbox.position = done.position;
      return { subjects: subjects.sort(), more: done.more };
    };
    await until('it listens', () =>
      read(0).then(
        () => true,
        () => false,
      ),
    );
    const before = dovecot.count();
    for (const subject of ['taken 1', 'stays 1', 'taken 2'])
      dovecot.add(`Subject: ${protocol} ${subject}\n\nGrüße\n.\n..dots\n`.replace(`${protocol} `, ''));
    const first = await read();
    assert.deepEqual(first.subjects.filter((subject) => subject !== '').slice(-2), ['taken 1', 'taken 2']);
    assert.equal(dovecot.count(), before + 1);
    dovecot.add('Subject: stays 2\n\n.\n..dots\n');
    assert.deepEqual(await read(), { subjects: ['stays 2'], more: false });
    assert.deepEqual(await read(), { subjects: [], more: false });

    const wrong = client(server, { ...mailbox, password: 'wrong' }, async () => false, 0, usualLimits);
    await assert.rejects(wrong, { message: /user name or the password is wrong/ });
    if (protocol === 'pop3') return;
    const missing = client(server, { ...mailbox, folder: 'Nö & more' }, async () => false, 0, usualLimits);
    await assert.rejects(missing, { message: 'the folder does not exist' });
  });
