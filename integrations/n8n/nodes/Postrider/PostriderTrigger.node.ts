// The trigger: activation creates a webhook with a secret of its own, deactivation deletes it. A request that the secret has not
// signed in the last five minutes is refused and starts nothing.
import { randomBytes } from 'node:crypto';
import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { call, faultOf } from './api.ts';
import { getEventTypes, searchLists } from './searches.ts';
import { isSigned } from './signature.ts';

/** What n8n keeps for the node between executions. */
type Kept = { webhookId?: string; secret?: string };

const unknownWebhook = 330;

export class PostriderTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Postrider Trigger',
    name: 'postriderTrigger',
    icon: 'file:../../icons/postrider.svg',
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: 'Starts the workflow when something happens in Postrider',
    defaults: { name: 'Postrider Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'postriderApi', required: true }],
    webhooks: [
      // Postrider asks with HEAD whether the address is there when a webhook is created.
      { name: 'setup', httpMethod: 'HEAD', responseMode: 'onReceived', path: 'webhook' },
      { name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' },
    ],
    properties: [
      {
        displayName: 'Event Names or IDs',
        name: 'events',
        type: 'multiOptions',
        typeOptions: { loadOptionsMethod: 'getEventTypes' },
        required: true,
        default: ['contact.subscribe'],
        description:
          'What starts the workflow. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
      },
      {
        displayName: 'Options',
        name: 'options',
        type: 'collection',
        placeholder: 'Add option',
        default: {},
        options: [
          {
            displayName: 'List',
            name: 'list_id',
            type: 'resourceLocator',
            default: { mode: 'list', value: '' },
            description: 'Only events of this list',
            modes: [
              {
                displayName: 'From List',
                name: 'list',
                type: 'list',
                typeOptions: { searchListMethod: 'searchLists', searchable: true },
              },
              { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'd1a2b3c4' },
            ],
          },
          {
            displayName: 'Sources',
            name: 'sources',
            type: 'multiOptions',
            options: [
              { name: 'A Program', value: 'api' },
              { name: 'The Contact', value: 'subscriber' },
              { name: 'Users of the Account', value: 'admin' },
            ],
            default: [],
            description: 'Only what was done by one of these',
          },
        ],
      },
    ],
  };

  methods = { listSearch: { searchLists }, loadOptions: { getEventTypes } };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const { webhookId, secret } = this.getWorkflowStaticData('node') as Kept;
        const url = this.getNodeWebhookUrl('default');
        let exists = false;
        for (const webhook of await call<{ id: string; url: string }[]>(this, 'webhooks')) {
          if (webhook.url !== url) continue;
          // One whose secret was lost would send what cannot be verified.
          if (webhook.id === webhookId && secret) exists = true;
          else await deleteWebhook(this, webhook.id);
        }
        return exists;
      },

      async create(this: IHookFunctions): Promise<boolean> {
        const secret = `whsec_${randomBytes(32).toString('base64')}`;
        const options: IDataObject = {
          url: this.getNodeWebhookUrl('default'),
          secret_key: secret,
          events: this.getNodeParameter('events') as string[],
        };
        const list = this.getNodeParameter('options.list_id', '', { extractValue: true }) as string;
        const sources = this.getNodeParameter('options.sources', []) as string[];
        if (list !== '') options.list_id = list;
        if (sources.length > 0) options.sources = sources;
        const title = `n8n: ${this.getWorkflow().name ?? this.getNode().name}`.slice(0, 100);
        const webhookId = await call<string>(this, 'webhookCreate', { title, options });
        Object.assign(this.getWorkflowStaticData('node'), { webhookId, secret });
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const kept = this.getWorkflowStaticData('node') as Kept;
        if (kept.webhookId) await deleteWebhook(this, kept.webhookId);
        delete kept.webhookId;
        delete kept.secret;
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const response = this.getResponseObject();
    if (this.getWebhookName() === 'setup') {
      response.status(200).end();
      return { noWebhookResponse: true };
    }
    const request = this.getRequestObject();
    if (!request.rawBody) await request.readRawBody();
    const { secret = '' } = this.getWorkflowStaticData('node') as Kept;
    if (!isSigned(request.rawBody, request.headers, secret)) {
      response.status(401).send('401 Unauthorized');
      return { noWebhookResponse: true };
    }
    const { timestamp, events } = JSON.parse(request.rawBody.toString()) as {
      timestamp: number;
      events: { type: string; data: IDataObject }[];
    };
    return { workflowData: [events.map(({ type, data }) => ({ json: { type, timestamp, data } }))] };
  }
}

async function deleteWebhook(node: IHookFunctions, wid: string): Promise<void> {
  try {
    await call(node, 'webhookDelete', { wid });
  } catch (error) {
    // A person has deleted it already.
    if (faultOf(error) !== unknownWebhook) throw error;
  }
}
