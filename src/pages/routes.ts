// THE list of pages and their addresses, apart from the doors. Pages are HTML from the server and work without script.
import type { FastifyInstance } from 'fastify';
import type { App } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { isUnavailable } from '../db/connect.ts';
import { addBodyReader, headRefusal } from '../doors/admission/bodies.ts';
import { addAddressPages } from './address.ts';
import { addApplication } from './application.ts';
import { addArchiveIndex } from './archives.ts';
import { addAssets } from './assets.ts';
import { addConfirmationPages } from './confirmation.ts';
import { addDocumentation } from './documentation.ts';
import { readFormBody } from './form-body.ts';
import { addHome } from './home.ts';
import { addInlineForms } from './inline-form.ts';
import { later } from './page/answers.ts';
import { addPreferencePages } from './preferences.ts';
import { addPublicPages } from './public.ts';
import { addReports } from './report.ts';
import { addSubscribePages } from './subscribe.ts';
import { addUnsubscribePages } from './unsubscribe.ts';

export function addPages(server: FastifyInstance, app: App) {
  server.register(async (pages) => {
    // Forms of pages are small; what is longer than 64 kB is not one of ours.
    // One-click unsubscribing may come as multipart, or with no body at all: what is in it does not matter.
    addBodyReader(pages, app, {
      maxBytes: 65_536,
      as: (body, { headers }) =>
        /^\s*application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')
          ? readFormBody(body.toString('utf8'))
          : {},
    });
    pages.setErrorHandler(async (error, request, reply) => {
      if (error instanceof Fault)
        return headRefusal(request, reply, error)
          .code(error.status)
          .type('text/plain; charset=utf-8')
          .send(`${error.message}\n`);
      if (!isUnavailable(error)) throw error;
      return later(reply);
    });
    addHome(pages, app);
    addApplication(pages, app);
    addDocumentation(pages, app);
    addPublicPages(pages, app);
    addPreferencePages(pages, app);
    addAddressPages(pages, app);
    addConfirmationPages(pages, app);
    addSubscribePages(pages, app);
    addInlineForms(pages, app);
    addUnsubscribePages(pages, app);
    addArchiveIndex(pages, app);
    addReports(pages, app);
    addAssets(pages, app);
  });
}
