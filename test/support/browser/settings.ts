// What the tests of the settings have in common: an installation with a relay and name servers of its own, and the checks of a screen.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { type DnsStub, startDnsStub } from '../network/dns-stub.ts';
import { axe, noSidewaysScroll, screenshots, settled, startUi, type Ui } from './ui.ts';

export type SettingsTest = {
  ui: Ui;
  dns: DnsStub;
  /** A relay without extensions that accepts every message and keeps none. */
  relay: { port: number };
};

/** Sets up a test file as uiTest does, with a relay and name servers of its own. */
export function settingsTest(): SettingsTest {
  const parts = { ui: {}, dns: {}, relay: {} } as SettingsTest;
  const { ui, dns } = parts;
  const talks = new Set<Socket>();
  const relay = createServer((socket) => talk(socket, talks));
  before(async () => {
    Object.assign(dns, await startDnsStub());
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    parts.relay.port = (relay.address() as AddressInfo).port;
    const settings = {
      DNS_SERVERS: dns.server,
      OUTBOUND_ALLOW: '127.0.0.1/32',
      BOUNCE_DOMAIN: 'back.example',
      SMTP_URL: `smtp://127.0.0.1:${parts.relay.port}?tls=none smtp://ann:hunter2@127.0.0.1:9?tls=none&weight=0`,
    };
    Object.assign(ui, await startUi(settings));
  });
  after(async () => {
    await ui.close?.();
    await dns.close?.();
    for (const socket of talks) socket.destroy();
    relay.close();
  });
  return parts;
}

function talk(socket: Socket, talks: Set<Socket>): void {
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
}

/** The checks for every screen. */
export async function looks(page: Page, name: string): Promise<void> {
  await settled(page);
  await screenshots(page, `settings-${name}`);
  await axe(page, name);
  await noSidewaysScroll(page);
}

export const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
