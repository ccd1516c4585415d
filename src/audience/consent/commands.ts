// The command that verifies the consent log.
import type { Command } from 'commander';
import { listAccounts, needAccount } from '../../accounts/account/account.ts';
import type { App } from '../../base/context.ts';
import { formatId } from '../../db/ids.ts';
import { type Broken, verifyChain } from './verify.ts';

const words: Record<Broken['what'], string> = {
  'link missing': 'a link before it is missing: a record was removed from the chain',
  'record missing': 'it was removed',
  'record altered': 'it was altered',
  'link altered': 'its link was altered, or records were moved',
  'record inserted': 'it was inserted later',
  'end missing': 'the records from here on were removed',
};

export function addConsentCommands(
  program: Command,
  withApp: (work: (app: App) => Promise<void>) => Promise<void>,
): void {
  program
    .command('verify-consent')
    .description('verify that no record of consent was altered, removed, inserted or moved; ends with 1 if one was')
    .option('--account <id or email>', 'only this account')
    .option('--end <position:hash>', 'an end of the chain that was printed earlier and must still be there')
    .action((given: { account?: string; end?: string }) =>
      withApp(async (app) => {
        const known = given.end === undefined ? undefined : readEnd(given.end);
        if (known && !given.account) throw new Error('--end needs --account.');
        const accounts = given.account ? [await needAccount(app.db, given.account)] : await listAccounts(app.db);
        for (const { id, name } of accounts) {
          const { links, waiting, end, broken } = await verifyChain(app.db, id, known);
          const account = `${formatId(id)} ${name}`;
          if (broken) {
            const record = broken.consentId === '' ? '' : ` (record ${broken.consentId})`;
            console.log(`${account}: broken at position ${broken.position}${record}: ${words[broken.what]}.`);
            process.exitCode = 1;
          } else
            console.log(
              `${account}: ${links} records are as they were written; ${waiting} newer ones are not linked yet. End: ${end.position}:${end.hash}`,
            );
        }
      }),
    );
}

function readEnd(text: string): { position: number; hash: string } {
  const [, position, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text) ?? [];
  if (position === undefined) throw new Error(`--end "${text}" must be POSITION:HASH, as the command prints it.`);
  return { position: Number(position), hash: hash! };
}
