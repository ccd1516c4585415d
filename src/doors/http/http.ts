// The API doors on HTTP: which address and content type leads to which door, and what a reader sees there. The pages of the
// reference run no script and load nothing.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refreshPublicUrl } from '../../accounts/installation/public-url.ts';
import type { App } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { languageOf } from '../../base/messages.ts';
import { publicPath } from '../../base/public-paths.ts';
import { MAX_BODY_BYTES } from '../../method/wire.ts';
import { addBodyReader } from '../admission/bodies.ts';
import { hideReference } from '../admission/readers.ts';
import { originOf } from '../admission/request-origin.ts';
import { sessionTokenOf, setSessionCookie } from '../admission/session-cookie.ts';
import { answerForm, refuseGet } from '../form/door.ts';
import { answerJson, type JsonAnswer, refuseJsonGet } from '../json.ts';
import { llmsText, markdownPage } from '../markdown.ts';
import { sendOpenApi } from '../openapi/openapi-file.ts';
import { methodPage, referencePage } from '../reference.ts';
import { answerXmlRpc } from '../xmlrpc/door.ts';
import { doorFor, queryOf, refuseBody } from './refused-body.ts';

const whatToSend = (api: string) => `Send a POST request to this address in one of these forms:
- XML-RPC: Content-Type text/xml, a methodCall with one struct that contains apikey and the named parameters.
- Form: ?output=json|php|xml&method=NAME, Content-Type application/x-www-form-urlencoded.
- JSON: POST ${api}/NAME (or to this address, with a member method) with a JSON object and the key in "Authorization: Bearer ...".
The reference is at ${api}.
`;

export function addDoors(server: FastifyInstance, app: App, version: string) {
  server.register(async (doors) => {
    addBodyReader(doors, app, {
      maxBytes: MAX_BODY_BYTES,
      isJson: (request, start) => doorFor(request, start) === 'json',
    });
    doors.setErrorHandler(async (error: Error, request, reply) => {
      if (!(error instanceof Fault)) throw error;
      return refuseBody(request, reply, error);
    });

    const named = async (request: FastifyRequest, reply: FastifyReply) => {
      const query = queryOf(request);
      const body = asBytes(request.body);
      const { version: called } = request.params as { version?: string };
      const door = doorFor(request, body);
      if (door === 'xmlrpc') {
        const answer = await answerXmlRpc(app, body, {
          ip: request.ip,
          contentType: request.headers['content-type'],
          version: called,
        });
        if (answer.retryAfter !== undefined) reply.header('retry-after', answer.retryAfter);
        return reply.type('text/xml; charset=utf-8').send(answer.body);
      }
      if (door === 'form') {
        const answer = await answerForm(app, query, body, {
          ip: request.ip,
          contentType: request.headers['content-type'] ?? '',
          version: called,
        });
        if (answer.retryAfter !== undefined) reply.header('retry-after', answer.retryAfter);
        return reply.type(answer.type).send(answer.body);
      }
      if (door === 'json') {
        const { authorization } = request.headers;
        const method = new URLSearchParams(query).get('method') ?? undefined;
        return sendJson(
          reply,
          await answerJson(app, {
            method,
            body,
            authorization,
            idempotencyKey: idempotencyKeyOf(request),
            session: undefined,
            ip: request.ip,
            language: 'en',
          }),
        );
      }
      return reply
        .code(415)
        .type('text/plain; charset=utf-8')
        .send(whatToSend(publicPath(app, '/api')));
    };
    const versioned = '/:version(^\\d+\\.\\d+$)';
    const addresses = ['/', '/xmlrpc', '/xmlrpc/', '/RPC2', '/RPC2/', versioned, `${versioned}/`];
    for (const address of addresses) doors.post(address, named);
    for (const address of addresses.slice(1)) {
      doors.get(address, async (request, reply) => {
        const call = refuseGet(request.url.split('?', 2)[1] ?? '');
        if (call) return reply.code(405).header('allow', 'POST').type(call.type).send(call.body);
        return reply
          .type('text/plain; charset=utf-8')
          .send(`Postrider ${version}\n\n${whatToSend(publicPath(app, '/api'))}`);
      });
    }

    doors.post('/api/:method', async (request, reply) => {
      const { method } = request.params as { method: string };
      const token = sessionTokenOf(app, request);
      const answer = await answerJson(app, {
        method,
        body: asBytes(request.body),
        authorization: request.headers.authorization,
        idempotencyKey: idempotencyKeyOf(request),
        session: token === undefined ? undefined : { token, ours: originOf(app, request.headers) === 'own' },
        ip: request.ip,
        language: languageOf(request.headers['accept-language']),
      });
      if (answer.renewed !== undefined) {
        // The method may have set the URL that decides about the name of the cookie.
        await refreshPublicUrl(app);
        setSessionCookie(app, reply, answer.renewed);
      }
      return sendJson(reply, answer);
    });
    addReference(doors, app, version);
  });
}

/** The reference of the methods: for people, as Markdown and as OpenAPI. */
function addReference(doors: FastifyInstance, app: App, version: string): void {
  const forReaders = { preHandler: [hideReference(app), addPagePolicy] };
  doors.get('/api/openapi.json', forReaders, async (request, reply) =>
    sendOpenApi(request, reply, { baseUrl: app.baseUrl, version }),
  );
  doors.get('/api', forReaders, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(referencePage(publicPath(app, '/api'))),
  );
  doors.get('/llms.txt', forReaders, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(llmsText(app.baseUrl)),
  );
  doors.get('/api/:name.md', forReaders, async (request, reply) => {
    const text = markdownPage((request.params as { name: string }).name);
    return text === undefined ? reply.callNotFound() : reply.type('text/markdown; charset=utf-8').send(text);
  });
  doors.get('/api/:method', forReaders, async (request, reply) => {
    if (request.headers.authorization !== undefined)
      return sendJson(reply.header('allow', 'POST'), { ...refuseJsonGet(), status: 405 });
    const page = methodPage(publicPath(app, '/api'), (request.params as { method: string }).method);
    return reply
      .code(page ? 200 : 404)
      .type('text/html; charset=utf-8')
      .send(page ?? referencePage(publicPath(app, '/api')));
  });
}

/** The pages contain a style sheet, and nothing else that a browser would act on. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

async function addPagePolicy(_request: FastifyRequest, reply: FastifyReply) {
  reply.header('content-security-policy', pagePolicy).header('cross-origin-opener-policy', 'same-origin');
}

function sendJson(reply: FastifyReply, { status, body, retryAfter, allowance }: JsonAnswer): FastifyReply {
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  if (allowance)
    reply
      .header('ratelimit-limit', allowance.limit)
      .header('ratelimit-remaining', allowance.remaining)
      .header('ratelimit-reset', allowance.resetSeconds);
  return reply.code(status).type('application/json; charset=utf-8').header('cache-control', 'no-store').send(body);
}

const asBytes = (body: unknown): Uint8Array => (body instanceof Uint8Array ? body : new Uint8Array());

function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const value = headers['idempotency-key'];
  return Array.isArray(value) ? value[0] : value;
}
