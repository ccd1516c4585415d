// The methods about tags of contacts.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { arrayOf, params, text } from '../../method/params.ts';
import { meaning, narrowing } from '../contacts/browse-methods.ts';
import { maxTags } from '../model/contact-tag.ts';
import { changeTags, changeTagsMatching, maxTagged, maxTaggedMatching, tagsOfAccount } from './tags.ts';

const tag = text('A tag.', 200);

export const tagMethods = [
  method({
    name: 'contactTagsUpdate',
    group: 'contacts',
    summary: 'Adds tags to contacts, removes others from them, and returns how many contacts changed.',
    description: `Tags belong to the contact, whatever its lists, and are kept in lower case: VIP and vip are one. A contact has at most ${maxTags}. The condition contact_tag of segments and of contacts compares them. A tag that no contact has is gone. An unknown address changes nothing at all.`,
    params: params({
      emails: arrayOf(`Addresses, or ids of contacts; at most ${maxTagged}.`, text('A contact.', 1_000), maxTagged),
      add: arrayOf('Tags to add, at most 50 characters each, without commas and semicolons.', tag, maxTags).default([]),
      remove: arrayOf('Tags to remove; those that a contact does not have change nothing.', tag, maxTags).default([]),
    }),
    returns: z.int(),
    faults: ['ADDRESS_UNKNOWN', 'INVALID_PARAMETER', 'TOO_LARGE'],
    scope: 'write',
    narrowed: true,
    example: { params: { emails: ['{{email}}'], add: ['vip'] } },
    run: changeTags,
  }),
  method({
    name: 'contactTagsUpdateMatching',
    group: 'contacts',
    summary: 'Adds tags to contacts that match, and removes others from them.',
    description: `${meaning} One call changes at most ${maxTaggedMatching.toLocaleString('en')} contacts; with more, call again with the same parameters. Contacts that have the tags already are left alone.`,
    params: params({
      ...narrowing,
      add: arrayOf('Tags to add, at most 50 characters each, without commas and semicolons.', tag, maxTags).default([]),
      remove: arrayOf('Tags to remove; those that a contact does not have change nothing.', tag, maxTags).default([]),
    }),
    returns: z.object({
      changed: z.int().meta({ description: 'How many contacts changed.' }),
      more: z.boolean().meta({ description: 'Whether another call may find contacts to change.' }),
    }),
    faults: ['SEGMENT_INVALID', 'INVALID_PARAMETER', 'TOO_LARGE'],
    scope: 'write',
    example: { params: { query: 'example.com', add: ['vip'] } },
    run: changeTagsMatching,
  }),
  method({
    name: 'contactTags',
    group: 'contacts',
    summary: 'Returns the tags that contacts of the account have, in order, each with the number of its contacts.',
    params: params({}),
    returns: z.array(z.object({ tag: z.string(), contacts: z.int() })),
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: (context) => tagsOfAccount(context),
  }),
];
