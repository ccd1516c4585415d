// The preference page as HTML: one form that is saved as a whole, and the button that leaves everything.
import type { FastifyReply } from 'fastify';
import { Html, html } from '../base/html.ts';
import { languages } from '../locales/languages.ts';
import { text } from '../locales/text.ts';
import { show } from './page/answers.ts';
import type { Given, Profile } from './profile.ts';
import { fieldRow, shownFields } from './profile-fields.ts';
import { type Box, boxesOf, hasLeft, isBoxOn, mayJoin, ticksOf } from './reader-lists.ts';

/** The hidden fields of the forms. */
export const formName = 'preferences';
export const leaveForm = 'leave-everything';

export const pauseWeeks = [1, 2, 4, 8, 12];

/** Which format the page shows. */
export const formatOf = ({ entries }: Profile) => entries[0]?.subscription.emailType ?? 'html';

/** @param typed what was sent, if it could not be saved */
export function showProfile(reply: FastifyReply, status: number, profile: Profile, message: string, typed: Given = {}) {
  const { email, language, entries } = profile;
  const boxes = boxesOf(entries, profile);
  const fields = shownFields(entries);
  const format = typed.email_type ?? formatOf(profile);
  return show(reply, {
    status,
    language,
    title: text(language, 'profile.title'),
    sender: profile.sender,
    body: html`<p>${fields.length === 0 ? email : text(language, 'profile.intro', { email })}</p>${message ? html`<p role="status" class="${status === 200 ? 'fine' : 'problem'}">${message}</p>` : ''}
<form method="post" novalidate><input type="hidden" name="form" value="${formName}"><input type="hidden" name="was.lists" value="${ticksOf(boxes)}"><input type="hidden" name="was.email_type" value="${formatOf(profile)}"><input type="hidden" name="was.LANGUAGE" value="${language}">
${[...Map.groupBy(boxes, ({ group }) => group)].map(([group, ofGroup], i) => boxesHtml(profile, typed, group, ofGroup, i === 0))}
${fields.length === 0 ? '' : html`<h2>${text(language, 'profile.about')}</h2>`}
${fields.map((shown) => fieldRow(shown, language, typed[shown.name]))}
<label>${text(language, 'profile.format')}<select name="email_type">
<option value="html"${new Html(format === 'html' ? ' selected' : '')}>${text(language, 'profile.format-html')}</option>
<option value="text"${new Html(format === 'text' ? ' selected' : '')}>${text(language, 'profile.format-text')}</option></select></label>
<label>${text(language, 'profile.language')}<select name="LANGUAGE">
${languages.map((code) => html`<option value="${code}" lang="${code}"${new Html(code === language ? ' selected' : '')}>${new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code}</option>`)}</select></label>
<label>${text(language, 'profile.pause')}<select name="PAUSE">${pauseChoices(profile)}</select></label>
<label class="pick"><input type="checkbox" name="UNTRACKED"${new Html(profile.tracked ? '' : ' checked')}> ${text(language, 'profile.untracked')}</label>
<button>${text(language, 'profile.button')}</button></form>
${profile.mayRejoin ? html`<p class="after"><a href="?change=address">${text(language, 'address.title')}</a></p>` : ''}
${boxes.some(isBoxOn) ? leaveSection(profile) : ''}`,
  });
}

/** The boxes of a group under its name; the first ones without a name are under the question. */
function boxesHtml(profile: Profile, typed: Given, group: string, boxes: readonly Box[], isFirst: boolean): Html {
  const question = text(profile.language, 'form.lists');
  return html`${isFirst && group !== '' ? html`<h2>${question}</h2>` : ''}<fieldset><legend>${group === '' ? question : group}</legend>
${boxes.map((box) => boxHtml(profile, typed, box))}</fieldset>
`;
}

function boxHtml(profile: Profile, typed: Given, box: Box): Html {
  const { name, title, description } = box;
  const mayTick = mayJoin(box, profile.mayRejoin);
  const isTicked = isBoxOn(box) || (mayTick && typed[name] !== undefined);
  const state = isTicked ? ' checked' : isBoxOn(box) || mayTick ? '' : ' disabled';
  const about = description === '' ? '' : html`<br><span class="soft">${description}</span>`;
  return html`<label class="pick"><input type="checkbox" name="${name}"${new Html(state)}> <span>${title}${about}</span></label>${leftNote(profile, box)}
`;
}

/** That the contact has left a list; where its box cannot be ticked, with a link to the form that subscribes again. */
function leftNote({ language, mayRejoin, ways }: Profile, box: Box): Html | '' {
  const left = box.entries.find(hasLeft);
  if (!left || isBoxOn(box)) return '';
  const way = mayRejoin ? undefined : ways.get(left.subscription.listId);
  return html`<p class="soft">${text(language, 'unsubscribe.done-title')}.${way ? html` <a href="${way.href}">${way.title}</a>` : ''}</p>`;
}

/** A form of its own, so that leaving does not depend on anything that was typed. */
const leaveSection = ({ language }: Profile): Html => html`<h2>${text(language, 'profile.leave')}</h2>
<form method="post"><input type="hidden" name="form" value="${leaveForm}"><p>${text(language, 'profile.leave-about')}</p><button class="quiet">${text(language, 'profile.leave')}</button></form>`;

function pauseChoices({ language, pausedUntil }: Profile): Html {
  const weeks = new Intl.NumberFormat(language, { style: 'unit', unit: 'week', unitDisplay: 'long' });
  const date =
    pausedUntil && new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(pausedUntil);
  return html`<option value="">${date ? text(language, 'profile.pause-until', { date }) : text(language, 'profile.pause-none')}</option>
${date ? html`<option value="end">${text(language, 'profile.pause-end')}</option>` : ''}${pauseWeeks.map((count) => html`<option value="${count}">${weeks.format(count)}</option>`)}`;
}
