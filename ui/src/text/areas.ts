// The list of areas with texts: one file per area in locales/en and locales/de. The English file of an area defines
// its keys.
import type api from '../locales/en/api.json';
import type audit from '../locales/en/audit.json';
import type automations from '../locales/en/automations.json';
import type campaigns from '../locales/en/campaigns.json';
import type composer from '../locales/en/composer.json';
import type contacts from '../locales/en/contacts.json';
import type forms from '../locales/en/forms.json';
import type home from '../locales/en/home.json';
import type inbox from '../locales/en/inbox.json';
import type lists from '../locales/en/lists.json';
import type messages from '../locales/en/messages.json';
import type move from '../locales/en/move.json';
import type operator from '../locales/en/operator.json';
import type parts from '../locales/en/parts.json';
import type recurring from '../locales/en/recurring.json';
import type report from '../locales/en/report.json';
import type settings from '../locales/en/settings.json';
import type setup from '../locales/en/setup.json';
import type shell from '../locales/en/shell.json';
import type signIn from '../locales/en/sign-in.json';
import type templates from '../locales/en/templates.json';
import type webhooks from '../locales/en/webhooks.json';

export type Areas = {
  api: typeof api;
  audit: typeof audit;
  automations: typeof automations;
  campaigns: typeof campaigns;
  composer: typeof composer;
  home: typeof home;
  forms: typeof forms;
  inbox: typeof inbox;
  contacts: typeof contacts;
  lists: typeof lists;
  messages: typeof messages;
  move: typeof move;
  operator: typeof operator;
  parts: typeof parts;
  recurring: typeof recurring;
  report: typeof report;
  settings: typeof settings;
  setup: typeof setup;
  shell: typeof shell;
  'sign-in': typeof signIn;
  templates: typeof templates;
  webhooks: typeof webhooks;
};
