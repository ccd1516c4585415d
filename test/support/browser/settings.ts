// The settings of an installation with a relay and name servers of its own: what their tests have in common.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { type DnsStub, startDnsStub } from '../network/dns-stub.ts';
import { axe, noSidewaysScroll, screenshots, settled, startUi, type Ui } from './ui.ts';

export let ui: Ui;
export let dns: DnsStub;
let relay: Server;
export let relayPort: number;
const talks = new Set<Socket>();

before(async () => {
  dns = await startDnsStub();
  // A relay without extensions that accepts every message and keeps none.
  relay = createServer((socket) => {
    talks.add(socket);
    socket.on('close', () => talks.delete(socket));
    socket.on('error', () => {});
    socket.write('220 relay.test ESMTP\r\n');
    let body: string | undefined;
    socket.on('data', (bytes) => {
      if (body !== undefined) {
        body += bytes.toString();
        if (!body.endsWith('\r\n.\r\n')) return;
        body = undefined;
      }
      const verb = bytes.toString().slice(0, 4).toUpperCase();
      if (verb === 'DATA') body = '';
      socket.write(verb === 'QUIT' ? '221 bye\r\n' : verb === 'DATA' ? '354 go ahead\r\n' : '250 relay.test\r\n');
      if (verb === 'QUIT') socket.end();
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  relayPort = (relay.address() as AddressInfo).port;
  ui = await startUi({
    DNS_SERVERS: dns.server,
    OUTBOUND_ALLOW: '127.0.0.1/32',
    BOUNCE_DOMAIN: 'back.example',
    SMTP_URL: `smtp://127.0.0.1:${relayPort}?tls=none smtp://ann:hunter2@127.0.0.1:9?tls=none&weight=0`,
  });
});
after(async () => {
  await ui?.close();
  await dns?.close();
  for (const socket of talks) socket.destroy();
  relay?.close();
});

/** The checks for every screen. */
export async function looks(page: Page, name: string): Promise<void> {
  await settled(page);
  await screenshots(page, `settings-${name}`);
  await axe(page, name);
  await noSidewaysScroll(page);
}

export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
