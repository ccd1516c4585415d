// The methods about the sign-up form of a list and the texts of its automatic messages and pages.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { paging } from '../../method/paging.ts';
import { id, params, text } from '../../method/params.ts';
import { formOptions } from './form-params.ts';
import { formsOfAccount, showForm, updateForm } from './form-settings.ts';
import { listTexts, updateText } from './list-texts.ts';
import { refusalReasons, refusedSignUps } from './refusals.ts';
import { listTextNames, maxTextLength, textKinds, textNames } from './texts.ts';

const settingsRecord = named(
  'FormSettings',
  z.object({
    enabled: z.boolean(),
    fields: z.array(z.string()),
    hidden_fields: z.array(z.string()),
    title: z.string(),
    intro: z.string(),
    consent: z.string(),
    ask_consent: z.boolean(),
    button: z.string(),
    thanks: z.string(),
    redirect_url: z.string(),
    origins: z.array(z.string()),
    send_welcome: z.boolean(),
    send_goodbye: z.boolean(),
    remind_after_days: z.int(),
    further_lists: z.array(z.string()),
    list_choice: z.string(),
    check_domain: z.boolean(),
    picture_url: z.string(),
    picture_alt: z.string(),
    about: z.string(),
  }),
);

export const signupMethods = [
  method({
    name: 'listForms',
    group: 'lists',
    summary: 'Returns the sign-up forms of all lists: the URL of each, and whether it is live.',
    params: params(paging(1_000, 1_000)),
    returns: z.array(
      z.object({
        list: z.string(),
        list_name: z.string(),
        url: z.string(),
        enabled: z.boolean().meta({ description: 'Whether the form can be opened and submitted.' }),
        send_welcome: z.boolean(),
        send_goodbye: z.boolean(),
      }),
    ),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: formsOfAccount,
  }),
  method({
    name: 'listForm',
    group: 'lists',
    summary: 'Returns the sign-up form of a list: its URL, HTML for your own site, and its settings.',
    description:
      'A visitor who submits the form gets a message and is subscribed after confirming. The answer is always the same, whether the address is new, already subscribed or suppressed. Add ?ln=CODE to the URL for another language, and ?FNAME=VALUE to fill in a field. A hidden input of a public field that the form does not show, or of one of settings.hidden_fields, is stored as well. The HTML works on any site without script or cookies; the visitor reviews the values on the hosted page and submits them there. settings.fields lists the fields shown, in order.',
    params: params({
      id: id('The list.'),
      language: text(
        'Language of the HTML and the texts, as a code such as de. Default: the language of the list.',
        20,
      ).default(''),
    }),
    returns: z.object({
      url: z.string(),
      html: z.string(),
      inline_html: z.string().meta({
        description: 'The same with a script that shows the messages in place, on pages of settings.origins.',
      }),
      settings: settingsRecord,
      confirmations: z.object({ automatic: z.int(), button: z.int(), one_click: z.int() }).meta({
        description:
          'How subscriptions of the list were confirmed: by the page, once a person looked at it; by its button; by a request without the page.',
      }),
    }),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}' } },
    run: showForm,
  }),
  method({
    name: 'listFormUpdate',
    group: 'lists',
    summary: 'Changes the sign-up form of a list. Omitted settings do not change.',
    description:
      'The texts apply to every language for which listTextUpdate has set no text; an empty text restores the default. URLs in a text become links, also as [words](https://example.com).',
    params: params({
      id: id('The list.'),
      options: formOptions,
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
    scope: 'write',
    narrowed: true,
    example: {
      params: { id: '{{list}}', options: { title: 'Letters from the lake', fields: ['FNAME'], send_welcome: true } },
    },
    run: updateForm,
  }),
  method({
    name: 'listFormRefusals',
    group: 'lists',
    summary: 'Returns the refused sign-ups of the form of a list, newest first.',
    description: `reason is ${refusalReasons.join(', ')}; not_asked is an address that gets no email because it is known, suppressed or was asked too often. Addresses are shortened. Entries are kept for 30 days, at most 200 an hour.`,
    params: params({ id: id('The list.'), ...paging(100, 1_000) }),
    returns: z.array(
      z.object({
        at: z.string(),
        reason: z.enum(refusalReasons),
        email: z.string(),
        network: z.string(),
        origin: z.string().meta({ description: 'Of the page that sent it; empty for the hosted form.' }),
      }),
    ),
    faults: ['LIST_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}', limit: 10 } },
    run: refusedSignUps,
  }),
  method({
    name: 'listTexts',
    group: 'lists',
    summary: 'Returns the texts of the messages and pages of a list in one language.',
    description:
      'value is the text in use, default the built-in text, edited whether they differ, languages those with an edited text, tags the merge tags allowed in it.',
    params: params({
      id: id('The list.'),
      language: text('The language, as a code such as de. Default: the language of the list.', 20).default(''),
    }),
    returns: z.array(
      z.object({
        name: z.enum(textNames),
        description: z.string(),
        kind: z.enum(textKinds),
        language: z.string(),
        value: z.string(),
        default: z.string(),
        edited: z.boolean(),
        languages: z.array(z.string()),
        tags: z.array(z.string()),
      }),
    ),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { id: '{{list}}', language: 'de' } },
    run: listTexts,
  }),
  method({
    name: 'listTextUpdate',
    group: 'lists',
    summary: 'Changes one text of the messages and pages of a list; an empty value restores the default.',
    description: `Names: ${Object.keys(listTextNames).join(', ')}. listTexts returns the merge tags allowed in each; the confirmation message must contain *|CONFIRM|*.`,
    params: params({
      id: id('The list.'),
      name: text('Name of the text.', 100),
      value: text('The text.', maxTextLength.html),
      language: text(
        'The language of the text, as a code such as de. Default: every language that has no text of its own.',
        20,
      ).default(''),
    }),
    returns: z.boolean(),
    faults: ['LIST_UNKNOWN', 'LIST_OPTION_INVALID'],
    scope: 'write',
    narrowed: true,
    example: {
      params: { id: '{{list}}', name: 'welcome.subject', value: 'Good to have you, *|FNAME:friend|*', language: 'en' },
    },
    run: updateText,
  }),
];
