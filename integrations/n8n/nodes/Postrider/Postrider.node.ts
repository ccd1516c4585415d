// The node: for each item, the method of the chosen operation is called with the fields of the item.
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { call, idempotencyKey } from './api.ts';
import { type Field, type Operation, operations } from './operations.ts';
import { properties } from './properties.ts';
import { getMergeFields, searchDrafts, searchLists } from './searches.ts';
import { addressesOf, fieldsOf, jsonOf, timeOf, wordsOf } from './values.ts';

export class Postrider implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Postrider',
    name: 'postrider',
    icon: 'file:../../icons/postrider.svg',
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Contacts, campaigns, single messages and events of Postrider',
    defaults: { name: 'Postrider' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: true,
    credentials: [{ name: 'postriderApi', required: true }],
    properties,
  };

  methods = { listSearch: { searchLists, searchDrafts }, loadOptions: { getMergeFields } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = [];
    for (const itemIndex of this.getInputData().keys()) {
      const pairedItem = { item: itemIndex };
      try {
        for (const json of await run(this, itemIndex)) results.push({ json, pairedItem });
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        results.push({ json: { error: (error as Error).message }, pairedItem });
      }
    }
    return [results];
  }
}

async function run(node: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const [resource, name] = ['resource', 'operation'].map((one) => node.getNodeParameter(one, itemIndex));
  const operation = operations.find((one) => one.resource === resource && one.value === name);
  if (!operation)
    throw new NodeOperationError(node.getNode(), `There is no operation ${name} of ${resource}`, { itemIndex });
  const params = await paramsOf(node, operation, itemIndex);
  if (operation.hasPages) return pagesOf(node, operation.method, params, itemIndex);
  if (operation.isIdempotent) params.idempotency_key = idempotencyKey(node, params, itemIndex);
  const result = await call<IDataObject | boolean>(node, operation.method, params, itemIndex);
  return [typeof result === 'object' ? result : { success: result }];
}

async function paramsOf(node: IExecuteFunctions, operation: Operation, itemIndex: number): Promise<IDataObject> {
  const params: IDataObject = {};
  for (const field of operation.fields)
    await put(params, field, node.getNodeParameter(field.name, itemIndex, undefined, { extractValue: true }));
  if (operation.options.length === 0) return params;
  const chosen = node.getNodeParameter('options', itemIndex, {}) as IDataObject;
  const options: IDataObject = {};
  for (const field of operation.options) if (field.name in chosen) await put(options, field, chosen[field.name]);
  return operation.optionsIn === undefined ? { ...params, ...options } : { ...params, [operation.optionsIn]: options };

  async function put(to: IDataObject, field: Field, value: unknown): Promise<void> {
    if (value === undefined || (value === '' && !field.required)) return;
    try {
      to[field.name] = (await converted(node, field, value, itemIndex)) as IDataObject;
    } catch (error) {
      throw new NodeOperationError(node.getNode(), `${field.displayName}: ${(error as Error).message}`, { itemIndex });
    }
  }
}

async function converted(node: IExecuteFunctions, { as }: Field, value: unknown, itemIndex: number): Promise<unknown> {
  switch (as) {
    case 'addresses':
      return addressesOf(value);
    case 'words':
      return wordsOf(value);
    case 'json':
      return jsonOf(value);
    case 'fields':
      return fieldsOf(value);
    case 'time':
      return timeOf(value, node.getTimezone());
    case 'files':
      return Promise.all(wordsOf(value).map((name) => fileOf(node, name, itemIndex)));
    default:
      return value;
  }
}

async function fileOf(node: IExecuteFunctions, name: string, itemIndex: number): Promise<IDataObject> {
  const { fileName, mimeType } = node.helpers.assertBinaryData(itemIndex, name);
  const content = (await node.helpers.getBinaryDataBuffer(itemIndex, name)).toString('base64');
  return { name: fileName ?? name, content, content_type: mimeType };
}

/** The rows of all pages, or of as many as the limit asks for. */
async function pagesOf(
  node: IExecuteFunctions,
  method: string,
  params: IDataObject,
  itemIndex: number,
): Promise<IDataObject[]> {
  const returnAll = node.getNodeParameter('returnAll', itemIndex) as boolean;
  const limit = returnAll ? 1_000 : (node.getNodeParameter('limit', itemIndex) as number);
  const rows: IDataObject[] = [];
  for (let start = 0; ; start++) {
    const page = await call<IDataObject[]>(node, method, { ...params, start, limit }, itemIndex);
    rows.push(...page);
    if (!returnAll || page.length < limit) return rows;
  }
}
