// The methods that set up the A/B test of a campaign. campaignTestGet is in tracking/reports, campaignTestChoose in delivery/winner.
import { z } from 'zod';
import { method } from '../../../method/method.ts';
import { arrayOf, id, integer, line, oneOf, params, struct, text } from '../../../method/params.ts';
import { maxHtml } from '../../content/limits.ts';
import { maxVariants, usualTest } from '../../model/division.ts';
import { maxLanguages, winners } from '../../model/variant.ts';
import { unsendable } from '../../release/sendable.ts';
import { known } from '../editors/edits.ts';
import { deleteLanguage, setLanguage } from './languages.ts';
import { removeTest, setTest } from './settings.ts';

const variant = struct(
  'What this variant has instead of the campaign. Members that are not given or empty are as in the campaign.',
  {
    subject: line('Another subject; may contain merge tags.', 1_000).optional(),
    preview_text: line('Another preview text: what an inbox shows after the subject.', 1_000).optional(),
    from_name: line('Another sender name.', 300).optional(),
    html: text('Another HTML; without plain, the plain text is made from it.', maxHtml).optional(),
    plain: text('Another plain text.', maxHtml).optional(),
  },
  { fault: 'CAMPAIGN_OPTION_INVALID', selfFault: 'CAMPAIGN_OPTION_INVALID' },
);

export const variantMethods = [
  method({
    name: 'campaignTestUpdate',
    group: 'campaigns',
    summary: `Sets the A/B test of a campaign: up to ${maxVariants} variants, their share of the recipients, and how the winner is found.`,
    description:
      'The campaign itself is variant 0; variants are the others, from 1. The test group (share percent of the recipients, chosen at random, at least one for each variant) is divided equally among the variants. wait_minutes after the last of them was sent to, the variant with the highest rate of people who clicked (or opened) goes to the other recipients, who wait until then; hits of machines never count. If there is no difference, variant 0 or the first of the equal ones wins. With winner manual, or before the time, campaignTestChoose decides. With share 100 no one waits. A call replaces the test that was set before. It works as long as campaignUpdate does. An autoresponder and a campaign with time_match or best_hour cannot have a test (CAMPAIGN_OPTION_INVALID). A campaign with fewer recipients than variants is paused at its launch with the reason.',
    params: params({
      cid: id('The campaign.'),
      share: integer('Percent of the recipients in the test, 1 to 100.', 1, 100).default(usualTest.share),
      winner: oneOf('What decides: clicks, opens or manual.', winners).default(usualTest.winner),
      wait_minutes: integer('How long opens and clicks are waited for, 5 to 20160.', 5, 20_160).default(
        usualTest.waitMinutes,
      ),
      variants: arrayOf(`The variants besides the campaign itself, 1 to ${maxVariants - 1}.`, variant, maxVariants - 1),
      ...known,
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'CAMPAIGN_CHANGED', 'TOO_LARGE', ...unsendable],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{campaign}}', share: 20, variants: [{ subject: 'Ten minutes for you' }] } },
    run: setTest,
  }),
  method({
    name: 'campaignTestDelete',
    group: 'campaigns',
    summary: 'Removes the A/B test of a campaign that has not been sent; it goes to all recipients as it is.',
    params: params({ cid: id('The campaign.'), ...known }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'CAMPAIGN_CHANGED', ...unsendable],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{campaign}}' } },
    run: removeTest,
  }),
  method({
    name: 'campaignLanguageUpdate',
    group: 'campaigns',
    summary: 'Sets the version of a campaign that contacts of a language get.',
    description: `A contact gets the version of its language (pt-br), else of its language without the region (pt), else the campaign itself. Languages are those of contacts (LANGUAGE); case does not matter. A version has its own subject and content; its plain text is made from the HTML when it is not given, and the footer is in its language. A call replaces the version that was set before, at most ${maxLanguages} versions per campaign. It works as long as campaignUpdate does. Autoresponders and emails of automations can have versions too: what a contact is sent for an occasion or a step stays in the language it had then. While they are running a version can be added, for those who come after it is published (campaignRevisionCreate). Not together with an A/B test (CAMPAIGN_OPTION_INVALID). campaignLanguages returns the versions and their results.`,
    params: params({
      cid: id('The campaign.'),
      language: line('The language: de, or with a region pt-br.', 20),
      subject: line('The subject; may contain merge tags.', 1_000),
      preview_text: line('The preview text: what an inbox shows after the subject.', 1_000).default(''),
      from_name: line("The sender name; default is the campaign's.", 300).default(''),
      html: text('The HTML. Not for a plain-text campaign.', maxHtml).default(''),
      plain: text('The plain text.', maxHtml).default(''),
      ...known,
    }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'CAMPAIGN_CHANGED', 'TOO_LARGE', ...unsendable],
    scope: 'write',
    narrowed: true,
    example: {
      params: {
        cid: '{{campaign}}',
        language: 'de',
        subject: 'Zehn Minuten für Sie',
        html: '<p>Hallo *|FNAME:Leser|*</p>',
      },
    },
    run: setLanguage,
  }),
  method({
    name: 'campaignLanguageDelete',
    group: 'campaigns',
    summary:
      'Removes the version for a language from a campaign that has not been sent, or from an autoresponder or email of an automation.',
    description:
      'Of one that is running, those who wait in this language still get it; those who come after campaignRevisionCreate get the campaign itself.',
    params: params({ cid: id('The campaign.'), language: line('The language.', 20), ...known }),
    returns: z.boolean(),
    faults: ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_STATE_CONFLICT', 'CAMPAIGN_CHANGED', ...unsendable],
    scope: 'write',
    narrowed: true,
    example: { params: { cid: '{{translated}}', language: 'de' } },
    run: deleteLanguage,
  }),
];
