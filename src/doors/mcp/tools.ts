// The tools of the MCP door: a selection of the methods that an assistant needs to look around and to prepare a campaign. None
// of them sends to an audience, schedules, deletes or changes settings, whatever the key may do: assistants read texts that
// others wrote, and such a text must not be able to send. A test message goes to people of the account only.

import type { Credentials } from '../../accounts/keys/authenticate.ts';
import { mayCall } from '../../accounts/keys/permissions.ts';
import type { App, Caller } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import type { AnyMethod } from '../../method/method.ts';
import { call, findMethod } from '../call.ts';
import { jsonSchema } from '../openapi.ts';

/** What is known about the caller of a tool. */
export type Use = { app: App; accountId: number; credentials: Credentials; door: 'mcp' };

type Tool = {
  /** The method it calls; its name, parameters and permission are those of the tool. */
  method: AnyMethod;
  /** A condition that the method itself does not have. @throws Fault NOT_ALLOWED */
  check?(use: Use, params: Record<string, unknown>): Promise<void>;
};

const toolNames = [
  'homeSummary',
  'campaigns',
  'campaignContent',
  'campaignOptions',
  'campaignCheck',
  'campaignAudience',
  'campaignPreview',
  'campaignProgress',
  'campaignExplain',
  'campaignStats',
  'campaignClickStats',
  'campaignTimeline',
  'campaignTemplates',
  'lists',
  'listInfo',
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
  'campaignSendTest',
] as const;

const checks: Partial<Record<(typeof toolNames)[number], Tool['check']>> = {
  campaignUpdate: needDraft,
  campaignSendTest: needPeopleOfAccount,
};

const tools: readonly Tool[] = toolNames.map((name) => {
  const check = checks[name];
  return { method: findMethod(name), ...(check && { check }) };
});

/** The tools that a caller may use, as the protocol describes tools. */
export function toolsFor(caller: Caller) {
  return tools
    .filter(({ method }) => mayCall(caller, method))
    .map(({ method }) => ({
      name: method.name,
      description: [method.summary, method.description, notes[method.name]].filter(Boolean).join('\n\n'),
      inputSchema: { type: 'object' as const, ...jsonSchema(method.params, 'input') },
      annotations: {
        readOnlyHint: method.reads === true,
        destructiveHint: false,
        idempotentHint: method.reads === true,
        openWorldHint: false,
      },
    }));
}

const notes: Record<string, string> = {
  campaignUpdate:
    'Only of drafts: campaigns that are scheduled or sent must be changed by a person in the application.',
  campaignSendTest: 'Only to people of the account. This is the only tool that sends a message.',
};

/**
 * Runs a tool with the credentials of the caller.
 * @throws Fault those of its method; UNKNOWN_METHOD for a name that is no tool
 */
export async function runTool(use: Use, name: string, params: Record<string, unknown>): Promise<unknown> {
  const tool = tools.find(({ method }) => method.name === name);
  if (!tool) throw fault('UNKNOWN_METHOD', 'door.unknown_tool', { name: name.slice(0, 60) });
  await tool.check?.(use, params);
  return call(use.app, tool.method.name, params, use.credentials, use.door);
}

/** Otherwise an assistant could change what a scheduled campaign will send. */
async function needDraft(use: Use, { cid }: Record<string, unknown>): Promise<void> {
  const found = (await call(use.app, 'campaigns', { filters: { campaign_id: cid } }, use.credentials, use.door)) as {
    delivery_status: string;
  }[];
  const status = found[0]?.delivery_status;
  if (status !== undefined && status !== 'draft') throw fault('NOT_ALLOWED', 'door.tool_drafts_only', { status });
}

async function needPeopleOfAccount(use: Use, { test_emails }: Record<string, unknown>): Promise<void> {
  if (!Array.isArray(test_emails)) return;
  const rows = await use.app.db.rows<{ email: string }>(sql`
    select lower(app_user.email) as email
    from membership
    join app_user on app_user.id = membership.user_id
    where membership.account_id = ${use.accountId}
    union
    select lower(email) from account where id = ${use.accountId}`);
  const people = new Set(rows.map(({ email }) => email));
  const other = test_emails.find((email) => !people.has(String(email).trim().toLowerCase()));
  if (other !== undefined) throw fault('NOT_ALLOWED', 'door.tool_people_only', { email: String(other).slice(0, 100) });
}
