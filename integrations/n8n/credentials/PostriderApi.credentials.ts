// The credentials: the address of a Postrider and an API key, which n8n sends in a header. "Test" calls ping, which any key may.
import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from 'n8n-workflow';

export class PostriderApi implements ICredentialType {
  name = 'postriderApi';
  displayName = 'Postrider API';
  icon: Icon = 'file:../icons/postrider.svg';
  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-postrider';

  properties: INodeProperties[] = [
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://mail.example.com',
      description: 'The address of your Postrider, without /api',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Made under Developers → API keys; it needs the permissions of what you use here',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: {
      method: 'POST',
      url: '={{$credentials.url.replace(/\\/+$/, "")}}/api/ping',
      body: {},
    },
  };
}
