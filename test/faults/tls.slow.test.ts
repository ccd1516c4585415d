// Relays whose TLS is bad, by policy (fault F30): under `require` and `smtps` nothing is sent in plain text, every recipient
// stays queued, and the reason is shown; under `opportunistic` messages go out, and what is missing is in the log.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { checkInvariants } from '../support/database/invariants.ts';
import { Engine, people } from '../support/delivery/engine.ts';
import { createAuthority, createCertificate } from '../support/smtp-sink/certificate.ts';
import { type SinkOptions, startSink } from '../support/smtp-sink/sink.ts';

const authority = createAuthority();
const yesterday = new Date(Date.now() - 86_400_000);
const certificates = {
  good: createCertificate(authority, ['localhost']),
  expired: createCertificate(authority, ['localhost'], {
    validFrom: new Date(yesterday.getTime() - 86_400_000),
    validTo: yesterday,
  }),
  elsewhere: createCertificate(authority, ['mail.elsewhere.example']),
};
const with_ = (name: keyof typeof certificates, more: object = {}): SinkOptions => ({
  tls: { ...certificates[name], starttls: true, ...more },
});

/** What comes of it under each policy: delivered under TLS, in plain text, or not at all. */
const setups: {
  name: string;
  options: SinkOptions;
  require: 'tls' | 'none';
  opportunistic: 'tls' | 'plain';
  noted: RegExp | null;
}[] = [
  { name: 'a good certificate', options: with_('good'), require: 'tls', opportunistic: 'tls', noted: null },
  {
    name: 'an expired certificate',
    options: with_('expired'),
    require: 'none',
    opportunistic: 'tls',
    noted: /CERT_HAS_EXPIRED|expired/,
  },
  {
    name: 'a certificate for another name',
    options: with_('elsewhere'),
    require: 'none',
    opportunistic: 'tls',
    noted: /certificate not valid/,
  },
  { name: 'no STARTTLS', options: {}, require: 'none', opportunistic: 'plain', noted: /without TLS/ },
  {
    name: 'a STARTTLS that fails',
    options: { ...with_('good'), session: { starttls: '454' } },
    require: 'none',
    opportunistic: 'plain',
    noted: /without TLS/,
  },
  {
    name: 'only TLS 1.0',
    options: with_('good', { minVersion: 'TLSv1', maxVersion: 'TLSv1' }),
    require: 'none',
    opportunistic: 'plain',
    noted: /TLS failed/,
  },
];

const trusted = getCACertificates('default');
before(() => setDefaultCACertificates([...trusted, authority.cert]));
after(() => setDefaultCACertificates(trusted));

for (const setup of setups)
  for (const policy of ['require', 'opportunistic', 'smtps'] as const) {
    const implicit = policy === 'smtps';
    // TLS from the first byte knows no STARTTLS; what fails there is the handshake or the certificate.
    if (implicit && !setup.options.tls) continue;
    if (implicit && setup.options.session) continue;
    const expected = policy === 'opportunistic' ? setup.opportunistic : setup.require;
    test(`F30 ${setup.name}, policy ${policy}: ${expected === 'none' ? 'all stay queued, and nothing is sent in plain text' : `sent, ${expected}`}`, async () => {
      const tls = setup.options.tls;
      const sink = await startSink({
        ...setup.options,
        trace: true,
        ...(tls && implicit ? { tls: { ...tls, starttls: false, implicit: true } } : {}),
      });
      const lines: { text: string; fields: Record<string, unknown> }[] = [];
      const address = implicit ? `smtps://localhost:${sink.port}?` : `smtp://localhost:${sink.port}?tls=${policy}&`;
      const engine = await Engine.start({ SMTP_URL: `${address}connections=2`, LOG_LEVEL: 'warn' }, 0);
      engine.app.app.log.warn = (fields: unknown, text?: unknown) => {
        lines.push({ text: String(text), fields: fields as Record<string, unknown> });
      };
      await engine.addWorker(0.1);
      try {
        const id = await engine.send(people(12));
        const steps = () => new Set(sink.log.map((entry) => entry.step));
        if (expected === 'none') {
          const deadline = performance.now() + 10_000;
          while (!/no relay can be used/.test((await engine.progress(id)).status_reason)) {
            assert.ok(performance.now() < deadline, 'no reason was shown');
            await sleep(50);
          }
          await engine.until(id, (every) =>
            every.every((recipient) => recipient.state === 'queued' && recipient.attempts === 0),
          );
          assert.ok(!steps().has('mail') && !steps().has('auth'), [...steps()].join(' '));
          assert.ok(lines.some((line) => line.text.includes('relay unavailable')));
          await checkInvariants(engine.app.app.db, sink.log, { campaign: id, settled: false });
        } else {
          const all = await engine.settled(id);
          assert.ok(all.every((recipient) => recipient.state === 'accepted' && recipient.attempts === 1));
          await checkInvariants(engine.app.app.db, sink.log, { campaign: id });
          const noted = lines.filter((line) => line.fields['notes'] !== undefined);
          if (policy === 'opportunistic' && setup.noted) {
            assert.equal(noted.length, 1, 'once, not with every connection');
            assert.match(String(noted[0]!.fields['notes']), setup.noted);
          } else assert.equal(noted.length, 0);
          // RFC 3207: under TLS the server is greeted again, so a connection with TLS has two greetings.
          const greetings = sink.log.filter((entry) => entry.event === 'step' && entry.step === 'ehlo').length;
          assert.equal(greetings > sink.counts.connections, expected === 'tls' && !implicit);
        }
      } finally {
        await engine.stop();
        await sink.close();
      }
    });
  }
