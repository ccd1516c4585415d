// Few modules may use the network: an address that a user typed can only be reached through
// src/base/outbound/outbound.ts. Each exception states what it connects to, or that it only listens.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Modules that may use the network, and what for. A name with a slash at its end is a folder. */
const permitted: Record<string, string> = {
  'src/base/outbound/outbound.ts': 'the client for typed addresses',
  'src/base/outbound/': 'its parts',
  'src/supervisor.ts': 'checks that the port of the web process is free',
  'src/base/free-port.ts': 'finds a free port on loopback',
  'src/webhooks/terminal/receiver.ts': 'only listens, at the terminal of a developer who writes a receiver',
  'src/senders/domains/dns.ts': 'asks name servers for the records of sender domains, and connects to none of them',
  'src/doors/moved.ts': 'other installations, at the public URL that each has recorded in its own database',
  'src/db/': 'the database in the settings',
  'src/relays/smtp/': 'the relays in the settings',
  'src/returned/mailboxes/': 'bounce mailboxes, at addresses that the outbound client has checked',
};

const networkModules =
  'net|tls|http|https|http2|dgram|dns|dns/promises|undici|axios|got|node-fetch|ws|nodemailer|inspector';
const importsNetwork = new RegExp(
  `(?:from\\s*|import\\s*\\(\\s*|import\\s+|(?:require|getBuiltinModule)\\s*\\(\\s*)['"\`](?:node:)?(?:${networkModules})(?:/[^'"\`]*)?['"\`]`,
);
const callsGlobal = /(?<![.\w])(?:globalThis\s*\.\s*)?(?:fetch\s*\(|new\s+(?:WebSocket|EventSource)\b)/;

/** What a source does that only permitted modules may do, or null. */
function reachesOut(source: string): string | null {
  const code = source
    .replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
    // Types open nothing; isIP and BlockList only read addresses.
    .replace(/import\s+type\s[^;]*;/g, '')
    .replace(
      /import\s*\{\s*(?:type\s+\w+\s*,?\s*|BlockList\s*,?\s*|isIP(?:v[46])?\s*,?\s*)+\}\s*from\s*'node:net';/g,
      '',
    );
  return importsNetwork.exec(code)?.[0] ?? methodless(code);
}

/** A call of the global fetch; a method or a function of that name that the module declares itself is none. */
function methodless(code: string): string | null {
  const rest = code.replace(/^\s*(?:async\s+)?fetch\s*\([^)]*\)\s*(?::[^{;]*)?[{;]/gm, '');
  return callsGlobal.exec(rest)?.[0] ?? null;
}

test('only the listed modules may open connections', () => {
  const offenders: string[] = [];
  const seen = new Set<string>();
  for (const file of globSync('src/**/*.ts', { cwd: root }).filter((name) => !name.endsWith('.test.ts'))) {
    const reason = reachesOut(readFileSync(join(root, file), 'utf8'));
    const permission = Object.keys(permitted).find((name) =>
      name.endsWith('/') ? file.startsWith(name) : file === name,
    );
    if (reason !== null && permission === undefined) offenders.push(`${file}: ${reason}`);
    if (permission !== undefined) seen.add(permission);
  }
  assert.deepEqual(offenders, []);
  assert.ok(seen.has('src/base/outbound/outbound.ts') && seen.has('src/base/outbound/'));
});

test('the check finds every way to open a connection', () => {
  for (const source of [
    "import http from 'node:http';",
    "import { connect } from 'net';",
    "import { request } from 'undici';",
    "import tls, { type Server } from 'node:tls';",
    "import { isIP, connect } from 'node:net';",
    "const dns = await import('node:dns/promises');",
    "const https = require('https');",
    "const http = process.getBuiltinModule('node:http');",
    "export * from 'node:http2';",
    'const answer = await fetch(url);',
    'return globalThis.fetch (url)',
    "new WebSocket('ws://x')",
  ]) {
    assert.notEqual(reachesOut(source), null, source);
  }
  for (const source of [
    "import type { AddressInfo } from 'node:net';",
    "import { isIP } from 'node:net';",
    "import { BlockList, isIPv6 } from 'node:net';",
    "// import http from 'node:http'",
    'const answer = await outbound.fetch(url);',
    "import { fetchRows } from './rows.ts'; fetchRows(1);",
  ]) {
    assert.equal(reachesOut(source), null, source);
  }
});
