// Wrong values at every parameter of all other methods: no call may end as an internal error or with a fault that its
// method does not declare.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Fault } from '../../src/base/faults.ts';
import type { Outbound } from '../../src/base/outbound-client.ts';
import { findMethod } from '../../src/doors/call.ts';
import { commonFaults } from '../../src/doors/describe.ts';
import { methods } from '../../src/doors/registry.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { type Fixture, makeAccount, makePlaceholder } from './fixture.ts';
import { pathsOf, replaced, wrong } from './wrong-values.ts';

let app: TestApp;
let own: Fixture;
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app, 'pro', ['inline_img']);
  const nowhere: Outbound = {
    fetch: async () => ({ ok: false, why: 'refused', code: '', detail: 'nothing is fetched here', ms: 0 }),
    judge: async () => ({ ok: false, why: 'refused', detail: 'nothing is fetched here' }),
    judgeHost: async () => ({ ok: false, why: 'refused', detail: 'nothing is reached here' }),
    close() {},
  };
  app.app.outbound = nowhere;
});
after(() => app.close());

/** The example with its placeholders filled in; what an earlier call has used up is created again. */
async function exampleOf(name: string): Promise<Record<string, unknown>> {
  let text = JSON.stringify(findMethod(name).example.params);
  for (const [all, placeholder] of text.matchAll(/\{\{(\w+)\}\}/g))
    text = text.replaceAll(all, (await makePlaceholder(app.app, own, placeholder!))!);
  return JSON.parse(text);
}

for (const method of methods) {
  const { name, faults } = method;
  test(`${name} answers wrong values with a documented fault or a result`, async () => {
    const documented: readonly string[] = [...faults, ...commonFaults];
    const problems: string[] = [];
    let right = await exampleOf(name);
    for (const path of pathsOf(method)) {
      for (const [kind, value] of Object.entries(wrong)) {
        try {
          await own.call(name, replaced(right, path, value));
          if (!findMethod(name).reads) {
            own = await makeAccount(app.app, 'pro', ['inline_img']);
            right = await exampleOf(name);
          }
        } catch (error) {
          const { fault, message } = error as Fault;
          if (fault === 'INTERNAL' || fault === 'UNAVAILABLE' || !documented.includes(fault))
            problems.push(`${path.join('.')} = ${kind}: ${fault}: ${message}`);
        }
      }
    }
    assert.deepEqual(problems, []);
  });
}
