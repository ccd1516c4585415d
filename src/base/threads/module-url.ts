// Modules that are started by their address: threads and commands. They are TypeScript in a clone, and JavaScript in the npm package.
import { extname } from 'node:path';

/**
 * The address of a module of the program.
 * @param name relative to the caller, without an extension
 * @param caller its import.meta.url
 */
export const moduleUrl = (name: string, caller: string): URL => new URL(name + extname(caller), caller);
