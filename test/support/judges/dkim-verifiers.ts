// Two independent verifiers of DKIM signatures: the npm package mailauth and Python's dkimpy. Guarantees a verdict per
// signature from each; dkimpy is installed by apt when missing and run as root, and is null if it is not available.
import { spawn, spawnSync } from 'node:child_process';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';

/** TXT records by name. */
export type Records = Record<string, string>;

/** `pass`, or what the verifier says instead, for every signature from top to bottom. */
export async function verifyWithMailauth(message: Buffer, records: Records): Promise<string[]> {
  const { results } = await dkimVerify(message, {
    resolver: async (name: string, type: string) => {
      const text = records[name];
      if (type !== 'TXT' || text === undefined) throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' });
      return [[text]];
    },
  });
  return results.map(({ status }) => {
    const comment = 'comment' in status && status.comment ? ` (${status.comment})` : '';
    return status.result + comment;
  });
}

export interface PythonVerifier {
  /** True for a signature that holds; false or a complaint for one that does not. */
  verify(message: Buffer, records: Records, signatures: number): Promise<(boolean | string)[]>;
  close(): void;
}

/** Starts dkimpy, or null with the reason in `reason`. */
export function startPythonVerifier(): { verifier: PythonVerifier } | { verifier: null; reason: string } {
  const python = findPython();
  if (python === null) return { verifier: null, reason: 'python3-dkim is not installed and cannot be' };
  const script = new URL('./python_dkim.py', import.meta.url).pathname;
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: ((line: string) => void)[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) waiting.shift()?.(line);
  });
  return {
    verifier: {
      verify(message, records, signatures) {
        return new Promise((resolve) => {
          waiting.push((line) => resolve(JSON.parse(line)));
          child.stdin.write(`${JSON.stringify({ message: message.toString('base64'), records, signatures })}\n`);
        });
      },
      close: () => child.stdin.end(),
    },
  };
}

function findPython(): string | null {
  // The system's own first: that is the one which apt installs for.
  const candidates = ['/usr/bin/python3', 'python3'];
  const works = (python: string) => spawnSync(python, ['-c', 'import dkim, nacl']).status === 0;
  const found = candidates.find(works);
  if (found) return found;
  if (process.getuid?.() === 0) {
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'python3-dkim', 'python3-nacl'], {
      stdio: 'ignore',
      timeout: 120_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  }
  return candidates.find(works) ?? null;
}
