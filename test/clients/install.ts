// Clients of other projects: how each is found, which Debian packages provide it, and their installation when root.
// Guarantees to change nothing when all clients are present, to install with one apt-get under a lock, and to give a
// reason for every missing client.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Client = {
  name: string;
  /** The program that runs the client's script. */
  program: string;
  script: string;
  /** Further arguments of the script. */
  args?: string[];
  /** Arguments of the program that succeed only where the client is there. */
  probe: string[];
  packages: string[];
};

const requestXmlrpc = 'exit(function_exists("xmlrpc_encode_request") && function_exists("json_encode") ? 0 : 1);';

/** THE list of clients. */
export const clients: Client[] = [
  {
    name: "Python's xmlrpc.client",
    program: 'python3',
    script: 'python/xmlrpc_client.py',
    probe: ['-c', 'import xmlrpc.client'],
    packages: ['python3'],
  },
  {
    name: "Perl's RPC::XML",
    program: 'perl',
    script: 'perl/rpc_xml.pl',
    probe: ['-MRPC::XML::Client', '-MJSON::PP', '-e', '1'],
    packages: ['librpc-xml-perl', 'perl'],
  },
  {
    name: "Ruby's xmlrpc",
    program: 'ruby',
    script: 'ruby/xmlrpc_client.rb',
    probe: ['-e', 'require "xmlrpc/client"'],
    packages: ['ruby', 'ruby-xmlrpc'],
  },
  {
    name: "PHP's xmlrpc extension",
    program: 'php',
    script: 'php/xmlrpc.php',
    probe: ['-r', requestXmlrpc],
    packages: ['php-cli', 'php-xmlrpc'],
  },
  ...['php', 'json'].map((output) => ({
    name: `a form by PHP's http_build_query, answered as ${output},`,
    program: 'php',
    script: 'php/form.php',
    args: [output],
    probe: ['-r', 'exit(0);'],
    packages: ['php-cli'],
  })),
  {
    name: "a form by Ruby's rest-client",
    program: 'ruby',
    script: 'ruby/rest_client.rb',
    probe: ['-e', 'require "rest-client"'],
    packages: ['ruby', 'ruby-rest-client'],
  },
  {
    name: "a form as Python 2's urllib.urlencode spells it, typed again in Python 3,",
    program: 'python3',
    script: 'python/urllib_form.py',
    probe: ['-c', 'import urllib.request'],
    packages: ['python3'],
  },
  {
    name: "a form by Python 2's own urllib",
    program: findPython2(),
    script: 'python/urllib_form.py',
    probe: ['-c', 'import urllib2'],
    packages: ['python2'],
  },
];

export type Found = Client & {
  /** `broken`: its packages were installed, and yet it does not work. */
  state: 'present' | 'unavailable' | 'broken';
  why: string;
};

/** Installs what is missing where that is possible, and says of every client what has become of it. */
export function installClients(): Found[] {
  const missing = clients.filter((client) => !works(client));
  const wanted = [...new Set(missing.flatMap(({ packages }) => packages))];
  const { unknown, problem } = install(wanted);
  return clients.map((client) => {
    if (!missing.includes(client) || works(client)) return { ...client, state: 'present', why: '' };
    const packages = client.packages.join(' and ');
    const strange = client.packages.filter((item) => unknown.includes(item));
    if (problem !== '') return { ...client, state: 'unavailable', why: `needs ${packages}; ${problem}` };
    if (strange.length > 0) return { ...client, state: 'unavailable', why: `apt knows no ${strange.join(', ')}` };
    return { ...client, state: 'broken', why: `${packages} installed, but it does not load` };
  });
}

function works({ program, probe }: Client): boolean {
  return spawnSync(program, probe, { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

/** @returns packages that apt does not know, and what went wrong with the others ('' when they are installed) */
export function install(packages: string[]): { unknown: string[]; problem: string } {
  if (packages.length === 0) return { unknown: [], problem: '' };
  if (process.getuid?.() !== 0) return { unknown: [], problem: 'this user may not install' };
  if (run('apt-get', ['--version']).status !== 0) return { unknown: [], problem: 'no apt-get here' };
  const deadline = Date.now() + maxInstallMs;
  // A package that others only mention has no candidate.
  const unknownOf = () => packages.filter((item) => !/Candidate: [^(]/.test(run('apt-cache', ['policy', item]).stdout));
  let unknown = unknownOf();
  // A fresh container has no package lists, and knows only what it has.
  if (unknown.some((item) => item !== 'python2')) {
    aptGet(['update'], deadline);
    unknown = unknownOf();
  }
  const known = packages.filter((item) => !unknown.includes(item));
  if (known.length === 0) return { unknown, problem: '' };
  let apt = aptGet(['install', '-y', '--no-install-recommends', ...known], deadline);
  if (apt.status !== 0) {
    // Lists that have grown old name files that are gone.
    aptGet(['update'], deadline);
    apt = aptGet(['install', '-y', '--no-install-recommends', ...known], deadline);
  }
  const lastLine = apt.stderr.trim().split('\n').at(-1) || 'out of time';
  return { unknown, problem: apt.status === 0 ? '' : `apt-get failed: ${lastLine}` };
}

/** All that is installed for this is there by then, or counts as not available. */
const maxInstallMs = 90_000;

function aptGet(args: string[], deadline: number) {
  const lock = join(tmpdir(), 'postrider-apt.lock');
  // Without a fork, so that a time-out ends apt-get itself.
  return run('flock', ['--no-fork', lock, 'apt-get', '-qq', ...args], Math.max(1, deadline - Date.now()));
}

function run(program: string, args: string[], timeout = 20_000) {
  return spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

/** Debian 12 has no Python 2 any more; some machines keep one by name or under pyenv. */
function findPython2(): string {
  const kept = process.env['PYENV_ROOT'] ?? join(process.env['HOME'] ?? '', '.pyenv');
  return (
    ['python2.7', join(kept, 'versions/2.7.18/bin/python2.7')].find(
      (program) => run(program, ['-c', 'import urllib2']).status === 0,
    ) ?? 'python2'
  );
}
