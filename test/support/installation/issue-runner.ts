// Makes the issue of a recurring campaign that is due, in a process of its own: node issue-runner.ts DATABASE ACCOUNT RECURRING CLOCK
import { runDue } from '../../../src/recurring/issue/due.ts';
import { appOn } from './app.ts';

const [url, account, recurring, clock] = process.argv.slice(2);
const app = await appOn(url!, { OUTBOUND_ALLOW: '127.0.0.0/8' });
await runDue(app, { account: Number(account), recurring: Number(recurring) }, new Date(clock!));
await app.db.close();
process.exit(0);
