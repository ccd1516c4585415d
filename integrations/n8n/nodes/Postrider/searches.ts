// What the fields of the node offer from the account: lists, campaigns that can be sent, merge fields and types of events.
import type { ILoadOptionsFunctions, INodeListSearchResult, INodePropertyOptions } from 'n8n-workflow';
import { call } from './api.ts';

const pageSize = 100;

export async function searchLists(
  this: ILoadOptionsFunctions,
  filter = '',
  page = '0',
): Promise<INodeListSearchResult> {
  const start = Number(page);
  const lists = await call<{ id: string; name: string }[]>(this, 'lists', { start, limit: pageSize, hidden: false });
  return {
    results: lists
      .filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()))
      .map(({ id, name }) => ({ name, value: id })),
    ...(lists.length === pageSize && { paginationToken: String(start + 1) }),
  };
}

export async function searchDrafts(
  this: ILoadOptionsFunctions,
  query = '',
  page = '0',
): Promise<INodeListSearchResult> {
  const start = Number(page);
  const params = { query, state: 'draft', hidden: false, start, limit: pageSize };
  const { data } = await call<{ data: { id: string; title: string; subject: string }[] }>(
    this,
    'campaignSearch',
    params,
  );
  return {
    results: data.map(({ id, title, subject }) => ({ name: title || subject || id, value: id })),
    ...(data.length === pageSize && { paginationToken: String(start + 1) }),
  };
}

export async function getMergeFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const id = this.getCurrentNodeParameter('id', { extractValue: true });
  const fields = await call<{ tag: string; name: string }[]>(this, 'listMergeVars', { id: String(id) });
  return fields.map(({ tag, name }) => ({ name: `${name} (${tag})`, value: tag }));
}

export async function getEventTypes(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const types = await call<{ type: string; meaning: string }[]>(this, 'eventTypes');
  return types.map(({ type, meaning }) => ({ name: type, value: type, description: meaning }));
}
