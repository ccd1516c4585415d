// The system.* methods: what there is and how it is called. They need no key and read nothing but the registry.
import { Fault } from '../base/faults.ts';
import { message } from '../base/messages.ts';
import { findMethod } from './call.ts';
import { helpText, signatureOf } from './openapi.ts';
import { methods } from './registry.ts';

const own: Record<string, { help: string; signatures: string[][] }> = {
  'system.listMethods': { help: 'Returns the names of all methods.', signatures: [['array']] },
  'system.methodHelp': {
    help: 'Returns the text of a method: parameters, result, faults.',
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
  const name = Object.keys(own).find((known) => known.toLowerCase() === method.toLowerCase());
  switch (name) {
    case 'system.listMethods':
      return [...methods.map((one) => one.name), ...Object.keys(own)];
    case 'system.methodHelp':
      return about(params, (known) => known.help, helpText);
    case 'system.methodSignature':
      return about(params, (known) => known.signatures, signatureOf);
    case 'system.getCapabilities':
      return capabilities;
    default:
      throw new Fault('UNKNOWN_METHOD', message('call.unknown_method', { method: method.slice(0, 60) }));
  }
}

function about<T>(
  params: readonly unknown[],
  ofOwn: (known: (typeof own)[string]) => T,
  ofMethod: (method: ReturnType<typeof findMethod>) => T,
): T {
  const [name] = params;
  if (params.length !== 1 || typeof name !== 'string')
    throw new Fault('INVALID_PARAMETER', 'takes one string, the name of a method');
  const known = Object.keys(own).find((one) => one.toLowerCase() === name.toLowerCase());
  return known ? ofOwn(own[known]!) : ofMethod(findMethod(name));
}
