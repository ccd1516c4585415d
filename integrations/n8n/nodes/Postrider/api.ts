// Calls Postrider with the credentials of the node. Whatever is not the result of the method becomes an error of the node with the
// text of the fault.
import { createHash } from 'node:crypto';
import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  JsonObject,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

type Caller = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

/** The number of the fault of an error that call() throws; 0 when it is not one of Postrider. */
export const faultOf = (error: unknown): number =>
  error instanceof NodeApiError ? Number((error.context as { fault?: number }).fault ?? 0) : 0;

export async function call<T>(node: Caller, method: string, params: IDataObject = {}, itemIndex?: number): Promise<T> {
  const { url } = await node.getCredentials<{ url: string }>('postriderApi');
  const answer = (await node.helpers.httpRequestWithAuthentication.call(node, 'postriderApi', {
    method: 'POST',
    url: `${url.replace(/\/+$/, '')}/api/${method}`,
    body: params,
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    // A redirected POST would become a GET.
    disableFollowRedirect: true,
    timeout: 60_000,
  })) as IN8nHttpFullResponse;
  const { statusCode, body } = answer;
  const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json');
  if (statusCode === 200 && isJson) return body as T;
  const fault = isJson ? (body as { error?: string; code?: number }) : {};
  const shown = new NodeApiError(node.getNode(), fault as JsonObject, {
    message: fault.error ?? `The URL of the credentials is not that of a Postrider: ${method} got HTTP ${statusCode}`,
    ...(fault.code !== undefined && { description: `Fault ${fault.code} of ${method}` }),
    httpCode: String(statusCode),
    ...(itemIndex !== undefined && { itemIndex }),
  });
  shown.context.fault = fault.code ?? 0;
  throw shown;
}

/** The same for the same call of the same run, so that an attempt of "Retry on fail" does not send twice. */
export function idempotencyKey(node: IExecuteFunctions, params: IDataObject, itemIndex: number): string {
  const run = node.getWorkflowDataProxy(itemIndex).$runIndex;
  const call = [node.getInstanceId(), node.getExecutionId(), node.getNode().id, run, itemIndex, params];
  return createHash('sha256').update(JSON.stringify(call)).digest('hex');
}
