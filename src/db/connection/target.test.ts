import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseProblem } from './failures.ts';
import { target } from './target.ts';

const at = 'postgres://u:p@db.example/d';
const problemOf = (url: string, environment: NodeJS.ProcessEnv = {}) => {
  try {
    target(url, environment);
  } catch (error) {
    return databaseProblem(error);
  }
  return undefined;
};

test('sslmode means what it means to libpq', () => {
  const ssl = (query: string, environment: NodeJS.ProcessEnv = {}) => target(`${at}${query}`, environment).ssl;
  assert.equal(ssl(''), false);
  assert.equal(ssl('?sslmode=disable'), false);
  assert.deepEqual(ssl('?sslmode=require'), { rejectUnauthorized: false });
  assert.deepEqual(ssl('?sslmode=no-verify'), { rejectUnauthorized: false });
  assert.deepEqual(ssl('?ssl=no-verify'), { rejectUnauthorized: false });
  for (const query of ['?sslmode=verify-full', '?ssl=true', '?sslmode=verify-full&sslrootcert=system'])
    assert.deepEqual(ssl(query), {}, query);
  for (const query of ['?sslrootcert=system', '?ssl=true&sslrootcert=system']) assert.deepEqual(ssl(query), {}, query);
  const file = `sslrootcert=${encodeURIComponent(import.meta.filename)}`;
  assert.deepEqual(Object.keys(ssl(`?${file}`) as object), ['ca'], 'with an authority, the certificate is checked');
  assert.equal(ssl(`?sslmode=disable&${file}`), false);
  assert.deepEqual(ssl('', { PGSSLMODE: 'require' }), { rejectUnauthorized: false });
  assert.equal(ssl('?sslmode=disable', { PGSSLMODE: 'require' }), false, 'the URL counts first');
});

test('the URLs that providers give out are taken, and other parameters stay', () => {
  const neon = target(`${at}?sslmode=require&channel_binding=require&options=endpoint%3Dep-1`);
  assert.deepEqual(neon, {
    connectionString: `${at}?options=endpoint%3Dep-1`,
    ssl: { rejectUnauthorized: false },
    enableChannelBinding: true,
  });
  assert.equal(target(`${at}?sslmode=require&sslnegotiation=direct`).sslnegotiation, 'direct');
  assert.equal(target(at).connectionString, at);
  const azure = 'postgres://db.example/d?user=me@server&password=x';
  assert.equal(target(azure).connectionString, 'postgres://db.example/d?user=me%40server&password=x');
  assert.equal(target('postgres://u:p@%2Ftmp%2Frun:5432/d').ssl, false);
  assert.equal(target('postgresql:///d?host=/tmp/run').connectionString, 'postgresql:///d?host=%2Ftmp%2Frun');
});

test('a URL that cannot be used is explained in one sentence that has no password in it', () => {
  const start = 'The database in DATABASE_URL cannot be used: ';
  for (const [url, reason] of [
    ['postgres://u:s3cret#x@h/d', /it has a # in it \(percent-encode/],
    ['postgres://u:5/s3cret@h/d', /it is not a valid URL \(percent-encode/],
    ['postgres://u:s3cret?x@h/d', /it is not a valid URL \(percent-encode/],
    ['postgres://u:s3cret@h1:5432,h2:5432/d', /it names several hosts; name one/],
    ['postgres://u:s3cret@h:port/d', /it is not a valid URL/],
    [`${at}?sslmode=prefer`, /sslmode "prefer" is not one of disable, require/],
    [`${at}?sslmode=require&sslrootcert=system`, /sslrootcert=system needs sslmode=verify-full/],
    [`${at}?sslmode=disable&sslrootcert=system`, /sslrootcert=system needs sslmode=verify-full/],
    [`${at}?ssl_mode=require`, /its parameter "ssl_mode" is not known; use sslmode/],
    [`${at}?useSSL=true`, /its parameter "useSSL" is not known/],
    ['postgres:///d?host=a,b', /names several hosts/],
    [`${at}?sslmode=verify-ca`, /sslmode=verify-ca needs sslrootcert=FILE/],
    [`${at}?sslmode=verify-full&sslrootcert=/no/such.pem`, /sslrootcert names the file "\/no\/such\.pem", .*ENOENT/],
  ] as const) {
    const problem = problemOf(url) ?? '';
    assert.ok(problem.startsWith(start), `${url} ${problem}`);
    assert.match(problem, reason);
    assert.doesNotMatch(problem, /s3cret/);
  }
});

test('what a server refuses is explained with the parameter that helps', () => {
  const said = (code: string, message: string) => databaseProblem(Object.assign(new Error(message), { code })) ?? '';
  const hba = 'no pg_hba.conf entry for host "192.0.2.1", user "u", database "d", no encryption';
  assert.match(said('28000', hba), /takes encrypted connections only; add sslmode=verify-full .*no encryption\)\.$/);
  assert.match(said('28000', 'role "u" is not permitted to log in'), /refuses the user \(role "u" is not permitted/);
  assert.match(said('XX000', 'connection is insecure (try using `sslmode=require`)'), /encrypted connections only/);
  assert.match(said('28000', 'connection requires a valid client certificate'), /set sslcert=FILE and sslkey=FILE/);
  assert.match(said('42501', 'permission denied for schema public'), /lacks a right \(permission denied/);
  assert.match(said('CERT_HAS_EXPIRED', 'certificate has expired'), /its certificate has expired/);
});

test('no other module gives a URL to the driver', () => {
  const src = join(import.meta.dirname, '../..');
  const giving = globSync('**/*.ts', { cwd: src })
    .filter((path) => !path.endsWith('.test.ts') && /\bconnectionString\b/.test(readFileSync(join(src, path), 'utf8')))
    // The embedded server is reached by a socket or on this machine.
    .filter((path) => path !== 'db/embedded/server.ts');
  assert.deepEqual(giving, ['db/connection/target.ts']);
});

test('files of certificates are read from the URL, that of an authority also from the environment', () => {
  const file = encodeURIComponent(import.meta.filename);
  const keys = (query: string, environment: NodeJS.ProcessEnv = {}) =>
    Object.keys(target(`${at}?${query}`, environment).ssl || {}).sort();
  assert.deepEqual(keys(`sslmode=verify-full&sslcert=${file}&sslkey=${file}`), ['cert', 'key']);
  assert.deepEqual(keys('sslmode=verify-ca', { PGSSLROOTCERT: import.meta.filename }), ['ca', 'checkServerIdentity']);
  assert.deepEqual(keys(`sslmode=require&sslrootcert=${file}`), ['ca', 'checkServerIdentity']);
  for (const parameter of ['sslrootcert', 'sslcert', 'sslkey'])
    assert.match(
      problemOf(`${at}?sslmode=verify-full&${parameter}=/no/file`) ?? '',
      new RegExp(`: ${parameter} names`),
    );
  const all = `sslmode=no-verify&ssl=true&sslcert=${file}&sslkey=${file}&sslnegotiation=postgres&channel_binding=prefer&uselibpqcompat=true`;
  assert.equal(target(`${at}?${all}`, {}).connectionString, at, 'no parameter of TLS is left for the driver');
});

test('ssl as a word or a number says whether the certificate is checked', () => {
  for (const value of ['true', '1']) assert.deepEqual(target(`${at}?ssl=${value}`, {}).ssl, {}, value);
  for (const value of ['false', '0']) assert.equal(target(`${at}?ssl=${value}`, {}).ssl, false, value);
});
