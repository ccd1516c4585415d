// The fields of the node as n8n shows them, from the list of operations.
import type { INodeProperties } from 'n8n-workflow';
import { type Field, type Operation, operations, resources } from './operations.ts';

const paging: INodeProperties[] = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 1000 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: { show: { returnAll: [false] } },
  },
];

export const properties: INodeProperties[] = [
  {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: resources,
    default: 'contact',
  },
  ...resources.map(({ value }): INodeProperties => {
    const own = operations.filter(({ resource }) => resource === value);
    return {
      displayName: 'Operation',
      name: 'operation',
      type: 'options',
      noDataExpression: true,
      displayOptions: { show: { resource: [value] } },
      options: own.map(({ name, value, action, description }) => ({ name, value, action, description })),
      default: own[0]!.value,
    };
  }),
  ...operations.flatMap(fieldsOf),
];

function fieldsOf({ resource, value, fields, options, hasPages, optionsIn }: Operation): INodeProperties[] {
  const shown = fields.map(propertyOf);
  if (hasPages) shown.push(...paging);
  if (options.length > 0)
    shown.push({
      displayName: optionsIn === undefined ? 'Options' : 'Filters',
      name: 'options',
      type: 'collection',
      placeholder: optionsIn === undefined ? 'Add option' : 'Add filter',
      default: {},
      options: options.map(propertyOf),
    });
  const show = { resource: [resource], operation: [value] };
  return shown.map((property) => ({
    ...property,
    displayOptions: { show: { ...show, ...property.displayOptions?.show } },
  }));
}

function propertyOf({ as: _as, ...property }: Field): INodeProperties {
  return property;
}
