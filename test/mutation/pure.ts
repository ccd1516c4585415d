// Which files of src are pure, and which tests check them. A file is pure when its imports of values reach no module for networks,
// processes, databases or slow work on files (node:fs/promises), and no file that ends or talks to processes by the global
// `process`; src/db/connect.ts may be reached by a file with a test beside it.
// Its tests are the one beside it or else the two nearest that import it and are pure or in its folder; a test that needs a network
// or a database does not count. A file without such tests is left out, as are declarations: texts, which
// src/base/messages.test.ts checks as a whole, the options of campaigns, which test/docs.test.ts compares with the docs, the settings
// of a session, which session-settings.test.ts compares with those of a database, and the list of tasks, whose rules tasks.test.ts
// checks.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const effects =
  /^(node:(net|https?|http2|tls|dgram|dns.*|fs\/promises|child_process|worker_threads|cluster)|pg|fastify|graphile-worker|smtp-server|playwright-core|process)$/;
/** Counts as an import of process, like the modules above. */
const usesProcess = /\bprocess\.(exit|kill|on|once|off|send|disconnect|connected)\b/;
const declarations =
  /^src\/(locales\/messages\/|campaigns\/model\/options\.ts|db\/connection\/session-settings\.ts|jobs\/tasks\.ts)/;
const outside = /^(node:(net|https?|http2|tls|dgram|dns.*|worker_threads)|pg|graphile-worker|playwright-core)$/;

/** The tests of a pure file, and the files through which they reach it, with them. */
export type Tests = { tests: string[]; between: string[] };

/** Pure file → its tests. */
export function pureFiles(root: string): Map<string, Tests> {
  const imports = new Map<string, string[]>();
  for (const file of globSync('{src,test}/**/*.ts', { cwd: root })) imports.set(file, importsOf(root, file));
  const tests = [...imports.keys()].filter((file) => file.endsWith('.test.ts') && !reaches(imports, file, outside));
  const pureTests = new Set(tests.filter((test) => test.startsWith('src/') && !reaches(imports, test, effects)));
  const steps = new Map(tests.map((test) => [test, stepsFrom(imports, test)]));

  const result = new Map<string, Tests>();
  for (const file of [...imports.keys()].sort()) {
    if (!file.startsWith('src/') || file.endsWith('.test.ts') || declarations.test(file)) continue;
    const beside = file.replace(/\.ts$/, '.test.ts');
    const hasOwn = tests.includes(beside);
    if (reaches(imports, file, effects, hasOwn)) continue;
    /** Tests of the same folder come before others at the same distance. */
    const distance = (test: string) => steps.get(test)!.get(file)! + (dirname(test) === dirname(file) ? 0 : 0.5);
    const nearest = tests
      .filter((test) => pureTests.has(test) || dirname(test) === dirname(file))
      .filter((test) => steps.get(test)!.has(file))
      .sort((a, b) => distance(a) - distance(b) || a.localeCompare(b));
    if (!hasOwn && nearest.length === 0) continue;
    const chosen = hasOwn ? [beside] : nearest.slice(0, 2);
    const reached = chosen.flatMap((test) => [...stepsFrom(imports, test).keys()]);
    result.set(file, { tests: chosen, between: reached.filter((at) => stepsFrom(imports, at).has(file)) });
  }
  return result;
}

/** Imports of values: paths from the root, and names of packages. */
function importsOf(root: string, file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const imports = [...source.matchAll(/^(?:import|export) (?!type)([^;]*?from )?'([^']+)';/gm)]
    .filter(([, names]) => !/^\{ isIP(v[46])?(, isIP(v[46])?)* \} from $/.test(names ?? ''))
    .map(([, , from]) => (from!.startsWith('.') ? normalize(join(dirname(file), from!)) : from!));
  return usesProcess.test(source) ? [...imports, 'process'] : imports;
}

function reaches(imports: Map<string, string[]>, file: string, modules: RegExp, mayConnect = true): boolean {
  return [...stepsFrom(imports, file).keys()].some(
    (at) => !(mayConnect && at === 'src/db/connect.ts') && (imports.get(at) ?? []).some((name) => modules.test(name)),
  );
}

/** All files that can be reached from a file, with the number of steps. */
function stepsFrom(imports: Map<string, string[]>, file: string): Map<string, number> {
  const steps = new Map([[file, 0]]);
  for (const [at, step] of steps)
    for (const next of imports.get(at) ?? []) if (!steps.has(next)) steps.set(next, step + 1);
  return steps;
}
