// No mail and no mail server keeps a worker or the bounce listener busy: four times the text takes about four times the time, whatever it consists of.
// A ratio holds on every machine. Runs of 1 MiB are in linear-mail.slow.test.ts.
import { test } from 'node:test';
import { mailReaders, needLinearMail } from '../support/samples/slow-mail.ts';

for (const [name, read] of Object.entries(mailReaders))
  test(`${name}: 64 KiB of anything is read in linear time`, () => needLinearMail(read, 64 * 1024));
