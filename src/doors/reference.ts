// The API reference as pages: an overview of all methods at /api, and one page per method. Plain HTML without script,
// generated from the list of methods.

import { faults } from '../base/faults.ts';
import { escapeHtml } from '../base/html.ts';
import type { AnyMethod } from '../method/method.ts';
import { exampleJson, familyNotes, faultsOf, type Parameter, paramsOf, signatureOf } from './describe.ts';
import { methods } from './registry.ts';

/** @param api the path of the reference, such as /api */
export function referencePage(api: string): string {
  const groups = [...new Set(methods.map((method) => method.group))];
  const lists = groups.map((group) => {
    const items = methods
      .filter((method) => method.group === group)
      .map(
        (method) =>
          `<tr><td><a href="${api}/${method.name}"><code>${method.name}</code></a><td>${escapeHtml(method.summary)}`,
      );
    return `<h2>${group}</h2><table>${items.join('\n')}</table>`;
  });
  return page(
    'API reference',
    `<h1>API reference</h1>
<p>Every method takes one struct of named parameters and is available through three doors: XML-RPC (POST to <code>/</code>, <code>/xmlrpc</code> or <code>/RPC2</code>), form posts (<code>/?output=json&amp;method=NAME</code>) and JSON (<code>POST /api/NAME</code>). Send the API key in the member <code>apikey</code>, or with JSON in <code>Authorization: Bearer</code>; a JSON body of more than 1 MiB needs the key in that header. A body may be compressed (<code>Content-Encoding: gzip</code>, <code>deflate</code> or <code>br</code>); the limit of 32 MiB counts what it inflates to. <a href="${api}/openapi.json">OpenAPI 3.1</a></p>
${lists.join('\n')}`,
  );
}

/** The page of a method; undefined if it does not exist. */
export function methodPage(api: string, name: string): string | undefined {
  const method = methods.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  return method && page(method.name, body(api, method));
}

function body(api: string, method: AnyMethod): string {
  const example = exampleJson(method);
  return `<p><a href="${api}">API reference</a></p><h1>${method.name}</h1>
<p>${escapeHtml(method.summary)}</p>${method.description ? `<p>${escapeHtml(method.description)}</p>` : ''}
<h2>Parameters</h2><table><tr><th>name<th>type<th>required<th>default<th>meaning</tr>
<tr><td><code>apikey</code><td>string<td>yes<td><td>The account's API key.</tr>
${rows(paramsOf(method), '')}</table>
${notesOf(method)}<h2>Returns</h2><p><code>${signatureOf(method)[0]![0]}</code></p>
<h2>Faults</h2><table><tr><th>code<th>when</tr>${faultsOf(method)
    .map((fault) => `<tr><td>${faults[fault][0]}<td>${escapeHtml(faults[fault][2])}`)
    .join('\n')}</table>
<h2>Example</h2><pre>curl -X POST ${`$BASE_URL/api/${method.name}`} \\
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -d '${escapeHtml(example)}'</pre>
<pre>import xmlrpc.client
service = xmlrpc.client.ServerProxy(BASE_URL)
service.${method.name}({"apikey": API_KEY${Object.keys(method.example.params).length > 0 ? ', **PARAMETERS' : ''}})</pre>`;
}

function notesOf(method: AnyMethod): string {
  const notes = familyNotes(method).map((note) => `<li>${escapeHtml(note)}`);
  return notes.length === 0 ? '' : `<p>For published clients of the API family:</p><ul>${notes.join('\n')}</ul>\n`;
}

function rows(list: Parameter[], prefix: string): string {
  return list
    .map(
      (
        one,
      ) => `<tr><td><code>${escapeHtml(prefix + one.name)}</code><td>${one.type}<td>${one.required ? 'yes' : 'no'}<td>${escapeHtml(one.fallback ?? '')}<td>${escapeHtml(one.description)}</tr>
${one.members ? rows(one.members, `${prefix}${one.name}.`) : ''}`,
    )
    .join('');
}

const page = (title: string, content: string) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} · Postrider</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;font-size:14px;display:block;overflow-x:auto}td,th{text-align:left;min-width:4rem;vertical-align:top;padding:.35rem .6rem .35rem 0;border-bottom:1px solid #8884}
pre{background:#8881;padding:.8rem;overflow:auto;border-radius:6px}h2{font-size:1.1rem;margin-top:2rem}</style>
${content}
`;
