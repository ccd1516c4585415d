// A dispatcher in a separate process with the memory of a worker, to be killed and measured by tests. Argument: the URL
// of the database.
import { openApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { startDispatcher } from '../../../src/webhooks/dispatch.ts';

const url = process.argv[2] ?? '';
const config = readConfig({ LOG_LEVEL: 'error', DATABASE_URL: url, OUTBOUND_ALLOW: '127.0.0.0/8' });
const app = await openApp(config, 'work', url, 6);
// Adds the sending process to the request, which no real webhook has.
const { fetch } = app.outbound;
app.outbound.fetch = (to, request = {}) =>
  fetch(to, { ...request, headers: { ...request.headers, 'X-Sender': String(process.pid) } });
// With so short pauses a request is given up after some 50 seconds of failures only.
startDispatcher(app, { leaseMs: 400, requestMs: 300, pollMs: 50, gatherMs: 5, pauseScale: 0.0002 });
// Ends with the test, however that ends.
process.on('disconnect', () => process.exit(0));
// Bytes that are really kept, when a test asks and has given leave to collect the rest. What lies outside the heap is
// counted as gone only when the next collection begins, so there are two.
process.on('message', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
process.send?.('ready');
