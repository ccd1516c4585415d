// THE list of operations of the node: each is a method of the API, and each of its fields a parameter of that method with the same
// name. The node shows, reads and sends what is listed here.
import type { INodeProperties } from 'n8n-workflow';

/** What becomes of the value of a field before it is sent; without one it is sent as it is. */
export type Conversion = 'addresses' | 'fields' | 'files' | 'json' | 'time' | 'words';

export type Field = Omit<INodeProperties, 'displayOptions'> & { as?: Conversion };

export type Operation = {
  resource: 'campaign' | 'contact' | 'event' | 'message';
  value: string;
  name: string;
  action: string;
  description: string;
  method: string;
  fields: Field[];
  /** Parameters that most calls leave out. */
  options: Field[];
  /** The member of the parameters that holds the options, if the method has one. */
  optionsIn?: string;
  /** The method takes an idempotency key. */
  isIdempotent?: boolean;
  /** The method returns pages, by `start` and `limit`. */
  hasPages?: boolean;
};

export const resources = [
  { name: 'Campaign', value: 'campaign' },
  { name: 'Contact', value: 'contact' },
  { name: 'Event', value: 'event' },
  { name: 'Single Message', value: 'message' },
];

const text = (displayName: string, name: string, description = ''): Field => ({
  displayName,
  name,
  type: 'string',
  default: '',
  ...(description !== '' && { description }),
});
const box = (displayName: string, name: string, byDefault: boolean, description: string): Field => ({
  displayName,
  name,
  type: 'boolean',
  default: byDefault,
  description,
});
const required = (field: Field): Field => ({ ...field, required: true });

/** A value that is chosen from the account or given as an id. */
const chosen = (displayName: string, name: string, searchListMethod: string, placeholder: string): Field => ({
  displayName,
  name,
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  modes: [
    { displayName: 'From List', name: 'list', type: 'list', typeOptions: { searchListMethod, searchable: true } },
    { displayName: 'By ID', name: 'id', type: 'string', placeholder },
  ],
});

const list = chosen('List', 'id', 'searchLists', 'd1a2b3c4');
const address = required({ ...text('Email', 'email_address'), placeholder: 'name@email.com' });

const mergeFields: Field = {
  displayName: 'Fields',
  name: 'merge_vars',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true },
  placeholder: 'Add Field',
  default: {},
  description: 'Values of the merge fields of the list',
  as: 'fields',
  options: [
    {
      displayName: 'Field',
      name: 'field',
      values: [
        {
          displayName: 'Field Name or ID',
          name: 'tag',
          type: 'options',
          typeOptions: { loadOptionsMethod: 'getMergeFields', loadOptionsDependsOn: ['id.value'] },
          default: '',
          description:
            'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
        },
        { displayName: 'Value', name: 'value', type: 'string', default: '' },
      ],
    },
  ],
};
const format: Field = {
  displayName: 'Email Format',
  name: 'email_type',
  type: 'options',
  options: [
    { name: 'HTML', value: 'html' },
    { name: 'Plain Text', value: 'text' },
  ],
  default: 'html',
};
const addChoices = box(
  'Add Choices',
  'add_choices',
  false,
  'Whether names of a multiple choice are added to those that the contact has chosen, instead of replacing them',
);

const contact: Operation[] = [
  {
    resource: 'contact',
    value: 'subscribe',
    name: 'Subscribe',
    action: 'Subscribe a contact to a list',
    description: 'Add an address to a list',
    method: 'listSubscribe',
    fields: [list, address, mergeFields],
    options: [
      addChoices,
      box('Confirm by Email', 'double_optin', true, 'Whether the contact is subscribed once it has confirmed by email'),
      format,
      text('IP Address', 'ip_signup', 'The address that the contact signed up from'),
      box('Send Welcome', 'send_welcome', false, 'Whether a contact that need not confirm gets the welcome message'),
      box('Update Existing', 'update_existing', false, 'Whether a subscribed contact is updated instead of refused'),
    ],
  },
  {
    resource: 'contact',
    value: 'update',
    name: 'Update',
    action: 'Update a contact of a list',
    description: 'Change values of a contact, or with the field EMAIL its address',
    method: 'listUpdateMember',
    fields: [list, address, required(mergeFields)],
    options: [addChoices, format],
  },
  {
    resource: 'contact',
    value: 'unsubscribe',
    name: 'Unsubscribe',
    action: 'Unsubscribe a contact from a list',
    description: 'Unsubscribe an address from a list, or remove it',
    method: 'listUnsubscribe',
    fields: [list, address],
    options: [
      box('Delete From List', 'delete_member', false, 'Whether the contact is deleted from the list'),
      box('Notify Owner', 'send_notify', false, 'Whether the owner of the account gets an email'),
      box('Send Goodbye', 'send_goodbye', true, 'Whether the contact gets the goodbye message'),
    ],
  },
  {
    resource: 'contact',
    value: 'get',
    name: 'Get',
    action: 'Get a contact',
    description: 'Get a contact with all its subscriptions',
    method: 'contactGet',
    fields: [required({ ...text('Email', 'email'), placeholder: 'name@email.com' })],
    options: [],
  },
];

const campaign: Operation[] = [
  {
    resource: 'campaign',
    value: 'getAll',
    name: 'Get Many',
    action: 'Get many campaigns',
    description: 'List campaigns, newest first',
    method: 'campaigns',
    fields: [],
    options: [
      text('From Email', 'from_email'),
      text('From Name', 'from_name'),
      text('Label', 'label', 'Only those that have the label with this ID'),
      text('List ID', 'list_id', 'Only those that go to this list'),
      { displayName: 'Sent After', name: 'sendtime_end', type: 'dateTime', default: '', as: 'time' },
      { displayName: 'Sent Before', name: 'sendtime_start', type: 'dateTime', default: '', as: 'time' },
      {
        displayName: 'State',
        name: 'status',
        type: 'options',
        options: [
          { name: 'Draft', value: 'draft' },
          { name: 'Paused', value: 'paused' },
          { name: 'Sending', value: 'sending' },
          { name: 'Sent', value: 'sent' },
        ],
        default: 'draft',
      },
      text('Subject', 'subject'),
      text('Title', 'title'),
    ],
    optionsIn: 'filters',
    hasPages: true,
  },
  {
    resource: 'campaign',
    value: 'send',
    name: 'Send',
    action: 'Send a campaign',
    description: 'Start the delivery of a draft',
    method: 'campaignSendNow',
    fields: [chosen('Campaign', 'cid', 'searchDrafts', 'a1b2c3d4')],
    options: [
      {
        displayName: 'Seconds to Take It Back',
        name: 'undo_seconds',
        type: 'number',
        typeOptions: { minValue: 0, maxValue: 60 },
        default: 0,
        description: 'How long before the first message is sent',
      },
    ],
  },
];

const event: Operation[] = [
  {
    resource: 'event',
    value: 'record',
    name: 'Record',
    action: 'Record an event of a contact',
    description: 'Report what a contact did, which starts or ends automations',
    method: 'eventSend',
    fields: [required({ ...text('Name', 'name'), placeholder: 'order.placed' }), address],
    options: [
      box(
        'Create Contact',
        'create_contact',
        false,
        'Whether an unknown address becomes a contact without a subscription',
      ),
      { ...text('Data (JSON)', 'data', 'What happened, as an object'), type: 'json', default: '{}', as: 'json' },
      text('Event ID', 'id', 'Such as the number of the order; an event with the same name and ID counts once'),
      { displayName: 'Time', name: 'time', type: 'dateTime', default: '', description: 'When it happened', as: 'time' },
      {
        displayName: 'Value',
        name: 'value',
        type: 'number',
        default: 0,
        description: 'Such as the amount of an order',
      },
    ],
    isIdempotent: true,
  },
];

const addresses = (field: Field): Field => ({
  ...field,
  as: 'addresses',
  placeholder: 'Ada <ada@example.com>, bob@example.com',
});

const message: Operation[] = [
  {
    resource: 'message',
    value: 'send',
    name: 'Send',
    action: 'Send a single message',
    description: 'Send a transactional message, such as a receipt',
    method: 'messageSend',
    fields: [
      required(addresses(text('To', 'to', 'Addresses with commas between them, or an array of them'))),
      text('Subject', 'subject', 'Without one, that of the template'),
      { ...text('HTML', 'html', 'Leave this empty for a template'), typeOptions: { rows: 5 } },
    ],
    options: [
      {
        ...text('Attachments', 'attachments', 'Names of binary fields of the item, with commas between them'),
        as: 'files',
        placeholder: 'data',
      },
      addresses(text('BCC', 'bcc')),
      addresses(text('CC', 'cc')),
      text('From Email', 'from_email', 'By default the address of the account'),
      text('From Name', 'from_name', 'By default the name of the account'),
      { ...text('Headers (JSON)', 'headers', 'Further headers by name'), type: 'json', default: '{}', as: 'json' },
      { ...text('Plain Text', 'plain', 'Made from the HTML when it is missing'), typeOptions: { rows: 5 } },
      addresses(text('Reply To', 'reply_to')),
      { displayName: 'Send At', name: 'send_at', type: 'dateTime', default: '', as: 'time' },
      { ...text('Tags', 'tags', 'Words to find the message by, with commas between them'), as: 'words' },
      text('Template Alias', 'template', 'The alias of a saved template, instead of HTML'),
      text('Template ID', 'template_id', 'The ID of a saved template, instead of HTML'),
      box('Track Clicks', 'track_clicks', true, 'Whether clicks on links are counted'),
      box('Track Opens', 'track_opens', true, 'Whether opens are counted'),
      {
        ...text('Values (JSON)', 'values', 'What replaces the merge tags, by name'),
        type: 'json',
        default: '{}',
        as: 'json',
      },
    ],
    isIdempotent: true,
  },
];

export const operations: readonly Operation[] = [...contact, ...campaign, ...event, ...message];
