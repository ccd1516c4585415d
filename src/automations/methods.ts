// The methods about automations. See docs/flows.md, "Automation".
import { z } from 'zod';
import { orderFilters, orderRecord } from '../accounts/labels/label.ts';
import { eventParams } from '../audience/events/event.ts';
import { batchErrors } from '../audience/model/batch.ts';
import { needList } from '../audience/model/list.ts';
import { shownStatuses } from '../campaigns/model/campaign.ts';
import { autoEvents, autoUnits, directions } from '../campaigns/model/options.ts';
import { unsendable } from '../campaigns/release/sendable.ts';
import { idempotencyKey } from '../method/idempotency.ts';
import { method } from '../method/method.ts';
import { named } from '../method/named.ts';
import { paging } from '../method/paging.ts';
import {
  arrayOf,
  boolean,
  filledLine,
  filledText,
  id,
  oneOf,
  params,
  separateItems,
  struct,
  text,
  unlessEmpty,
} from '../method/params.ts';
import { conversionsRecord } from '../tracking/conversions.ts';
import { incomingResults, makeWebhookUrl } from './automation-webhook.ts';
import { createAutomation, deleteAutomation, updateAutomation } from './change.ts';
import { contactAutomations, contactsInside, explainContact, moveContacts, removeContact } from './contacts.ts';
import { maxEvents, sendEvent, sendEvents } from './events.ts';
import { statuses } from './model/automation.ts';
import {
  goalParameter,
  goalRecord,
  readGoal,
  readReentry,
  readSteps,
  readTrigger,
  reentryParameter,
  stepsParameter,
} from './model/definition.ts';
import { automationInfo, autoresponderStatuses, listAutomations, listAutoresponders } from './read.ts';
import { arms, previewAutomation, rehearsalEnds, rehearseAutomation, rehearsed } from './rehearse.ts';
import { outcomes } from './run/runs.ts';
import { foundKinds, foundStatuses, searchAutomations } from './search.ts';
import { pauseAutomation, startAutomation } from './start.ts';
import { emailStates } from './steps/send.ts';
import { maxSteps, stepRecord, stepTypes } from './steps/steps.ts';
import { createEmail, templateNames } from './templates.ts';
import { triggerParameter, triggerRecord, triggerTypes } from './triggers/triggers.ts';

const automation = id('The automation.');
const tally = {
  entered: z.int(),
  waiting: z.int(),
  passed: z.int(),
  unsubscribed: z.int(),
  deleted: z.int(),
  goal: z.int(),
  removed: z.int(),
};
const figures = named('AutomationFigures', z.object(tally));
const whatFigures =
  'Figures: entered = waiting + passed + unsubscribed + deleted + goal + removed. Of the whole, waiting are the contacts inside and passed those that completed it.';
/** {}: there is none. */
const nothing = z.strictObject({}) as unknown as z.ZodType<
  { type?: never; event?: never },
  { type?: never; event?: never }
>;
const run = {
  contact: z.string(),
  email: z.string(),
  version: z.int(),
  step: z.string(),
  entered_at: z.string(),
  step_at: z.string(),
  due_at: z.string(),
  ended_at: z.string(),
  outcome: z.enum(['', ...outcomes]).meta({ description: 'Empty while the contact is inside.' }),
};

/** What an autoresponder is sent for. */
const occasion = {
  event: z.enum(['', ...autoEvents]),
  amount: z.int(),
  unit: z.enum(['', ...autoUnits]),
  direction: z.enum(['', ...directions]),
  field: z.string(),
};

const rehearsalParams = params({
  id: automation,
  email_address: unlessEmpty(text('The contact, a member of the list.', 1_000)),
  pretend: arrayOf(
    'The arms to take, whatever the contact is: yes as if conditions matched or the event came at once, no as if not.',
    struct(
      'A step with two arms.',
      { step: filledLine('The key of the step.', 20), arm: oneOf('The arm: yes or no.', arms) },
      { fault: 'AUTOMATION_INVALID' },
    ),
    maxSteps,
    { fault: 'AUTOMATION_INVALID' },
  ).default([]),
});
const rehearsal = named(
  'Rehearsal',
  z.object({
    to: z.string().meta({ description: 'Where the emails go.' }),
    contact: z.string(),
    event: z.string().meta({
      description:
        'When the event was whose data the emails show: the latest of the trigger that the contact had. "" shows examples.',
    }),
    outcome: z.enum(rehearsalEnds).meta({ description: 'goal: the contact matches the goal already.' }),
    path: z.array(
      named(
        'RehearsedStep',
        z.object({
          step: z.string(),
          type: z.enum(stepTypes),
          did: z.enum(rehearsed),
          pretended: z.boolean().meta({ description: 'Whether pretend chose the arm.' }),
          at: z.string().meta({ description: 'When the contact would leave the step.' }),
          campaign: z.string().meta({ description: 'sent, would_send: the email.' }),
          language: z.string().meta({ description: 'sent, would_send: that of its version; "" for the email itself.' }),
        }),
      ),
    ),
  }),
);

const reading = [
  method({
    name: 'automations',
    group: 'automations',
    summary: 'Returns the automations, newest first, with their figures.',
    description: `${whatFigures} hidden counts the hidden ones that match the other filters.`,
    params: params({ ...orderFilters, ...paging(100, 1_000) }),
    returns: z.object({
      total: z.int(),
      hidden: z.int(),
      data: z.array(
        named(
          'AutomationSummary',
          z.object({
            id: z.string(),
            title: z.string(),
            status: z.enum(statuses),
            status_reason: z.string(),
            list: z.string(),
            list_name: z.string(),
            trigger: z.enum(['', ...triggerTypes]),
            steps: z.int(),
            version: z.int(),
            figures,
            date_created: z.string(),
            date_started: z.string(),
            ...orderRecord,
          }),
        ),
      ),
    }),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: listAutomations,
  }),
  method({
    name: 'automationSearch',
    group: 'automations',
    summary: 'Returns automations and autoresponders in one table, newest first.',
    description:
      'total counts what matches everything; counts holds, for each status, what matches everything but the status; hidden counts the hidden ones that match everything but the status and hidden. An autoresponder has event, amount, unit, direction and field, an automation a trigger. emails are the campaigns that it sends, sent how many of them were delivered; campaignReactions counts who opened them.',
    params: params({
      query: text('A part of the name.', 200).default(''),
      status: oneOf('Only those in this state.', foundStatuses).optional(),
      ...orderFilters,
      ...paging(25, 100),
    }),
    returns: z.object({
      total: z.int(),
      counts: z.object({ active: z.int(), paused: z.int(), draft: z.int(), ended: z.int() }),
      hidden: z.int(),
      data: z.array(
        named(
          'FoundAutomation',
          z.object({
            kind: z.enum(foundKinds),
            id: z.string().meta({ description: 'Of the automation, or of the campaign that is an autoresponder.' }),
            title: z.string(),
            status: z.enum(foundStatuses),
            list: z.string(),
            list_name: z.string(),
            trigger: z.enum(['', ...triggerTypes]),
            ...occasion,
            entered: z.int(),
            waiting: z.int(),
            sent: z.int(),
            emails: z.array(z.string()),
            date_created: z.string(),
            ...orderRecord,
          }),
        ),
      ),
    }),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { status: 'active', limit: 10 } },
    run: searchAutomations,
  }),
  method({
    name: 'automationAutoresponders',
    group: 'automations',
    summary: 'Returns the autoresponders (campaigns of type auto) as automations of one step.',
    description: 'They are made and changed as campaigns: campaignCreate, campaignUpdate, campaignPause.',
    params: params(paging(100, 1_000)),
    returns: z.object({
      total: z.int(),
      data: z.array(
        named(
          'Autoresponder',
          z.object({
            campaign: z.string(),
            title: z.string(),
            status: z.enum(autoresponderStatuses),
            list: z.string(),
            list_name: z.string(),
            ...occasion,
            entered: z.int(),
            waiting: z.int(),
            sent: z.int(),
          }),
        ),
      ),
    }),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: listAutoresponders,
  }),
  method({
    name: 'automationGet',
    group: 'automations',
    summary: 'Returns the draft of an automation, what is missing before it can start, and the figures of each step.',
    description: `${whatFigures} has_changes: the draft differs from the running version. sending, sent and not_sent count the emails of a step. late counts dates that were found, and events that were reported, more than MAX_LATENESS late, so that the trigger let no one in.`,
    params: params({ id: automation }),
    returns: named(
      'Automation',
      z.object({
        id: z.string(),
        title: z.string(),
        list: z.string(),
        list_name: z.string(),
        status: z.enum(statuses),
        status_reason: z.string(),
        version: z.int(),
        has_changes: z.boolean(),
        date_created: z.string(),
        date_started: z.string(),
        trigger: z.union([triggerRecord, nothing]).meta({ description: 'Empty without one, as goal is.' }),
        reentry: z.object({ again: z.boolean(), days: z.int() }),
        goal: z.union([goalRecord, nothing]),
        steps: z.array(stepRecord),
        problems: z.array(z.object({ step: z.string(), problem: z.string() })),
        readings: z
          .record(z.string(), z.string())
          .meta({ description: 'Conditions in words, by the key of the step.' }),
        names: z.record(z.string(), z.string()).meta({ description: 'Names of campaigns, lists and segments, by id.' }),
        languages: z
          .record(z.string(), z.array(z.string()))
          .meta({ description: 'The languages that emails have versions for, by campaign.' }),
        emails: z
          .record(
            z.string(),
            named(
              'AutomationEmail',
              z.object({
                subject: z.string(),
                preview_text: z.string(),
                status: z.enum(shownStatuses),
                state: z.enum(emailStates).meta({
                  description: 'Whether its content is written; sample: still what it began with. Others cannot start.',
                }),
              }),
            ),
          )
          .meta({ description: 'The emails of the steps, by campaign.' }),
        webhook: z
          .object({
            url: z.string(),
            last_at: z.string(),
            last_result: z.enum(['', ...incomingResults]).meta({ description: 'What became of the last request.' }),
          })
          .meta({ description: 'The incoming webhook, its token masked; empty without one.' }),
        late: z.int(),
        ...orderRecord,
        figures,
        conversions: z.object(conversionsRecord).meta({
          description:
            'What events with a value brought in after a click in any of its emails, those of earlier versions too: see campaignConversions. A person who bought after two of them counts once.',
        }),
        step_figures: z.array(
          z.object({
            step: z.string(),
            ...tally,
            yes: z
              .int()
              .meta({ description: 'Of a step with two arms: how many of those who passed it took the arm yes.' }),
            no: z.int().meta({ description: 'How many took the arm no.' }),
            sending: z.int(),
            sent: z.int(),
            not_sent: z.int(),
          }),
        ),
      }),
    ),
    faults: ['AUTOMATION_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{automation}}' } },
    run: automationInfo,
  }),
  method({
    name: 'automationContacts',
    group: 'automations',
    summary: 'Returns the contacts that are in an automation, or on one of its steps, those due first.',
    params: params({ id: automation, step: text('The key of a step.', 20).optional(), ...paging(100, 1_000) }),
    returns: z.object({ total: z.int(), data: z.array(z.object(run)) }),
    faults: ['AUTOMATION_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { id: '{{automation}}', limit: 10 } },
    run: contactsInside,
  }),
  method({
    name: 'automationExplain',
    group: 'automations',
    summary: 'Returns where a contact is in an automation, and the steps that it passed: each time that it entered.',
    params: params({ id: automation, email_address: filledText('The address of the contact.', 1_000) }),
    returns: z.array(z.object({ ...run, trail: z.array(z.object({ step: z.string(), at: z.string() })) })),
    faults: ['AUTOMATION_UNKNOWN', 'ADDRESS_UNKNOWN'],
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { id: '{{automation}}', email_address: '{{email}}' } },
    run: explainContact,
  }),
  method({
    name: 'automationPreview',
    group: 'automations',
    summary: 'Returns the way that one contact would go through an automation now. Nothing is sent.',
    description:
      'It is the path of automationRehearse, with would_send in place of sent: campaignPreview shows each email as the contact would read it.',
    params: rehearsalParams,
    returns: rehearsal,
    faults: ['AUTOMATION_UNKNOWN', 'AUTOMATION_INVALID', 'ADDRESS_UNKNOWN'],
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { id: '{{automation_ready}}' } },
    run: previewAutomation,
  }),
  method({
    name: 'contactAutomations',
    group: 'automations',
    summary: 'Returns the automations that a contact is in, and those that it was in: each time that it entered.',
    params: params({ email: filledText('The address of the contact.', 1_000) }),
    returns: z.array(
      z.object({
        automation: z.string(),
        title: z.string(),
        status: z.enum(statuses).meta({ description: 'Of the automation.' }),
        step_type: z.enum(['', ...stepTypes]),
        ...run,
      }),
    ),
    faults: ['ADDRESS_UNKNOWN'],
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { email: '{{email}}' } },
    run: contactAutomations,
  }),
];

const changing = [
  method({
    name: 'automationCreate',
    group: 'automations',
    summary: 'Creates a draft of an automation for a list, empty or from a template, and returns its id.',
    description:
      'A template also creates the drafts of its emails. The re-engagement template needs a segment, the anniversary template a date field.',
    params: params({
      title: filledLine('Name of the automation.', 200),
      list: id('The list.'),
      template: oneOf('A template to begin with.', templateNames).optional(),
      idempotency_key: idempotencyKey,
    }),
    returns: z.string(),
    faults: ['LIST_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { title: 'Welcome', list: '{{list}}', template: 'welcome' } },
    run: createAutomation,
  }),
  method({
    name: 'automationUpdate',
    group: 'automations',
    summary: 'Changes the draft of an automation. The running version changes with the next automationStart.',
    description:
      'Members that are left out stay as they are. A draft may be incomplete: automationGet lists what is missing. An active automation cannot be hidden, and automationStart shows a hidden one again.',
    params: params({
      id: automation,
      title: filledLine('New name.', 200).optional(),
      hidden: boolean('Whether the screens leave it out.').optional(),
      add_label: id('A label that it gets.').optional(),
      remove_label: id('A label that it loses.').optional(),
      trigger: triggerParameter.optional(),
      reentry: reentryParameter.optional(),
      goal: goalParameter.optional(),
      steps: stepsParameter.optional(),
    }),
    returns: z.boolean(),
    faults: [
      'AUTOMATION_UNKNOWN',
      'AUTOMATION_INVALID',
      'AUTOMATION_STATE_CONFLICT',
      'SEGMENT_INVALID',
      'LABEL_UNKNOWN',
      'LABEL_INVALID',
    ],
    scope: 'write',
    narrowed: true,
    example: {
      params: {
        id: '{{automation}}',
        trigger: { type: 'event', name: 'cart.abandoned' },
        reentry: { again: true, days: 7 },
        goal: { event: 'order.placed' },
        steps: [
          { type: 'wait', amount: 1, unit: 'hours' },
          { type: 'webhook', name: 'cart-abandoned' },
        ],
      },
    },
    run: (context, given) =>
      updateAutomation(context, {
        id: given.id,
        title: given.title,
        hidden: given.hidden,
        add_label: given.add_label,
        remove_label: given.remove_label,
        trigger: given.trigger && readTrigger(given.trigger),
        reentry: given.reentry && readReentry(given.reentry),
        goal: given.goal && readGoal(given.goal),
        steps: given.steps && readSteps(given.steps),
      }),
  }),
  method({
    name: 'automationEmailCreate',
    group: 'automations',
    summary:
      'Creates the draft of an email for a list, to be chosen in a step of type send, and returns the id of the campaign.',
    description: 'It begins in the brand of the account (brandUpdate), with a footer in the language of the list.',
    params: params({
      list: id('The list.'),
      subject: filledLine('The subject.', 1_000),
      text: text('A text to begin with.', 10_000).default(''),
      idempotency_key: idempotencyKey,
    }),
    returns: z.string(),
    faults: ['LIST_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { list: '{{list}}', subject: 'Welcome', text: 'Thank you for signing up.' } },
    run: async (context, given) =>
      createEmail(context, (await needList(context, given.list, 'list')).id, {
        subject: given.subject.trim(),
        written: { words: given.text },
      }),
  }),
  method({
    name: 'automationDelete',
    group: 'automations',
    summary:
      'Deletes an automation. Contacts inside go no further; its emails stay as campaigns. This cannot be undone.',
    params: params({ id: automation }),
    returns: z.boolean(),
    faults: ['AUTOMATION_UNKNOWN'],
    scope: 'write',
    narrowed: true,
    example: { params: { id: '{{automation}}' } },
    run: deleteAutomation,
  }),
  method({
    name: 'automationStart',
    group: 'automations',
    summary:
      'Starts an automation, resumes a paused one, or publishes its changes; returns the number of the running version.',
    description:
      'Contacts inside finish on the version that they entered; automationMoveContacts moves them. The drafts of its steps become emails of the automation and are launched; campaignRevisionCreate corrects one later.',
    params: params({ id: automation }),
    returns: z.int(),
    faults: ['AUTOMATION_UNKNOWN', 'AUTOMATION_INVALID', ...unsendable],
    scope: 'send',
    narrowed: true,
    example: { params: { id: '{{automation_ready}}' } },
    run: startAutomation,
  }),
  method({
    name: 'automationPause',
    group: 'automations',
    summary: 'Pauses an automation: no contact enters, and those inside stay on their steps until automationStart.',
    description: 'Emails that a step has handed to delivery are still sent.',
    params: params({ id: automation }),
    returns: z.boolean(),
    faults: ['AUTOMATION_UNKNOWN', 'AUTOMATION_STATE_CONFLICT'],
    scope: 'send',
    narrowed: true,
    example: { params: { id: '{{automation_running}}' } },
    run: pauseAutomation,
  }),
  method({
    name: 'automationRehearse',
    group: 'automations',
    summary: 'Goes through an automation as one contact would now, and sends its emails to you as test messages.',
    description:
      'It takes what is being edited, started or not. Waits are skipped; at says when each step would come. Emails go to the address of the user (with a key: of the account), show the values of the contact in its language, and their subject begins with [Test run]; they count for the hourly limit of test messages. Conditions are asked about the contact as it is, and no event comes to a step that waits for one, unless pretend says which arm to take. Nothing else happens: no contact enters, no figure, field or list changes, no event is emitted, no one is notified (left_out). Without email_address the contact is the one with your address, else the oldest subscriber of the list; contact is empty when there is none.',
    params: rehearsalParams,
    returns: rehearsal,
    faults: [
      'AUTOMATION_UNKNOWN',
      'AUTOMATION_INVALID',
      'ADDRESS_UNKNOWN',
      'SENDING_NOT_ALLOWED',
      'CAMPAIGN_OPTION_INVALID',
      'TOO_MANY_CALLS',
    ],
    scope: 'send',
    addresses: true,
    narrowed: true,
    example: { params: { id: '{{automation_ready}}' } },
    run: rehearseAutomation,
  }),
  method({
    name: 'automationMoveContacts',
    group: 'automations',
    summary:
      'Moves contacts of earlier versions to the running version if it still has the step they are on. A wait that has begun ends when it would have.',
    params: params({ id: automation }),
    returns: z.object({ moved: z.int(), kept: z.int() }),
    faults: ['AUTOMATION_UNKNOWN', 'AUTOMATION_STATE_CONFLICT'],
    scope: 'send',
    narrowed: true,
    example: { params: { id: '{{automation_running}}' } },
    run: moveContacts,
  }),
  method({
    name: 'automationRemoveContact',
    group: 'automations',
    summary: 'Takes a contact out of an automation.',
    params: params({ id: automation, email_address: filledText('The address of the contact.', 1_000) }),
    returns: z.boolean(),
    faults: ['AUTOMATION_UNKNOWN', 'ADDRESS_UNKNOWN', 'AUTOMATION_STATE_CONFLICT'],
    scope: 'write',
    permission: 'contacts:write',
    narrowed: true,
    example: { params: { id: '{{automation_inside}}', email_address: '{{email}}' } },
    run: removeContact,
  }),
  method({
    name: 'automationWebhookUrl',
    group: 'automations',
    summary: 'Gives an automation the URL of its incoming webhook, for the trigger webhook; a URL that it had ends.',
    description:
      'A POST of JSON or of a form that names a subscribed contact of the list lets it enter (202). A request about another address, or while the automation is not active, is ignored (200); one without an address is refused (422). Anyone with the URL can send such requests, so keep it secret.',
    params: params({ id: automation }),
    returns: z.object({ url: z.string().meta({ description: 'Shown in this answer only.' }) }),
    faults: ['AUTOMATION_UNKNOWN'],
    scope: 'write',
    permission: 'contacts:write',
    confirm: () => true,
    example: { params: { id: '{{automation}}' } },
    run: makeWebhookUrl,
  }),
  method({
    name: 'eventSend',
    group: 'automations',
    summary:
      'Reports an event about a contact, such as an abandoned cart, with its data. The contact enters automations triggered by this event and leaves those that have it as a goal.',
    description:
      'Returns how many automations use the event. The event is kept with the contact for keep_events_days (accountUpdate), whether an automation uses it or not: contactEvents and contactTimeline return it. Once the answer arrives the event is stored. An event with an id that was counted before changes nothing (duplicate). Automations go by the time of the event: one that is reported more than MAX_LATENESS (4 hours by default) after it happened lets no contact in, a goal or an event that is waited for does not count if it happened before what let the contact in, and a contact whose goal happened after that leaves at once, in whatever order the two are reported.',
    params: params({ ...eventParams, idempotency_key: idempotencyKey }),
    returns: z.object({ triggers: z.int(), goals: z.int(), duplicate: z.boolean() }),
    faults: ['ADDRESS_UNKNOWN', 'ADDRESS_INVALID', 'DATE_INVALID'],
    scope: 'write',
    permission: 'contacts:write',
    example: {
      params: {
        name: 'cart.abandoned',
        email_address: '{{email}}',
        data: { cart_url: 'https://shop.example/cart/17', items: [{ name: 'Teapot', price: '59.90', quantity: 1 }] },
        value: 59.9,
        id: 'cart-17',
      },
    },
    run: sendEvent,
  }),
  method({
    name: 'eventSendBatch',
    group: 'automations',
    summary: `Reports up to ${maxEvents} events about contacts. An event that is wrong does not affect the others.`,
    description:
      'Events are stored in their order, all in one transaction. Repeat a call that got no answer: events with an id count once.',
    params: params({
      events: separateItems('The events, each with the parameters of eventSend.', {
        type: 'object',
        description: 'An event: name, email_address, data, value, time, id, create_contact.',
      }),
      idempotency_key: idempotencyKey,
    }),
    returns: z.object({
      success_count: z.int().meta({ description: 'Events that were stored.' }),
      duplicate_count: z.int(),
      error_count: z.int(),
      triggers: z.int(),
      goals: z.int(),
      results: z
        .array(z.enum(['accepted', 'duplicate', 'error']))
        .meta({ description: 'What became of each event, in their order.' }),
      errors: batchErrors,
    }),
    faults: ['TOO_LARGE'],
    scope: 'write',
    permission: 'contacts:write',
    example: {
      params: {
        events: [
          { name: 'order.placed', email_address: '{{email}}', value: 59.9, id: 'order-23' },
          { name: 'page.viewed', email_address: '{{email}}', data: { page: '/teapots' } },
        ],
      },
    },
    run: sendEvents,
  }),
];

export const automationMethods = [...reading, ...changing];
