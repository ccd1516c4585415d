// The rows of the specification's tables, each with a short name, and functions to test them by name: a spec test file
// takes a table, tests its rows, and fails when a row has no test or a test no row.
import assert from 'node:assert/strict';
import { test } from 'node:test';

/** Table → rows. A new row here makes the file of its table fail until the row is tested. */
export const tables = {
  'Campaign record': [
    'id',
    'web_id',
    'title',
    'type',
    'create_time',
    'send_time',
    'emails_sent',
    'status',
    'from_name',
    'from_email',
    'subject',
    'to_email',
    'archive_url',
    'analytics',
    'analytcs_tag',
    'track_clicks_text',
    'track_clicks_html',
    'track_opens',
  ],
  'Template record': ['id', 'name', 'layout', 'preview_image', 'source'],
  transitions: [
    'draft, campaignSendNow',
    'not yet sent, campaignSchedule',
    'scheduled, campaignUnschedule',
    'not yet sent, campaignUpdate',
    'any, campaignReplicate',
    'none, campaignCreate',
    'any, campaignDelete',
  ],
  campaigns: ['filters', 'start', 'limit'],
  'campaigns filters': [
    'campaign_id',
    'list_id',
    'status',
    'type',
    'from_name',
    'from_email',
    'title',
    'subject',
    'sendtime_start',
    'sendtime_end',
  ],
  campaignCreate: ['type', 'options', 'content', 'type_opts'],
  'campaignCreate options': [
    'list_id',
    'segment_id',
    'subject',
    'from_email',
    'from_name',
    'sender',
    'tracking',
    'title',
    'analytics',
    'generate_text',
    'auto_footer',
    'authenticate',
    'inline_img',
    'time_match',
    'ln',
  ],
  'campaignCreate content': ['direct content', 'import from address', 'archive', 'template'],
  'campaignCreate type_opts': ['offset-units', 'offset-time', 'offset-dir', 'event', 'event-datemerge'],
  campaignUpdate: ['cid', 'name', 'value'],
  campaignSendNow: ['cid'],
  campaignSchedule: ['cid', 'schedule_time'],
  campaignUnschedule: ['cid'],
  campaignSendTest: ['cid', 'test_emails', 'send_type'],
  campaignTemplates: ['no parameters'],
  campaignReplicate: ['cid'],
  campaignDelete: ['cid'],
  'common rules': ['XML-RPC call', 'apikey', 'booleans', 'optional parameters', 'errors'],
  'Webhook delivery': ['timestamp', 'events'],
  'Event types': ['contact.subscribe'],
  'Webhook signature': ['with a secret'],
  limits: [
    'campaigns limit',
    'campaigns start',
    'sender is for PRO',
    'inline_img needs the add-on',
    'authenticate needs a domain',
    'offset-time greater than 0',
    'campaignUpdate before sending only',
  ],
} as const;

export type Table = keyof typeof tables;

/**
 * Takes a table. The function it returns declares the test of a row, several of them when a row has several rules.
 */
export function specTable<T extends Table>(
  table: T,
): (row: (typeof tables)[T][number], behaviour: string, run: () => Promise<void>) => void {
  const tested = new Set<string>();
  test(`${table}: every row has a test`, () => {
    assert.deepEqual([...tested].sort(), [...tables[table]].sort());
  });
  return (row, behaviour, run) => {
    tested.add(row);
    test(`${table}: ${row} ${behaviour}`, run);
  };
}
