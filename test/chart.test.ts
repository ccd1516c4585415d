// What Helm makes of the chart: the environment of each container is one that the program accepts, and ports, probes, volumes and selectors
// fit each other. What its files say without Helm: packages.test.ts and compose.test.ts. That the image runs it: e2e/image.slow.test.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '../src/base/version.ts';
import { readConfig, settings } from '../src/config.ts';
import { environmentOf, missingHelm, podsOf, renderChart } from './support/chart/render.ts';

const skip = missingHelm();
const names = new Set(Object.values(settings).map(({ name }) => name));
const secret = { DATABASE_URL: 'postgres://postrider@database/postrider', SEAL_KEY: 'x'.repeat(44) };
const image = Object.fromEntries(
  /^ENV (.*)$/m
    .exec(readFileSync(join(import.meta.dirname, '../Dockerfile'), 'utf8'))![1]!
    .split(' ')
    .map((pair) => pair.split('=')),
) as Record<string, string>;

const everything = {
  'bounces.enabled': true,
  'settings.BOUNCE_DOMAIN': 'bounces.example.com',
  'submission.enabled': true,
  'submission.tlsSecret': 'certificate',
  'ingress.enabled': true,
  'ingress.className': 'nginx',
  'ingress.tlsSecret': 'certificate',
  'web.autoscaling.enabled': true,
  'web.readinessPath': '/ready',
  'work.volume.storageClass': 'fast',
};
const variants: [string, Record<string, string | boolean>, parts: string[]][] = [
  ['as it is', {}, ['migrate', 'web', 'work']],
  ['with everything on', everything, ['bounces', 'migrate', 'submission', 'web', 'work']],
];

for (const [what, values, parts] of variants) {
  test(`the chart ${what} gives each container settings that exist, and values that the program accepts`, {
    skip,
  }, () => {
    const manifests = renderChart(values);
    const pods = podsOf(manifests);
    assert.deepEqual(pods.map(({ container }) => container.name).sort(), parts);
    for (const { container } of pods) {
      const own = environmentOf(container, manifests, secret);
      for (const name of Object.keys(own)) assert.ok(names.has(name), `${container.name}: ${name}`);
      const config = readConfig({ ...image, ...own });
      const ports = { web: config.port, bounces: config.bouncePort, submission: config.submissionPort };
      assert.deepEqual(
        container.ports?.map(({ containerPort }) => containerPort) ?? [],
        [ports[container.name as keyof typeof ports]].filter((port) => port !== undefined),
        container.name,
      );
      assert.equal(container.image, `postrider:${version}`);
      assert.equal(config.dataDir, '/data');
    }
  });

  test(`the chart ${what} mounts volumes that exist, and its probes, Services and Ingress lead to ports that exist`, {
    skip,
  }, () => {
    const manifests = renderChart(values);
    const pods = podsOf(manifests);
    for (const { container, volumes } of pods) {
      assert.deepEqual(container.volumeMounts.map(({ name }) => name).sort(), volumes.sort(), container.name);
      const ports = container.ports?.map(({ name }) => name) ?? [];
      for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe])
        if (probe) assert.ok(ports.includes((probe.httpGet ?? probe.tcpSocket)!.port), container.name);
    }
    const services = manifests.filter(({ kind }) => kind === 'Service');
    for (const { metadata, spec } of services) {
      const { selector, ports } = spec as {
        selector: Record<string, string>;
        ports: { name: string; targetPort: string }[];
      };
      const chosen = pods.filter(({ pod }) =>
        Object.entries(selector).every(([label, value]) => pod.metadata.labels[label] === value),
      );
      assert.equal(chosen.length, 1, metadata.name);
      const offered = chosen[0]!.container.ports!.map(({ name }) => name);
      for (const { targetPort } of ports) assert.ok(offered.includes(targetPort), `${metadata.name}: ${targetPort}`);
    }
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Ingress')) {
      const leads = [...JSON.stringify(spec).matchAll(/"service":\{"name":"([^"]+)","port":\{"name":"([^"]+)"/g)];
      assert.ok(leads.length > 0);
      for (const [, name, port] of leads) {
        const found = services.find(({ metadata }) => metadata.name === name)!.spec as { ports: { name: string }[] };
        assert.ok(
          found.ports.some((one) => one.name === port),
          `${name}: ${port}`,
        );
      }
    }
  });
}

test('the chart asks for what the bounce listener and the submission server cannot do without', { skip }, () => {
  assert.throws(() => renderChart({ 'bounces.enabled': true }), /settings\.BOUNCE_DOMAIN is needed/);
  assert.throws(() => renderChart({ 'submission.enabled': true }), /submission\.tlsSecret is needed/);
  assert.throws(() => renderChart({ 'work.replicas': 'two' }), /work.*replicas/s);
});
