// The examples of installations in several parts, as containers of the image: what compose-several and the chart say of each part, on a
// database of the test. Only ports and the places of other services are the test's own.
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../../src/base/free-port.ts';
import { environmentOf, podsOf, renderChart } from '../chart/render.ts';
import { composeEnvironment, composeFile, exampleOf } from '../compose/files.ts';
import { createAuthority, createCertificate } from '../smtp-sink/certificate.ts';
import { Container, type Options, type User } from './container.ts';

/** @property job it ends before the others start */
export type Part = { name: string; job: boolean; container: Container };
/** Where the test has the database and the relay. */
export type Places = { databaseUrl: string; password: string; smtpUrl: string };

const user: User = { uid: 1000, gid: 1000 };
const sealKey = 'a key for examples, long enough for them';

/** The parts of examples/compose-several. */
export function composeParts(image: string, { databaseUrl, password, smtpUrl }: Places): Part[] {
  const path = 'examples/compose-several/compose.yaml';
  const given = { ...exampleOf(path), POSTGRES_PASSWORD: password, SEAL_KEY: sealKey };
  return composeFile(path).program.map(([name, service]) => {
    const settings = { ...composeEnvironment(service, given), DATABASE_URL: databaseUrl, SMTP_URL: smtpUrl };
    const ready = service.command!.includes('web') ? answers('/health') : undefined;
    return {
      name,
      job: service.restart === 'no',
      container: new Container(image, user, settings, {
        command: service.command!,
        ready: ready ?? (async () => true),
      }),
    };
  });
}

/** The parts of the chart with everything on. @param scratch for the certificate */
export async function chartParts(
  image: string,
  { databaseUrl, password, smtpUrl }: Places,
  scratch: string,
): Promise<Part[]> {
  const manifests = renderChart({
    'bounces.enabled': true,
    'settings.BOUNCE_DOMAIN': 'bounces.example.com',
    'submission.enabled': true,
    'submission.tlsSecret': 'certificate',
  });
  const secret = { DATABASE_URL: databaseUrl, PGPASSWORD: password, SEAL_KEY: sealKey, SMTP_URL: smtpUrl };
  const parts: Part[] = [];
  for (const { manifest, container } of podsOf(manifests)) {
    const settings = environmentOf(container, manifests, secret);
    for (const name of ['BOUNCE_PORT', 'SUBMISSION_PORT'])
      if (settings[name] !== undefined) settings[name] = String(await freePort());
    const probe = container.readinessProbe;
    const port = settings['BOUNCE_PORT'] ?? settings['SUBMISSION_PORT'];
    const options: Options = {
      command: container.args,
      // As Kubernetes mounts an emptyDir for the group of the pod.
      volume: { uid: 0, gid: 1000, mode: 0o2770 },
      folders: container.volumeMounts.some(({ mountPath }) => mountPath === '/tls')
        ? { '/tls': certificate(scratch) }
        : {},
      ready: probe?.httpGet ? answers(probe.httpGet.path) : async () => probe === undefined || listens(Number(port)),
    };
    const job = manifest.kind === 'Job';
    parts.push({ name: container.name, job, container: new Container(image, user, settings, options) });
  }
  return parts.sort((a, b) => Number(b.job) - Number(a.job));
}

const answers =
  (path: string) =>
  async ({ base }: Container) =>
    (await fetch(base + path).catch(() => undefined))?.ok === true;

/** Whether a server greets there. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', (greeting) => {
      socket.destroy();
      resolve(greeting.toString().startsWith('220 '));
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

/** A folder as Kubernetes mounts a Secret of the type kubernetes.io/tls. */
function certificate(scratch: string): string {
  const folder = mkdtempSync(join(scratch, 'tls-'));
  chmodSync(folder, 0o755);
  const { cert, key } = createCertificate(createAuthority(), ['mail.example.com']);
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  return folder;
}
