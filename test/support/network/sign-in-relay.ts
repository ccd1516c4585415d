// A relay on loopback that wants a user name and a password, for the tests of setting up and testing relays: without TLS, takes one
// password, and records each attempt.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export const rightPassword = 'right-secret';

export type SignInRelay = {
  port: number;
  /** User name and password of each attempt. */
  signIns: string[];
  /** The options of relayCreate() that it accepts. */
  options(): { host: string; port: number; tls: string; username: string; password: string };
  close(): Promise<void>;
};

export async function startSignInRelay(): Promise<SignInRelay> {
  const signIns: string[] = [];
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      signIns.push(`${username} ${password}`);
      if (password === rightPassword) done(null, { user: username ?? '' });
      else done(new Error('no such user'));
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    signIns,
    options: () => ({ host: '127.0.0.1', port, tls: 'none', username: 'ann', password: rightPassword }),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
