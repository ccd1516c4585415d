// The methods that copy something into another account of the same person.
import { z } from 'zod';
import { method } from '../method/method.ts';
import { id, params } from '../method/params.ts';
import { copyAutomation, copySegment, copyTargets, copyTemplate } from './copies.ts';

const account = id('The id of another account of the signed-in user, as sessionGet() returns it.');
const list = id('The list there.');
const returns = z.object({
  id: z.string().meta({ description: 'Of the copy.' }),
  left_out: z.array(z.string()).meta({ description: 'What the copy does not have, in words.' }),
});

export const copyMethods = [
  method({
    name: 'copyTargets',
    group: 'account',
    summary: 'Lists the other accounts into which the signed-in user may copy something, with their lists.',
    params: params({}),
    returns: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        lists: z.array(z.object({ id: z.string(), name: z.string() })).meta({ description: 'By name, 1,000 at most.' }),
      }),
    ),
    faults: [],
    scope: 'read',
    person: true,
    reads: true,
    example: { params: {} },
    run: copyTargets,
  }),
  method({
    name: 'templateCopy',
    group: 'templates',
    summary: 'Copies a template, with its pictures, into another account of the signed-in user.',
    description: 'The user must be able to change templates there. Its alias is left out.',
    params: params({ template_id: id('The template.'), account }),
    returns,
    faults: ['TEMPLATE_UNKNOWN', 'NOT_ALLOWED'],
    scope: 'read',
    person: true,
    example: { params: { template_id: '{{template}}', account: '{{other_account}}' } },
    run: copyTemplate,
  }),
  method({
    name: 'segmentCopy',
    group: 'segments',
    summary: 'Copies a segment to a list of another account of the signed-in user.',
    description:
      'Nothing is copied if a condition asks for what the list does not have: a field, a campaign or another list. The fault names it.',
    params: params({ id: id('The segment.'), account, list }),
    returns,
    faults: ['SEGMENT_INVALID', 'LIST_UNKNOWN', 'NOT_ALLOWED'],
    scope: 'read',
    person: true,
    example: { params: { id: '{{segment}}', account: '{{other_account}}', list: '{{list_there}}' } },
    run: copySegment,
  }),
  method({
    name: 'automationCopy',
    group: 'automations',
    summary:
      'Copies an automation, with the texts and pictures of its emails, to a list of another account of the signed-in user.',
    description:
      'The copy is a draft. Its emails have the sender of the list. Segments, campaigns and lists that it refers to, conditions on fields that the list does not have, language versions and attachments are left out, and named.',
    params: params({ id: id('The automation.'), account, list }),
    returns,
    faults: ['AUTOMATION_UNKNOWN', 'LIST_UNKNOWN', 'NOT_ALLOWED'],
    scope: 'read',
    person: true,
    example: { params: { id: '{{automation}}', account: '{{other_account}}', list: '{{list_there}}' } },
    run: copyAutomation,
  }),
];
