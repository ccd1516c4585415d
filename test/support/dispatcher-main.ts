// A dispatcher as a process of its own, to be killed by tests. Argument: the address of the database.
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startDispatcher } from '../../src/webhooks/dispatch.ts';

const url = process.argv[2] ?? '';
const config = readConfig({ LOG_LEVEL: 'error', DATABASE_URL: url, OUTBOUND_ALLOW: '127.0.0.0/8' });
const app = await openApp(config, 'work', url, 6);
startDispatcher(app, { leaseMs: 400, requestMs: 300, pollMs: 50, gatherMs: 5, pauseScale: 0.01 });
// Ends with the test, however that ends.
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
