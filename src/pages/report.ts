// Reports for people who have a link and no account: of one campaign, or of several with a page for each. Figures only, in the language
// of the account. The page names nothing on other sites, and its address goes to none.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { App } from '../base/context.ts';
import { type Html, html } from '../base/html.ts';
import { remember } from '../base/remember.ts';
import { parseId } from '../db/ids.ts';
import { arrowsOf } from '../locales/languages.ts';
import { languageFor, text } from '../locales/text.ts';
import { type FoundLink, reportLinkOf } from '../tracking/reports/report-link.ts';
import {
  fewest,
  isAmongShared,
  type SharedReport,
  sharedCampaigns,
  sharedReport,
} from '../tracking/reports/shared-report.ts';
import { noReport, show, tooOften } from './page/answers.ts';
import { PageRate } from './page/page-rate.ts';
import { senderOf } from './page/sender.ts';

/** How long figures are shown again instead of counted again. Whether the link is valid is asked each time. */
const freshMs = 30_000;
const maxKept = 1_000;

export function addReports(server: FastifyInstance, app: App) {
  const rate = new PageRate();
  const counted = new Map<string, { until: number; figures: Promise<unknown> }>();
  /** Several requests at the same time count once. */
  const figuresOf = <T>(key: string, count: () => Promise<T>): Promise<T> => {
    const now = performance.now();
    const kept = counted.get(key);
    if (kept && kept.until > now) return kept.figures as Promise<T>;
    const figures = count();
    remember(counted, key, { until: now + freshMs, figures }, maxKept);
    figures.catch(() => counted.delete(key));
    return figures;
  };

  const open = async (reply: FastifyReply, token: string, cid?: string) => {
    const seconds = rate.take(reply.request.ip);
    if (seconds > 0) return tooOften(reply, seconds);
    // The address of this page opens it: no other site may learn it.
    reply.header('referrer-policy', 'no-referrer').header('x-robots-tag', 'noindex, nofollow');
    const link = await reportLinkOf(app.db, token);
    if (!link) return noReport(reply);
    const { account, campaign } = link;
    if (campaign === null && cid === undefined) return showCampaigns(reply, token, link);
    if (campaign !== null && cid !== undefined) return noReport(reply);
    const of = { account, campaign: campaign ?? parseId(cid!) };
    if (campaign === null && !(await isAmongShared(app.db, of, link.list))) return noReport(reply);
    const report = await figuresOf(`${account} ${of.campaign}`, () => sharedReport(app.db, app.baseUrl, of));
    if (!report) return noReport(reply);
    const sender = await senderOf(app.db, account, link.list ?? undefined);
    const language = languageFor(link.language);
    const back =
      campaign === null &&
      html`<p class="no-print"><a href="../${token}">${arrowsOf(language).back} ${text(language, 'report.all')}</a></p>\n`;
    return show(reply, {
      language,
      sender,
      title: report.subject || text(language, 'report.title'),
      body: html`${back}${reportBody(report, link)}`,
    });
  };

  const showCampaigns = async (reply: FastifyReply, token: string, link: FoundLink) => {
    const { account, list } = link;
    const campaigns = await figuresOf(`${account} all ${list}`, () =>
      sharedCampaigns(app.db, app.baseUrl, account, list),
    );
    const language = languageFor(link.language);
    const f = formatsOf(link);
    const rows = campaigns.map(
      ({ id, subject, sentAt, delivered, reactions }) =>
        html`<tr><th scope="row"><a href="${token}/${id}">${subject || '–'}</a> <span class="soft">${f.day(sentAt)}</span></th><td>${f.number(delivered)}</td><td>${reactions ? f.share(reactions.opened, delivered) : '–'}</td><td>${reactions ? f.share(reactions.clicked, delivered) : '–'}</td></tr>`,
    );
    return show(reply, {
      language,
      sender: await senderOf(app.db, account, list ?? undefined),
      title: text(language, 'report.all'),
      body: html`${
        rows.length === 0
          ? html`<p>${text(language, 'archives.none')}</p>`
          : html`<table class="figures"><thead><tr><th scope="col">${text(language, 'report.campaign')}</th><th scope="col">${text(language, 'report.delivered')}</th><th scope="col">${text(language, 'report.opened')}</th><th scope="col">${text(language, 'report.clicked')}</th></tr></thead><tbody>${rows}</tbody></table>`
      }
${about(link)}`,
    });
  };

  server.get<{ Params: { token: string } }>('/report/:token', ({ params }, reply) => open(reply, params.token));
  server.get<{ Params: { token: string; cid: string } }>('/report/:token/:cid', ({ params }, reply) =>
    open(reply, params.token, params.cid),
  );
}

function reportBody(report: SharedReport, link: FoundLink): Html {
  const language = languageFor(link.language);
  const t = (key: string, values: Record<string, string | number> = {}) => text(language, `report.${key}`, values);
  const f = formatsOf(link);
  const { delivered, bounced, reactions, links, sentAt } = report;
  if (!sentAt) return html`<p>${text(language, 'archives.none')}</p>`;
  const figure = (name: string, count: number, of?: number) =>
    html`<div><dt>${t(name)}</dt><dd>${f.number(count)}${of !== undefined && html` <span class="soft">${f.share(count, of)}</span>`}</dd></div>`;
  const few = t('fewer', { count: fewest.people });
  const people = (count: number) => (count === 0 || count >= fewest.people ? f.number(count) : few);
  return html`<p class="soft">${t('sent', { day: f.day(sentAt) })}${report.sending && html` · ${t('sending')}`}</p>
<dl class="totals">${figure('delivered', delivered, delivered + bounced)}${
    reactions &&
    html`${figure('opened', reactions.opened, delivered)}${figure('clicked', reactions.clicked, delivered)}${figure('unsubscribed', reactions.unsubscribed, delivered)}`
  }${figure('bounced', bounced, delivered + bounced)}${reactions && figure('complaints', reactions.complaints, delivered)}</dl>
${!reactions && html`<p>${t('few', { count: fewest.messages })}</p>\n`}${
  links.length > 0 &&
  html`<h2>${t('links')}</h2>
<table class="figures"><thead><tr><th scope="col">${t('link')}</th><th scope="col">${t('people')}</th></tr></thead><tbody>${links.map(
    ({ shown, people: count }) => html`<tr><th scope="row">${shown}</th><td>${people(count)}</td></tr>`,
  )}</tbody></table>\n`
}<p class="no-print"><a href="${report.webUrl}">${t('web')}</a></p>
${about(link)}`;
}

/** What the figures are, and until when they are here. */
function about(link: FoundLink): Html {
  const language = languageFor(link.language);
  return html`<p class="soft">${text(language, 'report.about')}</p>
<p class="soft no-print">${text(language, 'report.until', { day: formatsOf(link).day(link.expiresAt) })}</p>`;
}

function formatsOf({ language: wanted, timeZone }: FoundLink) {
  const language = languageFor(wanted);
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone });
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  return {
    day: (at: Date | null) => (at ? day.format(at) : ''),
    number: (count: number) => number.format(count),
    share: (part: number, whole: number) => (whole === 0 ? '–' : percent.format(part / whole)),
  };
}
