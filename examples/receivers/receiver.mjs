// A receiver of webhooks. Run: SECRET=... PORT=8000 node receiver.mjs (needs the package postrider)
// With an empty SECRET the signature is not checked.
import { createServer } from 'node:http';
import { nodeListener } from 'postrider/receiver';

const server = createServer(
  nodeListener({
    secret: process.env.SECRET,
    onDelivery({ events }) {
      // The same event may come again: remember event.data.id.
      for (const event of events) console.log(event.type, event.data.id);
    },
  }),
);
server.listen(Number(process.env.PORT ?? 8000), '127.0.0.1', () => console.log('listening on', server.address().port));
