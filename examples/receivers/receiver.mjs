// A webhook receiver. Run: WEBHOOK_SECRET=... PORT=8000 node receiver.mjs (needs the package postrider)
// Without WEBHOOK_SECRET, requests are not checked. Accepts both formats, standard and classic.
import { createServer } from 'node:http';
import { nodeListener } from 'postrider/receiver';

const secret = process.env.WEBHOOK_SECRET ?? '';
if (secret === '') console.error('WEBHOOK_SECRET is empty: requests are not checked');

const server = createServer(
  nodeListener({
    secret,
    onDelivery({ events }) {
      // An event may arrive more than once: remember event.data.id.
      for (const event of events) console.log(event.type, event.data.id);
    },
  }),
);
server.listen(Number(process.env.PORT ?? 8000), '127.0.0.1', () => console.log('listening on', server.address().port));
