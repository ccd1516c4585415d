// The methods about senders: the names and addresses that campaigns and lists choose from.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { filledLine, filledText, id, params, text } from '../../method/params.ts';
import { changeSender, createSender, deleteSender, listSenders } from './change.ts';
import { domainStates } from './sender.ts';

const senderRecord = named(
  'Sender',
  z.object({
    id: z.string(),
    name: z.string().meta({ description: 'The display name in From.' }),
    email: z.string().meta({ description: 'The address in From.' }),
    domain: z.string(),
    domain_status: z
      .enum(domainStates)
      .meta({ description: 'As senderDomains shows it; none if it is not a sender domain.' }),
    advice: z.string().meta({ description: 'What to do so that its messages are signed; empty if they are.' }),
    lists: z.int().meta({ description: 'Lists whose confirmation, welcome and goodbye it sends.' }),
    campaigns: z.int().meta({ description: 'Campaigns from its address that are not sent yet.' }),
    created_at: z.string(),
  }),
);

const senderId = id('The sender.');
const nameText = filledLine('The display name in From.', 200);
const emailText = text('The address in From, in ASCII.', 320);

export const senderMethods = [
  method({
    name: 'senders',
    group: 'sending',
    summary: 'Lists the senders of the account: name, address, the state of the domain, and how often each is in use.',
    description:
      'A campaign uses a sender by its name (options.from_name) and address (options.sender). A list uses one by its id (the setting sender): its confirmation, welcome and goodbye messages come from that address while the domain is active, and from the main address of the account otherwise. A new list begins with the oldest sender.',
    params: params({}),
    returns: z.array(senderRecord),
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: listSenders,
  }),
  method({
    name: 'senderCreate',
    group: 'sending',
    summary: 'Adds a sender and returns it, with what to do if its domain is not authenticated.',
    description:
      'An address of any domain can be added, unless another account of the installation has proven that the domain is its own.',
    params: params({ name: nameText, email: emailText }),
    returns: senderRecord,
    faults: ['SENDER_INVALID'],
    scope: 'admin',
    example: { params: { name: 'The editors', email: 'letters@news.example.com' } },
    run: createSender,
  }),
  method({
    name: 'senderUpdate',
    group: 'sending',
    summary: 'Changes the name or the address of a sender, also for the lists that use it.',
    description:
      'The default sender name and reply address of a list change with it, where they are those of the sender. Campaigns keep the name and the address that they have.',
    params: params({
      id: senderId,
      name: filledText('Which setting: name or email.', 40),
      value: text('The new value.', 320),
    }),
    returns: z.boolean(),
    faults: ['SENDER_UNKNOWN', 'SENDER_INVALID'],
    scope: 'admin',
    example: { params: { id: '{{sender}}', name: 'name', value: 'The newsroom' } },
    run: changeSender,
  }),
  method({
    name: 'senderDelete',
    group: 'sending',
    summary: 'Deletes a sender that is not in use.',
    description:
      'A sender is in use by the lists that it is set for, and by campaigns from its address that are not sent yet, unless another sender has the same address. The fault names them.',
    params: params({ id: senderId }),
    returns: z.boolean(),
    faults: ['SENDER_UNKNOWN', 'SENDER_IN_USE'],
    scope: 'admin',
    example: { params: { id: '{{sender}}' } },
    run: deleteSender,
  }),
];
