// THE list of areas with texts: one file an area in locales/en and locales/de, so that several people can add screens
// without meeting in one file. An area's English file is what its keys are checked against.
import type api from '../locales/en/api.json';
import type campaigns from '../locales/en/campaigns.json';
import type composer from '../locales/en/composer.json';
import type contacts from '../locales/en/contacts.json';
import type forms from '../locales/en/forms.json';
import type home from '../locales/en/home.json';
import type inbox from '../locales/en/inbox.json';
import type lists from '../locales/en/lists.json';
import type parts from '../locales/en/parts.json';
import type report from '../locales/en/report.json';
import type settings from '../locales/en/settings.json';
import type shell from '../locales/en/shell.json';
import type signIn from '../locales/en/sign-in.json';
import type templates from '../locales/en/templates.json';
import type webhooks from '../locales/en/webhooks.json';

export type Areas = {
  api: typeof api;
  campaigns: typeof campaigns;
  composer: typeof composer;
  home: typeof home;
  forms: typeof forms;
  inbox: typeof inbox;
  contacts: typeof contacts;
  lists: typeof lists;
  parts: typeof parts;
  report: typeof report;
  settings: typeof settings;
  shell: typeof shell;
  'sign-in': typeof signIn;
  templates: typeof templates;
  webhooks: typeof webhooks;
};
