// The sign-up form on other people's pages: the script, and what it calls. Only pages of the origins that the form allows may
// read the answers; a submission needs a proof of work, because no page of ours was shown before. GET writes nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { hintFor, honeypotName } from '../audience/signup/fields-html.ts';
import { type Form, openedToken, readOpenedToken } from '../audience/signup/form.ts';
import { isProof, proofBits, spendProof } from '../audience/signup/proof.ts';
import { noteRefusedSignUp, type RefusalReason } from '../audience/signup/refusals.ts';
import { countSubmission, domainProblem, hasReachedCap, readSubmission, signUp } from '../audience/signup/sign-up.ts';
import type { App } from '../base/context.ts';
import { text } from '../locales/text.ts';
import { type Asked, askedLanguage, formOf, readable, sentAgainText, typedInto } from './subscribe.ts';

const script = readFileSync(join(import.meta.dirname, 'forms.js'));

type Answer = {
  /** `again`: with a new token and proof. */
  state: 'done' | 'problems' | 'again' | 'refused';
  text?: string;
  redirect?: string;
  /** By the tag of the field. */
  problems?: Record<string, string>;
};

export function addInlineForms(server: FastifyInstance, app: App) {
  server.get('/forms.js', async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .header('cross-origin-resource-policy', 'cross-origin')
      .send(script),
  );

  server.get('/subscribe/:key/inline', async (request: Asked, reply) => {
    const form = await openForm(app, request, reply);
    if (!form) return refuse(reply, 403);
    return reply.send({ look: openedToken(app, form.key, Date.now()), bits: proofBits });
  });

  server.post('/subscribe/:key/inline', async (request: Asked, reply) => {
    const form = await openForm(app, request, reply, readable(request.body).EMAIL);
    if (!form) return refuse(reply, 403);
    const [status, answer] = await submission(app, form, request, typedInto(form, request.body));
    return reply.code(status).send(answer);
  });
}

/** The form, when it is open and the page's origin is one that it allows; the page may then read the answer. */
async function openForm(app: App, request: Asked, reply: FastifyReply, email = ''): Promise<Form | undefined> {
  reply.header('cache-control', 'no-store').header('vary', 'origin');
  const form = await formOf(app, request);
  if (!form?.settings.enabled) return undefined;
  const { origin = '' } = request.headers;
  if (form.settings.origins.includes(origin)) {
    reply.header('access-control-allow-origin', origin);
    return form;
  }
  if (request.method === 'POST')
    await noteRefusedSignUp(app, form, { reason: 'origin', email, ip: request.ip, origin });
  return undefined;
}

async function submission(
  app: App,
  form: Form,
  request: Asked,
  given: Record<string, string>,
): Promise<[status: number, answer: Answer]> {
  const { ip } = request;
  const refused = (reason: RefusalReason) =>
    noteRefusedSignUp(app, form, { reason, email: given.EMAIL ?? '', ip, origin: request.headers.origin ?? '' });
  const tooMany: [number, Answer] = [429, { state: 'refused', text: text(form.language, 'form.too-many') }];
  const again: [number, Answer] = [403, { state: 'again', text: text(form.language, 'form.once-more') }];
  const done: [number, Answer] = [
    200,
    {
      state: 'done',
      text: `${form.text('form.thanks')} ${sentAgainText(form.language)}`,
      redirect: form.settings.redirect,
    },
  ];
  if (!(await countSubmission(app.db, ip))) {
    await refused('network_limit');
    return tooMany;
  }
  if (given[honeypotName]) {
    await refused('trap');
    return done;
  }
  const filled = readSubmission(form, given);
  const problems = Object.entries(filled.problems);
  if (problems.length > 0) {
    const words = problems.map(([tag, problem]) => [tag, text(form.language, problem)]);
    const wrong = text(form.language, 'form.wrong');
    return [400, { state: 'problems', text: wrong, problems: Object.fromEntries(words) }];
  }
  const { LOOK: look = '', PROOF: proof = '' } = given;
  const opened = readOpenedToken(app, form.key, look, Date.now());
  const reason = opened.kind !== 'fine' ? 'token' : isProof(look, proof) ? undefined : 'proof';
  // Before the proof is spent: the visitor needs it again for the corrected address.
  const problem = reason ? undefined : await domainProblem(app, form, filled);
  if (problem) {
    await refused('domain');
    return [
      400,
      { state: 'problems', text: text(form.language, 'form.wrong'), problems: { EMAIL: text(form.language, problem) } },
    ];
  }
  if (reason || !(await spendProof(app.db, look, proof))) {
    await refused(reason ?? 'proof');
    return again;
  }
  if (await hasReachedCap(app.db, form)) {
    await refused('form_limit');
    return tooMany;
  }
  const outcome = await signUp(app, form, filled, { ip, language: askedLanguage(request) });
  if (outcome === 'nothing') await refused('not_asked');
  const hint = hintFor(filled.email, form.language);
  return hint ? [done[0], { ...done[1], text: `${done[1].text} ${hint}` }] : done;
}

const refuse = (reply: FastifyReply, status: number) => reply.code(status).send({ state: 'refused' } satisfies Answer);
