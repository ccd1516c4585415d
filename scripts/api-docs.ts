// Generates the API reference in docs/api/ from the list of methods: an overview, a page per method and the OpenAPI
// description. `node scripts/api-docs.ts` (npm run docs:api); a test fails when the files are out of date.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FaultName, faults } from '../src/base/faults.ts';
import { version } from '../src/base/version.ts';
import { exampleJson, familyNotes, faultsOf, type Parameter, paramsOf, signatureOf } from '../src/doors/describe.ts';
import { openApi } from '../src/doors/openapi.ts';
import { methods } from '../src/doors/registry.ts';
import type { AnyMethod } from '../src/method/method.ts';

export const folder = join(import.meta.dirname, '../docs/api');

/** File name → text of all files. */
export function apiDocs(): Map<string, string> {
  const files = new Map<string, string>([['README.md', overview()]]);
  for (const method of methods) files.set(`${method.name}.md`, pageOf(method));
  files.set('openapi.json', `${JSON.stringify(openApi('http://127.0.0.1:8080', version), null, 2)}\n`);
  return files;
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  const files = apiDocs();
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  console.log(`${files.size} files written to docs/api`);
}

function overview(): string {
  const groups = [...new Set(methods.map((method) => method.group))];
  const lists = groups.map((group) => {
    const rows = methods
      .filter((method) => method.group === group)
      .map((method) => `| [${method.name}](${method.name}.md) | ${cell(method.summary)} |`);
    return `## ${group}\n\n| method | |\n|---|---|\n${rows.join('\n')}\n`;
  });
  const codes = (Object.keys(faults) as FaultName[]).map(
    (name) => `| ${faults[name][0]} | ${faults[name][1]} | ${cell(faults[name][2])} |`,
  );
  return `# API reference

Made from the method registry by \`npm run docs:api\`; not edited by hand. Every method takes one struct of named
parameters, \`apikey\` among them, and is available through three doors: XML-RPC, form posts and JSON. The same pages are at
\`/api\` of a running installation, the OpenAPI 3.1 description in [openapi.json](openapi.json).

${lists.join('\n')}
## Faults

Over XML-RPC and form posts a fault travels with HTTP 200; through the JSON door with the status of this table.

| code | status | when |
|---|---|---|
${codes.join('\n')}
`;
}

function pageOf(method: AnyMethod): string {
  const own = faultsOf(method).map((name) => `| ${faults[name][0]} | ${cell(faults[name][2])} |`);
  return `# ${method.name}

${method.summary}
${method.description ? `\n${method.description}\n` : ''}
## Parameters

| name | type | required | default | meaning |
|---|---|---|---|---|
| apikey | string | yes | | The account's API key. |
${rows(paramsOf(method), '')}

${familySection(method)}Returns: ${signatureOf(method)[0]![0]}. Permission: ${method.scope}.

## Faults

| code | when |
|---|---|
${own.join('\n')}

## Example

\`\`\`json
${exampleJson(method)}
\`\`\`
`;
}

function familySection(method: AnyMethod): string {
  const notes = familyNotes(method).map((note) => `- ${cell(note)}\n`);
  return notes.length === 0 ? '' : `For published clients of the API family:\n\n${notes.join('')}\n`;
}

function rows(list: readonly Parameter[], prefix: string): string {
  return list
    .map((item) => {
      const row = `| ${prefix}${item.name} | ${item.type} | ${item.required ? 'yes' : 'no'} | ${cell(item.fallback ?? '')} | ${cell(item.description)} |`;
      return item.members ? `${row}\n${rows(item.members, `${prefix}${item.name}.`)}` : row;
    })
    .join('\n');
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\n/g, ' ');
}
