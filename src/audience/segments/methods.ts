// The methods about segments of a list.
import { z } from 'zod';
import { sameAs } from '../../method/family.ts';
import { method } from '../../method/method.ts';
import { paging } from '../../method/paging.ts';
import { anything, arrayOf, boolean, filledLine, id, oneOf, params, struct, text } from '../../method/params.ts';
import { createSegment, deleteSegment, updateSegment } from './change.ts';
import { listSegments, previewSegment, segmentMembers } from './read.ts';
import { builtInFields, conditions } from './segment.ts';

const match = oneOf(
  'all: every condition must match; any: one is enough.',
  ['all', 'any'],
  { and: 'all', or: 'any' },
  { fault: 'SEGMENT_INVALID' },
);
const filter = arrayOf(
  'The conditions; up to 50, in groups up to four deep.',
  struct(
    'A condition, or a group {match, filter}.',
    {
      field: text(`A merge tag of the list, or one of ${builtInFields.join(', ')}.`, 100).optional(),
      condition: text(`How the field is compared: ${conditions.join(', ')}.`, 40).optional(),
      value: text(
        'The value to compare with. Several values for isoneof and notoneof are separated by ; — times and dates: YYYY-MM-DD, or "30 days" (greater: within the last 30 days; less: longer ago) — opened, clicked, not_opened, was_sent: the id of a campaign, or "last 5" for any of the latest five to this list; for opened and clicked also "30 days", for any message within the last 30 days — clicked_link: the address of the link — list: the id of another list.',
        2_000,
      ).optional(),
      match: match.optional(),
      filter: arrayOf('The conditions and groups of a group.', anything('A condition or a group.'), 50, {
        fault: 'SEGMENT_INVALID',
      }).optional(),
    },
    { fault: 'SEGMENT_INVALID', selfFault: 'SEGMENT_INVALID' },
  ),
  50,
  { fault: 'SEGMENT_INVALID' },
);
const memberShape = z.object({ email: z.string(), id: z.string(), list: z.string(), timestamp: z.string() });
/** Conditions as stored: {field, condition, value} or {match, filter}. */
const storedFilter = z.array(z.record(z.string(), z.unknown()));
const example = [{ field: 'FNAME', condition: 'starts', value: 'A' }];

export const segmentMethods = [
  method({
    name: 'listSegments',
    group: 'segments',
    summary: 'Returns the segments of a list with their current numbers of members.',
    description:
      'On a list of 100,000 members or more the numbers may be up to 30 seconds old; segmentPreview always counts.',
    params: params({ id: id('The list.') }),
    returns: z.array(
      z.object({
        id: z.string(),
        web_id: z.int(),
        name: z.string(),
        date_created: z.string(),
        member_count: z.int(),
        match: z.string(),
        filter: storedFilter,
        auto_update: z.boolean(),
        reading: z
          .string()
          .meta({ description: "The conditions in words, in the account's language (English or German)." }),
      }),
    ),
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
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
      sample: z.array(z.object({ id: z.string(), email: z.string() })),
      reading: z.string().meta({ description: 'The conditions in words.' }),
    }),
    faults: ['LIST_UNKNOWN', 'SEGMENT_INVALID'],
    scope: 'read',
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
