// The system.* methods of XML-RPC introspection. They need no API key and read only the list of methods.
import { fault } from '../base/faults.ts';
import { findMethod } from './call.ts';
import { helpText, signatureOf } from './describe.ts';
import { methods } from './registry.ts';

const systemMethods: Record<string, { help: string; signatures: string[][] }> = {
  'system.listMethods': { help: 'Returns the names of all methods.', signatures: [['array']] },
  'system.methodHelp': {
    help: 'Returns the description of a method: parameters, result and faults.',
    signatures: [['string', 'string']],
  },
  'system.methodSignature': {
    help: 'Returns the signatures of a method, each an array of types, the result first.',
    signatures: [['array', 'string']],
  },
  'system.multicall': {
    help: 'Runs several calls; takes an array of structs {methodName, params}.',
    signatures: [['array', 'array']],
  },
  'system.getCapabilities': { help: 'Returns the conventions this server follows.', signatures: [['struct']] },
};

const capabilities = {
  xmlrpc: { specUrl: 'http://www.xmlrpc.com/spec', specVersion: 1 },
  introspection: { specUrl: 'http://phpxmlrpc.sourceforge.net/doc-2/ch10.html', specVersion: 2 },
  'system.multicall': { specUrl: 'http://www.xmlrpc.com/discuss/msgReader$1208', specVersion: 1 },
  faults_interop: { specUrl: 'http://xmlrpc-epi.sourceforge.net/specs/rfc.fault_codes.php', specVersion: 20010516 },
  nil: { specUrl: 'http://ontosys.com/xml-rpc/extensions.php', specVersion: 20010518 },
};

export const isIntrospection = (method: string) => /^system\./i.test(method);

/** @throws Fault UNKNOWN_METHOD, INVALID_PARAMETER */
export function introspect(method: string, params: readonly unknown[]): unknown {
  const name = Object.keys(systemMethods).find((known) => known.toLowerCase() === method.toLowerCase());
  switch (name) {
    case 'system.listMethods':
      return [...methods.map((method) => method.name), ...Object.keys(systemMethods)];
    case 'system.methodHelp':
      return about(name, params, (known) => known.help, helpText);
    case 'system.methodSignature':
      return about(name, params, (known) => known.signatures, signatureOf);
    case 'system.getCapabilities':
      return capabilities;
    default:
      throw fault('UNKNOWN_METHOD', 'call.unknown_method', { method: method.slice(0, 60) });
  }
}

function about<T>(
  asked: string,
  params: readonly unknown[],
  ofSystem: (known: (typeof systemMethods)[string]) => T,
  ofMethod: (method: ReturnType<typeof findMethod>) => T,
): T {
  const [name] = params;
  if (params.length !== 1 || typeof name !== 'string')
    throw fault('INVALID_PARAMETER', 'door.method_name', { method: asked });
  const known = Object.keys(systemMethods).find((systemName) => systemName.toLowerCase() === name.toLowerCase());
  return known ? ofSystem(systemMethods[known]!) : ofMethod(findMethod(name));
}
