// The methods that search members and contacts by any part of an address or value.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { numbers } from '../../method/numbers.ts';
import { paging } from '../../method/paging.ts';
import { id, integer, oneOf, params, text } from '../../method/params.ts';
import { statuses } from '../model/subscription-status.ts';
import { filter, match } from '../segments/read-filter.ts';
import { contactSearch, memberSearch } from './search.ts';

export const searchMethods = [
  method({
    name: 'memberSearch',
    group: 'members',
    summary:
      'Returns the members of a list whose address or values contain some words, last change first, and how many have each status.',
    description:
      'total counts the members that match text, segment, conditions and status; counts has, for each status, those that match the others. filter has conditions as those of a segment, which are not stored. Case, accents and apostrophes do not matter. A word with an @ is searched for in addresses only.',
    params: params({
      list: id('The list.'),
      query: text(
        'Words in any order, each part of the address or of a value, such as a full name; all members when empty.',
        200,
      ).default(''),
      status: oneOf('Only members with this status.', statuses).optional(),
      segment: text('Only members that match this segment of the list.', 100).default(''),
      match: match.default('all'),
      filter: filter.default([]),
      ...paging(25, 1_000),
    }),
    returns: z.object({
      total: z.int(),
      counts: numbers(statuses),
      data: z.array(
        named(
          'FoundMember',
          z.object({
            id: z.string(),
            email: z.string(),
            status: z.enum(statuses),
            merges: z.record(z.string(), z.string()),
            signup_time: z.string(),
            status_time: z.string(),
            change_time: z.string(),
          }),
        ),
      ),
    }),
    faults: ['LIST_UNKNOWN', 'SEGMENT_INVALID', 'START_OUT_OF_RANGE', 'LIMIT_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { list: '{{list}}', query: 'gra', status: 'subscribed', limit: 5 } },
    run: memberSearch,
  }),
  method({
    name: 'contactSearch',
    group: 'members',
    summary:
      'Returns contacts of the account with some words in the address or in their values; addresses that start with the first come first.',
    params: params({
      query: text(
        'Words in any order, each part of the address or the beginning of a word of a value, such as a full name.',
        200,
      ),
      limit: integer('Number of results, 1 to 100.', 1, 100, { fault: 'LIMIT_OUT_OF_RANGE' }).default(10),
    }),
    returns: z.array(z.object({ id: z.string(), email: z.string(), lists: z.int() })),
    faults: ['LIMIT_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { query: 'grace', limit: 5 } },
    run: contactSearch,
  }),
];
