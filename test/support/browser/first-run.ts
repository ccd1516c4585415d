// New installations for tests of the first run, with a foreign mail server, name servers and a public name, and what these
// tests do on the setup screens.
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { type DnsStub, startDnsStub } from '../network/dns-stub.ts';
import { type Sink, startSink } from '../smtp-sink/sink.ts';
import { axe, noSidewaysScroll, owner, screenshots, settled, startUi, type Ui } from './ui.ts';

export const host = 'mail.harbour.example';
export const publicUrl = `https://${host}`;
export let sink: Sink;
export let dns: DnsStub;
export const closed: (() => Promise<unknown>)[] = [];

before(async () => {
  sink = await startSink({ raw: true });
  dns = await startDnsStub();
});
after(async () => {
  for (const close of closed.reverse()) await close();
  await sink?.close();
  await dns?.close();
});

/** A new installation, as the container starts it: no one has signed in, and links begin with its own address. */
export async function newInstallation(): Promise<Ui> {
  const ui = await startUi({ SETUP_PASSWORD: '', DNS_SERVERS: dns.server, OUTBOUND_ALLOW: '127.0.0.1/32' });
  closed.push(() => ui.close());
  return ui;
}

export const printedPath = ({ installation }: Ui) => /\/app\/first-run#[\w-]+/.exec(installation.output)![0];

export async function createOwner(page: Page, email: string): Promise<void> {
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await at(page, 'Public address');
}

/** Waits for a step. */
export async function at(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await settled(page);
}

/** The checks of a screen: no violation of axe, room on a phone, pictures. */
export async function looks(page: Page, name: string): Promise<void> {
  await settled(page);
  await screenshots(page, `setup-${name}`);
  await axe(page, name);
  await noSidewaysScroll(page);
}

export async function addSink(page: Page): Promise<void> {
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  await choose('Service', 'Postfix');
  await page.getByRole('textbox', { name: 'Server' }).fill('127.0.0.1');
  await page.getByRole('textbox', { name: 'Port' }).fill(String(sink.port));
  await choose('Encryption', 'None');
  await page.getByRole('button', { name: 'Test and save' }).click();
  await page.getByText(/^Connected, [\d,]+ ms$/).waitFor();
}
