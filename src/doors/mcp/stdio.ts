// MCP on standard input and output: an assistant on this machine starts `postrider mcp` as its child process.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { App } from '../../base/context.ts';
import { authenticateCaller } from '../admission/refused-keys.ts';
import { mcpServer } from './server.ts';

/** Serves until the input ends. @throws Fault KEY_INVALID, ACCOUNT_DISABLED */
export async function serveMcp(app: App, key: string): Promise<void> {
  const credentials = { kind: 'key' as const, key, ip: '127.0.0.1' };
  const { caller } = await authenticateCaller(app, credentials);
  const use = { app, credentials, door: 'mcp' as const };
  const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  const connection = serveStdio(() => mcpServer(use, caller));
  await ended;
  await connection.close();
}
