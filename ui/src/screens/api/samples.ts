// Generates code that calls a method with given parameters, as a person would write it. Pure.

export type Sample = { language: string; code: string };

export function samplesOf({
  server,
  method,
  params,
  key,
}: {
  server: string;
  method: string;
  params: Record<string, unknown>;
  key: string;
}): Sample[] {
  const all = { apikey: key, ...params };
  return [
    { language: 'curl', code: curl(server, method, params, key) },
    { language: 'Python', code: python(server, method, all) },
    { language: 'PHP', code: php(server, method, params, key) },
    { language: 'Node', code: node(server, method, params, key) },
    { language: 'TypeScript', code: typeScript(server, method, params, key) },
    { language: 'XML-RPC', code: xmlRpc(server, method, all) },
  ];
}

const curl = (server: string, method: string, params: object, key: string) => `curl ${server}/api/${method} \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d ${shellQuoted(JSON.stringify(params, null, 2))}`;

const python = (server: string, method: string, all: object) => `import xmlrpc.client

api = xmlrpc.client.ServerProxy('${server}/xmlrpc', allow_none=True)
print(api.${method}(${pythonLiteral(all, '')}))`;

const php = (server: string, method: string, params: object, key: string) => `<?php
$params = ${phpLiteral(params, '')};
$answer = file_get_contents('${server}/api/${method}', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => "Authorization: Bearer ${key}\\r\\nContent-Type: application/json",
    'content' => json_encode((object) $params),
    'ignore_errors' => true,
]]));
var_dump(json_decode($answer, true));`;

const node = (
  server: string,
  method: string,
  params: object,
  key: string,
) => `const response = await fetch('${server}/api/${method}', {
  method: 'POST',
  headers: { authorization: 'Bearer ${key}', 'content-type': 'application/json' },
  body: JSON.stringify(${jsLiteral(params, '  ')}),
});
console.log(await response.json());`;

const typeScript = (
  server: string,
  method: string,
  params: object,
  key: string,
) => `async function call<T>(method: string, params: object): Promise<T> {
  const response = await fetch(\`${server}/api/\${method}\`, {
    method: 'POST',
    headers: { authorization: 'Bearer ${key}', 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(\`\${answer.code}: \${answer.error}\`);
  return answer as T;
}

console.log(await call<unknown>('${method}', ${jsLiteral(params, '')}));`;

/** JSON is JavaScript; names that need no quotes have none. */
function jsLiteral(value: object, indent: string): string {
  return JSON.stringify(value, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll('\n', `\n${indent}`);
}

const xmlRpc = (server: string, method: string, all: object) => `curl ${server}/xmlrpc \\
  -H 'Content-Type: text/xml' \\
  -d ${shellQuoted(`<?xml version="1.0"?>
<methodCall>
  <methodName>${method}</methodName>
  <params><param>
    ${xmlValue(all, '    ')}
  </param></params>
</methodCall>`)}`;

/** In single quotes, a shell treats everything but a single quote literally. */
const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function pythonLiteral(value: unknown, indent: string): string {
  const deeper = `${indent}    `;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => pythonLiteral(item, indent)).join(', ')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value).map(
      ([name, item]) => `${deeper}${JSON.stringify(name)}: ${pythonLiteral(item, deeper)},`,
    );
    return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`;
  }
  return JSON.stringify(String(value));
}

function phpLiteral(value: unknown, indent: string): string {
  const deeper = `${indent}    `;
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => phpLiteral(item, indent)).join(', ')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value).map(
      ([name, item]) => `${deeper}${phpText(name)} => ${phpLiteral(item, deeper)},`,
    );
    return members.length === 0 ? '[]' : `[\n${members.join('\n')}\n${indent}]`;
  }
  return phpText(String(value));
}

const phpText = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function xmlValue(value: unknown, indent: string): string {
  const deeper = `${indent}  `;
  if (typeof value === 'boolean') return `<value><boolean>${value ? 1 : 0}</boolean></value>`;
  if (typeof value === 'number')
    return Number.isInteger(value) ? `<value><int>${value}</int></value>` : `<value><double>${value}</double></value>`;
  if (Array.isArray(value))
    return `<value><array><data>${value.map((item) => `\n${deeper}${xmlValue(item, deeper)}`).join('')}\n${indent}</data></array></value>`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, item]) => `\n${deeper}<member><name>${xmlText(name)}</name>${xmlValue(item, deeper)}</member>`,
    );
    return `<value><struct>${members.join('')}\n${indent}</struct></value>`;
  }
  return `<value><string>${xmlText(String(value ?? ''))}</string></value>`;
}

const xmlText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
