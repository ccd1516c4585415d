// The built-in inbox as pages: for a person signed in, or for somebody with the API key, which is typed into a form and
// kept in a short-lived cookie, never in an address.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Credentials } from '../accounts/authenticate.ts';
import { call } from '../api/call.ts';
import { pageOf, sessionCookie } from '../api/own-page.ts';
import type { App } from '../context.ts';
import { Fault } from '../faults.ts';
import { Html, html, page } from './page.ts';

const keyCookie = 'postrider_inbox_key';

type Message = {
  id: string;
  received: string;
  rcpt_to: string[];
  subject: string;
  from: string;
  to: string;
  size: number;
  source: string;
  html: string;
  text: string;
};

export function addInboxPages(server: FastifyInstance, app: App) {
  const read = (request: FastifyRequest, params: Record<string, unknown>) =>
    call(app, 'inboxMessages', params, credentialsOf(request), 'web') as Promise<Message[]>;

  server.get('/inbox', async (request, reply) => {
    const start = Math.max(0, Number((request.query as { page?: string }).page ?? 0) || 0);
    try {
      const messages = await read(request, { start, limit: 50 });
      return send(reply, 200, page({ title: 'Inbox', body: list(messages, start) }));
    } catch (error) {
      return refuse(reply, error);
    }
  });

  server.get('/inbox/:id', async (request, reply) => {
    const { id } = request.params as { id: string };
    const view = String((request.query as { view?: string }).view ?? 'html');
    try {
      const [message] = await read(request, { id });
      return send(reply, 200, page({ title: message!.subject || 'Message', body: show(message!, view) }));
    } catch (error) {
      return refuse(reply, error);
    }
  });

  server.post('/inbox', async (request, reply) => {
    if (pageOf(app, request.headers) === 'foreign')
      return reply.code(403).send('This form can be sent from its own page only.\n');
    const { apikey } = (request.body ?? {}) as { apikey?: string };
    return reply
      .setCookie(keyCookie, (apikey ?? '').trim(), {
        path: '/inbox',
        httpOnly: true,
        sameSite: 'strict',
        secure: app.baseUrl.startsWith('https:'),
        maxAge: 3_600,
      })
      .redirect('/inbox', 303);
  });
}

function credentialsOf(request: FastifyRequest): Credentials {
  const session = request.cookies[sessionCookie];
  if (session) return { kind: 'session', token: session, ip: request.ip };
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return { kind: 'key', key: bearer ?? request.cookies[keyCookie], ip: request.ip };
}

function refuse(reply: FastifyReply, error: unknown) {
  if (!(error instanceof Fault)) throw error;
  if (error.fault !== 'KEY_INVALID')
    return send(
      reply,
      error.status === 400 ? 404 : error.status,
      page({ title: 'Inbox', body: html`<h1>Inbox</h1><p>${error.message}</p><p><a href="/inbox">Back</a></p>` }),
    );
  return send(
    reply,
    401,
    page({
      title: 'Inbox',
      body: html`<h1>Inbox</h1><p><a href="/login">Sign in</a> to read the built-in inbox, or give an API key:</p>
<form method="post" action="/inbox"><label>API key <input name="apikey" type="password" autocomplete="off" required></label><button>Open</button></form>`,
    }),
  );
}

function send(reply: FastifyReply, status: number, text: string) {
  return (
    reply
      .code(status)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      // The frame with a mail in it inherits this: no script of a mail runs, no picture of it is loaded from elsewhere.
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; frame-src 'self'; form-action 'self'; frame-ancestors 'none'",
      )
      .send(text)
  );
}

const list = (messages: Message[], start: number): Html => html`<h1>Inbox</h1>
<p class="soft">Mail that would have gone out, kept on this machine because no relay is set up (SMTP_URL).</p>
${messages.length === 0 ? html`<p>${start === 0 ? 'Nothing has arrived yet. Send a test mail or a campaign.' : 'No further messages.'}</p>` : ''}
<table><tbody>${messages.map((one) => html`<tr><td><a href="/inbox/${one.id}">${one.subject || '(no subject)'}</a><div class="soft">to ${one.rcpt_to.join(', ')} · ${one.received} GMT · ${one.size} bytes</div></td></tr>`)}</tbody></table>
<p>${start > 0 ? html`<a href="/inbox?page=${start - 1}">Newer</a> ` : ''}${messages.length === 50 ? html`<a href="/inbox?page=${start + 1}">Older</a>` : ''}</p>`;

function show(message: Message, view: string): Html {
  const [head = ''] = message.source.split(/\r?\n\r?\n/);
  const views = { html: 'Rendered', text: 'Text', headers: 'Headers', source: 'Source' };
  const body = {
    html: message.html
      ? html`<iframe title="The mail as it is shown" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${`<base target="_blank">${message.html}`}"></iframe>`
      : html`<pre style="white-space:pre-wrap">${message.text}</pre>`,
    text: html`<pre style="white-space:pre-wrap">${message.text || '(no text part)'}</pre>`,
    headers: html`<pre>${head}</pre>`,
    source: html`<pre>${message.source}</pre>`,
  }[view in views ? (view as keyof typeof views) : 'html'];
  return html`<p><a href="/inbox">Inbox</a></p><h1>${message.subject || '(no subject)'}</h1>
<p class="soft">from ${message.from}<br>to ${message.to || message.rcpt_to.join(', ')}<br>${message.received} GMT</p>
<p>${Object.entries(views).map(([name, label]) => html`<a href="?view=${name}"${name === view ? new Html(' aria-current="page"') : ''}>${label}</a> `)}</p>${body}`;
}
