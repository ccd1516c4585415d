// The API reference as Markdown: an overview of all methods and one page per method, generated from the list of methods. Served
// at /api/NAME.md and /llms.txt, and part of the documentation (site/sources.ts).
import { neededBy } from '../accounts/keys/permissions.ts';
import { type FaultName, faults } from '../base/faults.ts';
import type { AnyMethod } from '../method/method.ts';
import { exampleJson, familyNotes, faultsOf, type Parameter, paramsOf, signatureOf } from './describe.ts';
import { methods } from './registry.ts';

/**
 * The index that assistants read first (llmstxt.org): what the installation is, and where the reference of each method is.
 * @param baseUrl without a slash at its end
 */
export function llmsText(baseUrl: string): string {
  const groups = [...new Set(methods.map((method) => method.group))].map((group) => {
    const lines = methods
      .filter((method) => method.group === group)
      .map((method) => `- [${method.name}](${baseUrl}/api/${method.name}.md): ${method.summary}`);
    return `## ${group}\n\n${lines.join('\n')}\n`;
  });
  return `# Postrider

> Email marketing: lists, campaigns, reports and webhooks over an API of named methods. Call them with POST ${baseUrl}/api/NAME, a
> JSON object of parameters, and the API key in "Authorization: Bearer KEY".

- [All methods](${baseUrl}/api/README.md): overview and faults
- [OpenAPI 3.1](${baseUrl}/api/openapi.json): the same as a machine-readable description
- [Documentation](${baseUrl}/docs/): guides, operations, architecture; each page is Markdown with .md at its end
- Tools for assistants (MCP, Streamable HTTP): ${baseUrl}/mcp

${groups.join('\n')}`;
}

/** The page of a method, or the overview for "README"; undefined if there is no such method. */
export function markdownPage(name: string): string | undefined {
  if (name === 'README') return markdownOverview();
  const method = methods.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  return method && markdownOf(method);
}

export function markdownOverview(): string {
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
parameters, \`apikey\` among them, and is available through three doors: XML-RPC, form posts and JSON. Each method has a page
on a running installation, at \`/docs/api\` and \`/api\`; the OpenAPI 3.1 description is at \`/api/openapi.json\`.

${lists.join('\n')}
## Faults

Over XML-RPC and form posts a fault travels with HTTP 200; through the JSON door with the status of this table.

| code | status | when |
|---|---|---|
${codes.join('\n')}
`;
}

/** Such as "reports:read and contacts:read"; of several that are enough, all with "or". */
const neededText = (method: AnyMethod) =>
  method.owner
    ? 'all (an owner, or a key with the scope full)'
    : neededBy(method)
        .map((some) => some.join(' or '))
        .join(' and ');

export function markdownOf(method: AnyMethod): string {
  const own = faultsOf(method).map((name) => `| ${faults[name][0]} | ${cell(faults[name][2])} |`);
  return `# ${method.name}

${method.summary}
${method.description ? `\n${method.description}\n` : ''}
## Parameters

| name | type | required | default | meaning |
|---|---|---|---|---|
| apikey | string | yes | | The account's API key. |
${rows(paramsOf(method), '')}

${familySection(method)}Returns: ${signatureOf(method)[0]![0]}. Permission: ${neededText(method)}.

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
