// What tests do with a running service, however it runs: calls, waiting, lists and drafts. Installation runs it as its operator
// does, in processes of its own; InProcess runs it in the process of the test.
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pauseMs } from '../run/until.ts';

export const testKey = '0123456789abcdef0123456789abcdef';

/** The environment that a program of a test starts from: nothing but what Node needs, and its cache of compiled code. */
export const bareEnvironment: Record<string, string> = Object.fromEntries(
  ['PATH', 'HOME', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
// Tests stay on this machine.
bareEnvironment['FOLLOW_LINKS'] = 'no';

export abstract class Service {
  readonly dataDir: string;
  readonly settings: Record<string, string>;
  /** The API key of calls. */
  key = testKey;
  /** Where the web process answers. */
  base = '';
  /** What it has printed. */
  output = '';

  /** Without a directory for its data it has a new one. */
  constructor(settings: Record<string, string> = {}, dataDir = mkdtempSync(join(tmpdir(), 'postrider-e2e-'))) {
    this.dataDir = dataDir;
    // As root, the user of the embedded server passes through; otherwise its cluster would be elsewhere, and stay.
    chmodSync(dataDir, 0o711);
    this.settings = settings;
  }

  /** Resolves when the web process answers. */
  abstract start(): Promise<unknown>;

  /** Ends everything and removes the data. */
  abstract remove(): Promise<void>;

  async call<T = unknown>(method: string, params: Record<string, unknown> = {}): Promise<T> {
    const response = await fetch(`${this.base}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    const value = (await response.json()) as T & { error?: string; code?: number };
    if (!response.ok) throw Object.assign(new Error(`${method}: ${value.code} ${value.error}`), { code: value.code });
    return value;
  }

  async until(what: string, check: () => Promise<boolean>, seconds = 120, everyMs = 50): Promise<void> {
    const startedAt = performance.now();
    while (!(await check())) {
      const sinceMs = performance.now() - startedAt;
      if (sinceMs > seconds * 1_000)
        throw new Error(`In ${seconds} s this did not happen: ${what}\n${this.output.slice(-4_000)}`);
      await sleep(Math.max(everyMs, pauseMs(sinceMs)));
    }
  }

  /** A list of `count` subscribed members with these addresses, and its id. */
  async listOf(count: number, address: (n: number) => string): Promise<string> {
    const id = await this.call<string>('listCreate', { title: `List of ${count}` });
    for (let from = 0; from < count; from += 2_500) {
      const batch = Array.from({ length: Math.min(2_500, count - from) }, (_, i) => ({
        EMAIL: address(from + i),
        FNAME: `Reader ${from + i}`,
      }));
      const result = await this.call<{ success_count: number }>('listBatchSubscribe', {
        id,
        batch,
        double_optin: false,
      });
      if (result.success_count !== batch.length)
        throw new Error(`only ${result.success_count} of ${batch.length} were subscribed`);
    }
    return id;
  }

  /** A draft to a list. */
  draft(list: string, subject = 'Hello *|FNAME|*'): Promise<string> {
    return this.call('campaignCreate', {
      type: 'HTML',
      options: {
        list_id: list,
        subject,
        from_email: 'editors@example.com',
        from_name: 'The editors',
        generate_text: true,
      },
      content: {
        html: '<p>Dear *|FNAME:reader|*, <a href="https://example.com/news">the news</a>.</p><p><a href="*|UNSUB|*">Leave</a></p>',
      },
    });
  }
}
