// The tools of the MCP door: a selection of the methods that an assistant needs to look around and to prepare a campaign. None
// of them sends to an audience, schedules, deletes or changes settings, whatever the key may do: assistants read texts that
// others wrote, and such a text must not be able to send, or to send out what was read: checks.ts.

import type { Credentials } from '../../accounts/keys/authenticate.ts';
import { mayCall } from '../../accounts/keys/permissions.ts';
import type { App, Caller } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import type { AnyMethod } from '../../method/method.ts';
import { call, findMethod } from '../call.ts';
import { jsonSchema } from '../openapi/json-schema.ts';
import { checks } from './checks.ts';

/** What is known about the caller of a tool. */
export type Use = { app: App; credentials: Credentials; door: 'mcp' };

const toolNames = [
  'homeSummary',
  'campaigns',
  'campaignContent',
  'campaignGet',
  'campaignCheck',
  'campaignAudience',
  'campaignPreview',
  'campaignApprovalGet',
  'campaignComments',
  'campaignProgress',
  'campaignExplain',
  'campaignStats',
  'campaignClickStats',
  'campaignTimeline',
  'campaignTemplates',
  'lists',
  'listGet',
  'listGrowthHistory',
  'listMergeVars',
  'listSegments',
  'segmentPreview',
  'contactCount',
  'senders',
  'senderDomains',
  'campaignCreate',
  'campaignUpdate',
  'campaignReplicate',
  'templateCreate',
  'listSegmentCreate',
  'campaignCommentCreate',
  'campaignApprovalAsk',
  'campaignSendTest',
] as const;

/** The methods behind the tools; their names, parameters and permissions are those of the tools. */
const tools: readonly AnyMethod[] = toolNames.map(findMethod);

/** The tools that a caller may use, as the protocol describes tools. */
export function toolsFor(caller: Caller) {
  return tools
    .filter((method) => mayCall(caller, method))
    .map((method) => ({
      name: method.name,
      description: [method.summary, method.description, notes[method.name]].filter(Boolean).join('\n\n'),
      inputSchema: { type: 'object' as const, ...jsonSchema(method.params, 'input') },
      annotations: {
        readOnlyHint: method.reads === true,
        destructiveHint: false,
        idempotentHint: method.reads === true,
        // Whether it reaches further than this installation: clients may ask the person first.
        openWorldHint: method.name === 'campaignSendTest',
      },
    }));
}

const notes: Record<string, string> = {
  campaignCreate: 'Content as html, markdown, mjml, plain or template_id: url, archive and inline_img are for people.',
  campaignUpdate:
    'Only of drafts: campaigns that are scheduled, sent or the original of a recurring one must be changed by a person in the application. The options url, archive and inline_img are for people, too.',
  campaignApprovalAsk:
    'It asks people of the account. Only a person who is signed in approves, and what they approve is sent.',
  campaignSendTest: 'Only to people of the account. This is the only tool that sends a message of a campaign.',
};

/**
 * Runs a tool with the credentials of the caller.
 * @throws Fault those of its method; UNKNOWN_METHOD for a name that is no tool
 */
export async function runTool(use: Use, name: string, params: Record<string, unknown>): Promise<unknown> {
  if (!tools.some((method) => method.name === name))
    throw fault('UNKNOWN_METHOD', 'door.unknown_tool', { name: name.slice(0, 60) });
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  return call(use.app, name, params, use.credentials, use.door, { check });
}
