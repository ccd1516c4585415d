// The command line for cells: moving an account to another installation, and giving a new installation the secrets that all cells share.
import type { Command } from 'commander';
import { needAccount } from '../accounts/account/account.ts';
import { type Move, readMoves } from '../accounts/account/moves.ts';
import type { App } from '../base/context.ts';
import { Usage } from '../command-line.ts';
import { connect, sql } from '../db/connect.ts';
import { formatId, parseId } from '../db/ids.ts';
import { copyProgress } from './copy.ts';
import { type Accounts, accountsOf, type Installations, withInstallations } from './installations.ts';
import { cancelMove, moveAccount, presentMove } from './move.ts';

type WithApp = (work: (app: App) => Promise<void>) => Promise<void>;
type Options = { to?: string; from?: string; status?: true; cancel?: true };

export function addMoveCommands(program: Command, withApp: WithApp): void {
  program.commands
    .find((command) => command.name() === 'account')!
    .command('move <account>')
    .description('move an account to another installation (cell); repeat the command if it was interrupted')
    .option('--to <database url>', 'database of the other installation, as this machine reaches it')
    .option('--from <database url>', 'database of this installation, as the server of the other one reaches it')
    .option('--status', 'show how far it is')
    .option('--cancel', 'give the move up; possible until the account is served by the other installation')
    .action((named: string, options: Options) => withApp((app) => run(app, named, options)));
  const cell = program.command('cell').description('several installations that share accounts between them');
  cell
    .command('prepare')
    .description(
      'give a new installation, which has no account yet, the secrets of this one: accounts can then be moved between them',
    )
    .requiredOption('--to <database url>', 'database of the new installation, after "postrider migrate"')
    .action(({ to }: { to: string }) => withApp((app) => prepare(app, to)));
}

async function run(app: App, named: string, { to, from, status, cancel }: Options): Promise<void> {
  const accounts = await accountsNamed(app, named);
  if (status) return showStatus(app, accounts, to);
  if (!to) throw new Usage('Name the database of the other installation with --to.');
  await withInstallations(app, accounts.id, { to, ...(from && { from }) }, (both) => work(both, accounts, cancel));
}

async function work(both: Installations, accounts: Accounts, cancel: true | undefined): Promise<void> {
  if (!cancel) {
    await moveAccount(both, accounts, (text) => console.log(text));
    console.log(`Account ${formatId(accounts.id)} has moved.`);
    return;
  }
  if (!(await cancelMove(both, accounts)))
    throw new Error('The account has moved already. To bring it back, run "account move" in the other installation.');
  console.log(`Account ${formatId(accounts.id)} stays here.`);
}

/** Also of an account that is being erased here after its move. */
async function accountsNamed({ db }: App, named: string): Promise<Accounts> {
  const moves = await readMoves(db, sql`account = ${parseId(named)} and step in ('moved', 'done')`);
  if (moves[0]) {
    const all = await readMoves(db, sql`move_id = ${moves[0].id}::uuid`);
    return {
      id: moves[0].account,
      all: [moves[0].account, ...all.map(({ account }) => account).filter((id) => id !== moves[0]!.account)],
    };
  }
  return accountsOf(db, (await needAccount(db, named)).id);
}

const meaning: Record<Move['step'], string> = {
  copying: 'its data is being copied; it works here as before',
  draining: 'it sends nothing new; messages in flight get their outcome',
  fenced: 'nothing can be changed here; the last changes are being applied there',
  moved: 'the other installation has it; this one is clearing away',
  done: 'it has moved',
  arriving: 'it is arriving here',
  here: 'it has come here',
};

async function showStatus({ db }: App, accounts: Accounts, to: string | undefined): Promise<void> {
  const move = await presentMove(db, accounts);
  if (!move) return console.log(`Account ${formatId(accounts.id)} is not being moved.`);
  console.log(`Account ${formatId(accounts.id)}: ${move.step}: ${meaning[move.step]} (${move.address})`);
  if (!to || move.step !== 'copying') return;
  const target = connect(to, { name: 'postrider cli', maxConnections: 1 });
  try {
    const { tables, waiting, isRunning } = await copyProgress(target, accounts);
    console.log(
      `${tables - waiting} of ${tables} tables are copied${isRunning ? '' : '; the subscription is not running: see the log of the server'}`,
    );
  } finally {
    await target.close();
  }
}

async function prepare({ db }: App, to: string): Promise<void> {
  const target = connect(to, { name: 'postrider cli', maxConnections: 1 });
  try {
    const rows = await db.rows<{ key: string; value: unknown }>(
      sql`select key, value from installation where key in ('secret', 'token_secrets')`,
    );
    await target.transaction(async (tx) => {
      if (await tx.row(sql`select from account limit 1`))
        throw new Error('The installation in --to has accounts already, so its secrets cannot be replaced.');
      for (const { key, value } of rows)
        await tx.run(sql`
          insert into installation (key, value)
          values (${key}, ${JSON.stringify(value)}::jsonb)
          on conflict (key) do update
          set value = excluded.value`);
      await tx.run(sql`delete from installation where key = 'seal_check'`);
    });
    console.log('The installation has the secrets of this one. Set SEAL_KEY there as here, and start it.');
  } finally {
    await target.close();
  }
}
