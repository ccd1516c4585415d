// A process that joins the values of a field of the account, for tests that kill it: node join-runner.ts URL ACCOUNT TAG.

import { closeApp } from '../../../src/app.ts';
import { joinAccountField } from '../../../src/audience/fields/join.ts';
import { appOn } from './app.ts';

const [url, account, tag] = process.argv.slice(2);
const app = await appOn(url!);
await joinAccountField({ app, signal: new AbortController().signal }, { account_id: Number(account), tag: tag! });
await closeApp(app);
