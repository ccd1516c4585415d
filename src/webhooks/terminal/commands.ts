// The commands about webhooks: `postrider webhooks listen`, a receiver for development.
import { type Command, InvalidArgumentError } from 'commander';
import { listen } from './receiver.ts';

export function addWebhookCommands(program: Command, untilStopped: () => Promise<void>): void {
  program
    .command('webhooks')
    .description('receive webhooks in this terminal')
    .command('listen')
    .description('receive webhooks, check their signatures and print them, until Ctrl-C')
    .option('--port <port>', 'port to listen on; 0: any free port', number(0, 65_535), 8000)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option(
      '--secret <secret>',
      'secret of the webhook; WEBHOOK_SECRET is safer, because other users can see the command line',
    )
    .option('--fail <status>', 'answer with this status instead of 200, to test retries', number(300, 599))
    .option('--fail-every <n>', 'with --fail: fail only the first of every n requests', number(1, 1_000_000), 1)
    .option('--delay <ms>', 'wait before each answer', number(0, 600_000), 0)
    .option('--json', 'print each event as one line of JSON')
    .addHelpText(
      'after',
      '\nPostrider sends webhooks to a private address such as 127.0.0.1 only if OUTBOUND_ALLOW allows it:\nOUTBOUND_ALLOW=127.0.0.0/8 npm start',
    )
    .action(
      async (given: {
        port: number;
        host: string;
        secret?: string;
        fail?: number;
        failEvery: number;
        delay: number;
        json?: true;
      }) => {
        const secret = given.secret ?? process.env['WEBHOOK_SECRET'] ?? '';
        const json = given.json === true;
        const listener = await listen(
          {
            host: given.host,
            port: given.port,
            secret,
            failStatus: given.fail ?? 0,
            failEvery: given.failEvery,
            delayMs: given.delay,
            json,
          },
          (line) => console.log(line),
        );
        const checked = secret === '' ? 'signatures are not checked (no secret)' : 'signatures are checked';
        (json ? console.error : console.log)(
          `Listening for webhooks at ${listener.url}; ${checked}. Stop with Ctrl-C.`,
        );
        await untilStopped();
        await listener.close();
      },
    );
}

function number(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };
}
