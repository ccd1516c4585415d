// The methods about labels themselves. Objects get them by their own update methods (label.ts).
import { z } from 'zod';
import { idempotencyKey } from '../../method/idempotency.ts';
import { method } from '../../method/method.ts';
import { filledLine, id, oneOf, params } from '../../method/params.ts';
import { createLabel, deleteLabel, listLabels, maxLabelName, updateLabel } from './change.ts';
import { labelColours } from './colours.ts';
import { labelRecord } from './label.ts';

const name = filledLine('The name, which no other label has; case does not matter.', maxLabelName);
/** Of any kind of object that has labels. */
const writes = ['campaigns:write', 'contacts:write'] as const;
const colour = oneOf(`Its colour in the web application: ${labelColours.join(', ')}.`, labelColours);

export const labelMethods = [
  method({
    name: 'labels',
    group: 'labels',
    summary: 'Returns the labels of the account, by name.',
    description:
      'Callers with a set of lists get the labels of what they see. Campaigns, lists, templates and automations have labels: campaignUpdate, listUpdate, templateUpdate and automationUpdate add and remove one (add_label, remove_label), and the methods that list them return the labels and take label as a filter.',
    params: params({}),
    returns: z.array(labelRecord),
    faults: [],
    scope: 'read',
    // With each kind of object that has labels.
    permission: ['contacts:read', 'campaigns:read', 'reports:read'],
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: listLabels,
  }),
  method({
    name: 'labelCreate',
    group: 'labels',
    summary: 'Creates a label and returns its id.',
    params: params({ name, colour: colour.default('gray'), idempotency_key: idempotencyKey }),
    returns: z.string(),
    faults: ['LABEL_INVALID'],
    scope: 'write',
    permission: writes,
    example: { params: { name: 'Club', colour: 'teal' } },
    run: createLabel,
  }),
  method({
    name: 'labelUpdate',
    group: 'labels',
    summary: 'Changes the name or the colour of a label, wherever it is used.',
    params: params({ id: id('The label.'), name: name.optional(), colour: colour.optional() }),
    returns: z.boolean(),
    faults: ['LABEL_UNKNOWN', 'LABEL_INVALID'],
    scope: 'write',
    permission: writes,
    example: { params: { id: '{{label}}', name: 'Members', colour: 'violet' } },
    run: updateLabel,
  }),
  method({
    name: 'labelDelete',
    group: 'labels',
    summary: 'Deletes a label and removes it from everything that has it. Nothing else changes.',
    params: params({ id: id('The label.') }),
    returns: z.boolean(),
    faults: ['LABEL_UNKNOWN'],
    scope: 'write',
    permission: writes,
    example: { params: { id: '{{label}}' } },
    run: deleteLabel,
  }),
];
