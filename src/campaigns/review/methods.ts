// The methods about approvals and comments.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { paging } from '../../method/paging.ts';
import { boolean, filledText, id, integer, line, oneOf, params, text, unlessEmpty } from '../../method/params.ts';
import { approvalStates } from '../approval/record.ts';
import { lineKinds } from '../approval/text-difference.ts';
import { approvalRules } from '../approval/whose.ts';
import { statuses } from '../model/campaign.ts';
import { unsendable } from '../release/sendable.ts';
import { approve, askForChanges, refuse } from './answer.ts';
import { askForApproval, withdrawApproval } from './ask.ts';
import { createComment, deleteComment, listComments, maxComments, updateComment } from './comments.ts';
import { listApprovals, showApproval } from './read.ts';
import { changeRule } from './rule.ts';

const cid = id('The campaign.');
const note = text('What the other person should know.', 2_000).default('');
const comment = integer('Its number, from campaignComments.', 1, 1_000_000);
const words = filledText('The comment.', 4_000);

const change = named(
  'CampaignChange',
  z.object({
    member: z.string().meta({ description: 'The option that differs: subject, html, list_id …' }),
    of: z.string().meta({ description: 'The language version or variant it is of; "" for the campaign itself.' }),
    before: z.string(),
    after: z.string(),
    lines: z
      .array(z.object({ kind: z.enum(lineKinds), text: z.string() }))
      .meta({ description: 'Of html and plain: the text line by line. gap stands for lines that are the same.' }),
  }),
);

export const approvalMethods = [
  method({
    name: 'campaignApprovalGet',
    group: 'campaigns',
    summary: 'Returns whether a campaign is approved, who was asked and answered, and what has changed since.',
    params: params({
      cid,
      changes: boolean('Whether to return what differs from what was answered last, or asked about first.').default(
        false,
      ),
    }),
    returns: named(
      'CampaignApproval',
      z.object({
        rule: z.enum(approvalRules).meta({ description: 'That of the account: campaignApprovalRuleUpdate.' }),
        state: z.enum(['none', ...approvalStates]).meta({
          description: 'changes: changes were asked for; withdrawn: by a person, or by a change after the approval.',
        }),
        needed: z.boolean().meta({ description: 'Whether the caller cannot send it without an approval.' }),
        version: z.string().meta({
          description: 'What it is now; campaignApprove takes it, so no one approves what they have not seen.',
        }),
        changed: z.boolean().meta({ description: 'Whether it was changed since it was asked about or approved.' }),
        asked_at: z.string(),
        asked_by: z.string().meta({ description: 'The user or API key; "" for the program itself.' }),
        note: z.string(),
        wanted_time: z.string().meta({ description: 'When it is to be sent (GMT); "" for as soon as it is approved.' }),
        answered_at: z.string(),
        answered_by: z.string(),
        answer: z.string(),
        reason: z.string().meta({ description: 'Why the approval ended, if no person withdrew it.' }),
        approvers: z.array(z.string()).meta({ description: 'The people who may approve it.' }),
        may_approve: z.boolean().meta({ description: 'Whether the caller is one of them.' }),
        compared_at: z.string().meta({ description: 'When it was what the changes are compared with.' }),
        changes: z.array(change),
        steps: z
          .array(z.object({ what: z.enum(approvalStates), at: z.string(), by: z.string(), note: z.string() }))
          .meta({ description: 'What happened, the latest first.' }),
      }),
    ),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}', changes: true } },
    run: showApproval,
  }),
  method({
    name: 'campaignApprovals',
    group: 'campaigns',
    summary: 'Returns the approvals of campaigns that are not sent yet, those that wait longest first.',
    params: params({ state: oneOf('Only those in this state.', approvalStates).optional(), ...paging(25, 200) }),
    returns: z.object({
      total: z.int(),
      data: z.array(
        z.object({
          cid: z.string(),
          title: z.string(),
          delivery_status: z.enum(statuses),
          state: z.enum(approvalStates),
          asked_at: z.string(),
          asked_by: z.string(),
          note: z.string(),
          wanted_time: z.string(),
        }),
      ),
    }),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { state: 'asked' } },
    run: listApprovals,
  }),
  method({
    name: 'campaignApprovalAsk',
    group: 'campaigns',
    summary: 'Asks those who may send to approve a campaign as it is.',
    description:
      'Of a draft, a paused campaign, or the corrected text of one that is being sent. Those who may approve get an email and see it on Home; the answer comes by email to the one who asked. Asking again with a changed campaign, note or time replaces the question. The call changes nothing of the campaign, and a program may make it: only a person who is signed in approves.',
    params: params({
      cid,
      note,
      schedule_time: unlessEmpty(
        text('When a draft is to be sent, as in campaignSchedule; as soon as it is approved when not given.', 100),
      ),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'DATE_INVALID', ...unsendable],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{campaign}}', note: 'For Monday', schedule_time: '2099-01-31 09:00:00 +0100' } },
    run: askForApproval,
  }),
  method({
    name: 'campaignApprove',
    group: 'campaigns',
    summary: 'Approves a campaign as the signed-in person has seen it, and starts a draft.',
    description:
      'A draft is scheduled for the time that was asked for, or sent at once without one. What is paused, or was corrected while it is being sent, is started by campaignResume, campaignRevisionCreate or automationStart. Any change afterwards ends the approval. With the rule everyone neither the person who asked nor the one who changed the campaign last may approve it.',
    params: params({
      cid,
      version: text('What was seen: version of campaignApprovalGet. If it is another by now, the fault is 322.', 200),
      note,
      start: boolean('Whether a draft is scheduled or sent.').default(true),
      schedule_time: unlessEmpty(
        text('Another time than the one asked for, as in campaignSchedule, or "now" for at once.', 100),
      ),
    }),
    returns: z.boolean(),
    faults: [
      'CAMPAIGN_UNKNOWN',
      'CAMPAIGN_STATE_CONFLICT',
      'CAMPAIGN_CHANGED',
      'DATE_INVALID',
      ...unsendable.filter((name) => name !== 'NOT_ALLOWED'),
      'NOT_ALLOWED',
    ],
    scope: 'send',
    narrowed: true,
    person: true,
    example: { params: { cid: '{{asked}}', version: '{{asked_version}}' } },
    run: approve,
  }),
  method({
    name: 'campaignApprovalReturn',
    group: 'campaigns',
    summary: 'Asks the author of a campaign for changes, in answer to campaignApprovalAsk.',
    params: params({ cid, note }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'send',
    narrowed: true,
    person: true,
    example: { params: { cid: '{{asked}}', note: 'The date is wrong' } },
    run: askForChanges,
  }),
  method({
    name: 'campaignApprovalRefuse',
    group: 'campaigns',
    summary: 'Refuses to approve a campaign, in answer to campaignApprovalAsk.',
    params: params({ cid, note }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT'],
    scope: 'send',
    narrowed: true,
    person: true,
    example: { params: { cid: '{{asked}}', note: 'We do not send this' } },
    run: refuse,
  }),
  method({
    name: 'campaignApprovalWithdraw',
    group: 'campaigns',
    summary: 'Withdraws a question or an approval; a scheduled campaign becomes a draft again.',
    description: 'By the one who asked, or by one who may send.',
    params: params({ cid }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'NOT_ALLOWED'],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{asked}}' } },
    run: withdrawApproval,
  }),
  method({
    name: 'campaignApprovalRuleUpdate',
    group: 'campaigns',
    summary: 'Sets whose campaigns need an approval before they are sent.',
    description:
      'none (the default): those who may send, send; others ask. authors: the same, and a campaign that was changed by one who may not send is not sent before it is approved again. everyone: no one sends their own work, API keys included; refused while fewer than two people may send. Issues of recurring campaigns then wait for approval. What is scheduled already stays approved as it is. The account gets an email about the change.',
    params: params({ rule: oneOf('none, authors or everyone.', approvalRules) }),
    returns: z.boolean(),
    faults: ['ACCOUNT_OPTION_INVALID'],
    scope: 'admin',
    owner: true,
    person: true,
    confirm: () => true,
    example: { params: { rule: 'authors' } },
    run: changeRule,
  }),
  method({
    name: 'campaignComments',
    group: 'campaigns',
    summary: 'Returns the comments on a campaign, oldest first.',
    params: params({ cid }),
    returns: z.array(
      named(
        'CampaignComment',
        z.object({
          comment: z.int().meta({ description: 'Its number in the campaign.' }),
          by: z.string().meta({ description: 'The user or API key that wrote it; "" if it is gone.' }),
          own: z.boolean().meta({ description: 'Whether the caller wrote it.' }),
          text: z.string(),
          block: z.string(),
          quote: z.string(),
          created_at: z.string(),
          resolved_at: z.string(),
          resolved_by: z.string(),
        }),
      ),
    ),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listComments,
  }),
  method({
    name: 'campaignCommentCreate',
    group: 'campaigns',
    summary: 'Adds a comment to a campaign, a block or some words of it. Returns its number.',
    description: `Comments are in no message and do not end an approval. At most ${maxComments} for each campaign.`,
    params: params({
      cid,
      text: words,
      block: line('The block of the visual editor it is about.', 200).default(''),
      quote: text('The words it is about, as they are in the email.', 500).default(''),
    }),
    returns: z.int(),
    faults: ['CAMPAIGN_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{campaign}}', text: 'Is this the right date?', quote: 'our news' } },
    run: createComment,
  }),
  method({
    name: 'campaignCommentUpdate',
    group: 'campaigns',
    summary: 'Changes a comment of the caller, or marks a comment as resolved or open.',
    params: params({
      cid,
      comment,
      text: words.optional(),
      resolved: boolean('Whether it is resolved.').optional(),
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'NOT_ALLOWED'],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{commented}}', comment: 1, resolved: true } },
    run: updateComment,
  }),
  method({
    name: 'campaignCommentDelete',
    group: 'campaigns',
    summary: 'Deletes a comment of the caller; those who may send delete any.',
    params: params({ cid, comment }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'NOT_ALLOWED'],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{commented}}', comment: 1 } },
    run: deleteComment,
  }),
];
