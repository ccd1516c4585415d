// The same as linear-mail.test.ts up to the MiB that is read of a message.
import { test } from 'node:test';
import { mailReaders, needLinearMail } from '../support/samples/slow-mail.ts';

for (const [name, read] of Object.entries(mailReaders))
  test(`${name}: 1 MiB of anything is read in linear time`, async () => {
    // What is not linear shows at the first size, before it takes hours.
    for (const kibibytes of [128, 512, 1024]) await needLinearMail(read, kibibytes * 1024);
  });
