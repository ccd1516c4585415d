// The chart as Kubernetes gets it: what `helm template` makes of it, and the environment that each container gets. Helm is a program that
// need not be there: $HELM, or helm in the PATH.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { loadAll } = createRequire(import.meta.url)('js-yaml') as { loadAll(text: string): unknown[] };
const folder = join(import.meta.dirname, '../../../examples/helm/postrider');
const helm = process.env['HELM'] ?? 'helm';

type Probe = { httpGet?: { path: string; port: string }; tcpSocket?: { port: string } };
export type Pod = {
  metadata: { labels: Record<string, string> };
  spec: { containers: ChartContainer[]; volumes: Volume[] };
};
export type Volume = { name: string; emptyDir?: object; secret?: { secretName: string } };
export type ChartContainer = {
  name: string;
  image: string;
  args: string[];
  env?: { name: string; value: string }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  volumeMounts: { name: string; mountPath: string }[];
};
type Template = { template: Pod; volumeClaimTemplates?: { metadata: { name: string } }[] };
export type Manifest = { kind: string; metadata: { name: string }; data?: Record<string, string>; spec?: unknown };

/** Why the chart cannot be rendered here; false if it can. */
export function missingHelm(): string | false {
  return (
    spawnSync(helm, ['version', '--short']).status !== 0 &&
    'Helm is not installed (go install helm.sh/helm/v3/cmd/helm@v3.22.0, and HELM names it if it is not in the PATH)'
  );
}

/** @throws Error with what Helm says is wrong */
export function renderChart(values: Record<string, string | boolean>): Manifest[] {
  const given = Object.entries(values).flatMap(([name, value]) => [
    typeof value === 'boolean' ? '--set' : '--set-string',
    `${name}=${value}`,
  ]);
  const words = ['template', 'postrider', folder, '--kube-version', '1.30.0', ...given];
  const { status, stdout, stderr } = spawnSync(helm, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim());
  return (loadAll(stdout) as (Manifest | null)[]).filter((one) => one !== null);
}

/** What has pods, such as a Deployment. */
export function podsOf(
  manifests: Manifest[],
): { manifest: Manifest; pod: Pod; container: ChartContainer; volumes: string[] }[] {
  return manifests.flatMap((manifest) => {
    const { template: pod, volumeClaimTemplates = [] } = (manifest.spec ?? {}) as Template;
    if (!pod?.spec?.containers) return [];
    const claims = volumeClaimTemplates.map(({ metadata }) => metadata.name);
    return pod.spec.containers.map((container) => ({
      manifest,
      pod,
      container,
      volumes: [...claims, ...pod.spec.volumes.map(({ name }) => name)],
    }));
  });
}

/** The variables of a container. @param secret what the Secret has that the operator makes */
export function environmentOf(
  { envFrom = [], env = [] }: ChartContainer,
  manifests: Manifest[],
  secret: Record<string, string>,
): Record<string, string> {
  const named = envFrom.map(({ configMapRef }) => {
    if (!configMapRef) return secret;
    const found = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    if (!found?.data) throw new Error(`There is no ConfigMap ${configMapRef.name}.`);
    return found.data;
  });
  return Object.assign({}, ...named, Object.fromEntries(env.map(({ name, value }) => [name, value])));
}
