// The sink as a separate process: `node test/support/smtp-sink/main.ts '{"logFile":"…"}'`. Prints {"port":N}, then obeys
// JSON lines on standard input (or IPC messages): {"hold":{"step":"dot","nth":3},"id":"a"}, {"release":"a","how":"drop"},
// {"session":{"connect":"421"}}, {"counts":true}, {"stop":true}; answers {"reached":"a",…} and {"counts":{…}}.
// Ends when its standard input does, so that it never outlives its parent.
import { createInterface } from 'node:readline';
import { type Hold, type HoldAt, type Release, type SessionScript, startSink } from './sink.ts';

type Order = {
  hold?: HoldAt;
  id?: string;
  release?: string;
  how?: Release;
  session?: SessionScript;
  counts?: true;
  stop?: true;
};

const sink = await startSink(JSON.parse(process.argv[2] ?? '{}'));
const holds = new Map<string, Hold>();

function answer(what: object): void {
  if (process.send) process.send(what);
  else process.stdout.write(`${JSON.stringify(what)}\n`);
}

async function obey(order: Order): Promise<void> {
  if (order.hold && order.id !== undefined) {
    const hold = sink.hold(order.hold);
    holds.set(order.id, hold);
    answer({ held: order.id });
    answer({ reached: order.id, ...(await hold.reached) });
  }
  if (order.release !== undefined) holds.get(order.release)?.release(order.how);
  if (order.session) {
    sink.session = order.session;
    answer({ session: order.session });
  }
  if (order.counts) answer({ counts: sink.counts });
  if (order.stop) await stop();
}

async function stop(): Promise<void> {
  await sink.close();
  process.exit(0);
}

process.on('message', (order) => obey(order as Order));
process.on('disconnect', stop);
if (!process.send) {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => obey(JSON.parse(line)));
  lines.on('close', stop);
}
answer({ port: sink.port });
