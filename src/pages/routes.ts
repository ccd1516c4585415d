// THE list of pages and their addresses, apart from the doors. Pages are HTML from the server, without script.
import type { FastifyInstance } from 'fastify';
import type { App } from '../base/context.ts';
import { isUnavailable } from '../db/connect.ts';
import { later } from './answers.ts';
import { addApplication } from './application.ts';
import { addArchiveIndex } from './archives.ts';
import { addAssets } from './assets.ts';
import { addDocumentation } from './documentation/documentation.ts';
import { addHome } from './home.ts';
import { addInlineForms } from './inline-form/inline-form.ts';
import { addPreferencePages } from './preferences.ts';
import { addPublicPages } from './public.ts';
import { addSubscribePages } from './subscribe.ts';
import { addUnsubscribePages } from './unsubscribe.ts';

export function addPages(server: FastifyInstance, app: App) {
  server.register(async (pages) => {
    // Forms of pages are small; what is longer than 64 kB is not one of ours.
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 65_536 },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    // One-click unsubscribing may come as multipart, or with no body at all: what is in it does not matter.
    pages.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 65_536 }, (_request, _body, done) =>
      done(null, {}),
    );
    pages.setErrorHandler(async (error, _request, reply) => {
      if (!isUnavailable(error)) throw error;
      return later(reply);
    });
    addHome(pages, app);
    addApplication(pages, app);
    addDocumentation(pages, app);
    addPublicPages(pages, app);
    addPreferencePages(pages, app);
    addSubscribePages(pages, app);
    addInlineForms(pages, app);
    addUnsubscribePages(pages, app);
    addArchiveIndex(pages, app);
    addAssets(pages, app);
  });
}
