// The root address: redirects browsers to the web application; shows programs which requests it accepts.
import type { FastifyInstance } from 'fastify';
import type { App } from '../base/context.ts';
import { html } from '../base/html.ts';
import { publicPath } from '../base/public-paths.ts';
import { version } from '../base/version.ts';
import { refuseGet } from '../doors/form/door.ts';
import { methods } from '../doors/registry.ts';
import { applicationPath } from './application.ts';
import { page } from './page/page.ts';

export function addHome(server: FastifyInstance, app: App) {
  const hasDetails = app.config.publicDetails === 'yes';
  server.get('/', async (request, reply) => {
    reply.header('vary', 'accept');
    // Browsers ask for text/html by name; programs for anything, or for nothing.
    if ((request.headers.accept ?? '').includes('text/html'))
      return reply.redirect(publicPath(app, applicationPath), 303);
    const call = refuseGet(request.url.split('?', 2)[1] ?? '');
    if (call) return reply.code(405).header('allow', 'POST').type(call.type).send(call.body);
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(
        page({
          title: 'Postrider',
          body: html`<h1>Postrider</h1>
<p>This address takes calls of ${hasDetails ? `${methods.length} ` : ''}methods: as XML-RPC (POST here, at <code>/xmlrpc</code> or <code>/RPC2</code>), as form posts (<code>?output=json&amp;method=…</code>) and as JSON (<code>POST /api/…</code>).</p>
<ul><li><a href="${publicPath(app, '/api')}">API reference</a>, with an example for every method</li>
<li><a href="${publicPath(app, '/api/openapi.json')}">OpenAPI description</a></li>
<li><a href="${publicPath(app, `${applicationPath}inbox`)}">Built-in inbox</a></li>
<li><a href="${publicPath(app, `${applicationPath}sign-in`)}">Sign in</a></li></ul>
${hasDetails ? html`<p class="soft">Version ${version}</p>` : ''}`,
        }),
      );
  });
}
