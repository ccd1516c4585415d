// The methods about segments of a list.
import { z } from 'zod';
import { sameAs } from '../../method/family.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { paging } from '../../method/paging.ts';
import { boolean, filledLine, id, oneOf, params } from '../../method/params.ts';
import { matches } from '../model/segment.ts';
import { createSegment, deleteSegment, updateSegment } from './change.ts';
import { listSegments, previewSegment, segmentMembers, segmentsOfAccount } from './read.ts';
import { filter, match, storedFilter } from './read-filter.ts';

const memberShape = named(
  'SegmentMember',
  z.object({ email: z.string(), id: z.string(), list: z.string(), timestamp: z.string() }),
);
const example = [{ field: 'FNAME', condition: 'starts', value: 'A' }];

export const segmentMethods = [
  method({
    name: 'segments',
    group: 'segments',
    summary: 'Returns the segments of all lists; listSegments has their numbers of members.',
    params: params(paging(1_000, 1_000)),
    returns: z.array(
      named(
        'Segment',
        z.object({
          id: z.string(),
          name: z.string(),
          list: z.string(),
          list_name: z.string(),
          match: z.enum(matches),
          filter: storedFilter,
          reading: z.string().meta({ description: 'The conditions in words, in the language of the caller.' }),
          date_created: z.string(),
          date_changed: z.string(),
        }),
      ),
    ),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: segmentsOfAccount,
  }),
  method({
    name: 'listSegments',
    group: 'segments',
    summary: 'Returns the segments of a list with their current numbers of members.',
    description:
      'On a list of 100,000 members or more the numbers may be up to 30 seconds old; segmentPreview always counts.',
    params: params({ id: id('The list.') }),
    returns: z.array(
      named(
        'ListSegment',
        z.object({
          id: z.string(),
          web_id: z.int(),
          name: z.string(),
          date_created: z.string(),
          member_count: z.int(),
          match: z.enum(matches),
          filter: storedFilter,
          auto_update: z.boolean(),
          reading: z.string().meta({ description: 'The conditions in words, in the language of the caller.' }),
        }),
      ),
    ),
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}' } },
    run: listSegments,
  }),
  method({
    name: 'listSegmentCreate',
    group: 'segments',
    summary: 'Saves a segment of a list and returns its id.',
    params: params({
      list: id('The list.'),
      title: filledLine('Name of the segment.', 200),
      match,
      filter,
      auto_update: boolean('Accepted for compatibility: a segment always follows its conditions.').default(true),
    }),
    returns: z.string(),
    faults: ['LIST_UNKNOWN', 'SEGMENT_INVALID'],
    scope: 'write',
    narrowed: true,
    example: { params: { list: '{{list}}', title: 'Names with A', match: 'all', filter: example } },
    run: createSegment,
  }),
  method({
    name: 'listSegmentUpdate',
    group: 'segments',
    summary: 'Changes the title, the match or the conditions of a segment.',
    params: params({
      id: id('The segment.'),
      title: filledLine('New name.', 200).optional(),
      match: match.optional(),
      filter: filter.optional(),
      auto_update: boolean('Accepted for compatibility.').optional(),
    }),
    family: {
      params: {
        sid: sameAs('id'),
        name: {
          meaning: 'The one setting to change: title, match, filter or auto_update.',
          read: (name, { value }) => ({ [String(name)]: value }),
        },
        value: {
          meaning: 'The new value of the setting in name.',
          read: (value, { name }) => (name === undefined ? { value } : {}),
        },
      },
    },
    returns: z.boolean(),
    faults: ['SEGMENT_INVALID'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{segment}}', title: 'Renamed' } },
    run: updateSegment,
  }),
  method({
    name: 'listSegmentDelete',
    group: 'segments',
    summary: 'Deletes a segment. Change an unsent campaign that goes to it or excludes it first.',
    params: params({ id: id('The segment.') }),
    family: { params: { sid: sameAs('id') } },
    returns: z.boolean(),
    faults: ['SEGMENT_INVALID', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{segment}}' } },
    run: deleteSegment,
  }),
  method({
    name: 'listSegmentMembers',
    group: 'segments',
    summary: 'Returns the subscribed members that match a segment now.',
    params: params({
      id: id('The segment.'),
      status: oneOf(
        'Status of the members. A segment contains subscribed members only, so there are none with another.',
        ['subscribed', 'unsubscribed', 'inactive', 'bounced'],
      ).default('subscribed'),
      ...paging(100, 15_000),
    }),
    returns: z.object({ total: z.int(), data: z.array(memberShape) }),
    family: {
      answer: { meaning: 'data itself, without total', returns: z.array(memberShape), of: ({ data }) => data },
    },
    faults: ['SEGMENT_INVALID', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{segment}}' } },
    run: segmentMembers,
  }),
  method({
    name: 'segmentPreview',
    group: 'segments',
    summary: 'Returns how many members of a list match conditions now, and ten of them; nothing is saved.',
    params: params({ list: id('The list.'), match: match.default('all'), filter }),
    returns: z.object({
      count: z.int(),
      untracked: z.int().meta({
        description: 'How many more would match if their opens and clicks were recorded.',
      }),
      sample: z.array(z.object({ id: z.string(), email: z.string() })),
      reading: z.string().meta({ description: 'The conditions in words, in the language of the caller.' }),
    }),
    faults: ['LIST_UNKNOWN', 'SEGMENT_INVALID'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: {
      params: {
        list: '{{list}}',
        filter: [{ match: 'any', filter: [{ field: 'FNAME', condition: 'starts', value: 'G' }, ...example] }],
      },
    },
    run: previewSegment,
  }),
];
