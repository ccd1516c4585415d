// The settings of a sign-up form as listFormUpdate and listFormPreview take them.
import { arrayOf, boolean, id, integer, oneOf, struct, text } from '../../method/params.ts';
import { maxFurtherLists } from './chosen-lists.ts';
import { maxReminderDays } from './reminders.ts';
import { maxTextLength } from './texts.ts';

export const formOptions = struct(
  'What to change.',
  {
    enabled: boolean('Whether the form can be opened and submitted.').optional(),
    fields: arrayOf(
      'Tags of the fields shown; when empty, all public fields. Required fields are always shown.',
      text('A tag.', 100),
      60,
    ).optional(),
    hidden_fields: arrayOf(
      'Tags of fields that are not public and take a value from a hidden input or from the address of the form, such as SOURCE. Visitors can change it, as they can any value of a form.',
      text('A tag.', 100),
      60,
    ).optional(),
    title: text('Title.', maxTextLength.line).optional(),
    intro: text('Introduction above the form.', maxTextLength.plain).optional(),
    consent: text('What a visitor agrees to; stored as evidence with every sign-up.', maxTextLength.plain).optional(),
    ask_consent: boolean('Whether a visitor must agree to the consent text.').optional(),
    button: text('Label of the button.', maxTextLength.line).optional(),
    thanks: text('Shown after the form was sent.', maxTextLength.plain).optional(),
    redirect_url: text('Your own page (https) shown instead of the thanks; empty for none.', 1_000).optional(),
    origins: arrayOf(
      'Origins such as https://www.example.com whose pages may send the form inline (inline_html); elsewhere visitors are led to the hosted form.',
      text('An origin.', 300),
      50,
    ).optional(),
    send_welcome: boolean('Whether a contact gets a welcome message after confirming.').optional(),
    send_goodbye: boolean(
      'Whether a contact gets a goodbye message after unsubscribing on a page or in a mail program.',
    ).optional(),
    remind_after_days: integer(
      'Days after a sign-up until a contact that has not confirmed is asked once more; 0 for never. Imported contacts are not reminded.',
      0,
      maxReminderDays,
    ).optional(),
    further_lists: arrayOf(
      'Lists that the form signs up to besides its own. One confirmation covers all; a list gets the values of the fields that it has.',
      id('A list.'),
      maxFurtherLists,
    ).optional(),
    list_choice: oneOf('choose: visitors choose among the lists with check boxes; all: they sign up to all of them.', [
      'choose',
      'all',
    ]).optional(),
    check_domain: boolean(
      'Whether a domain that cannot receive email (no MX, A or AAAA record) is refused, so that the visitor can correct it. A name server that fails refuses no one.',
    ).optional(),
    picture_url: text('URL of a stored image on the hosted page (assetCreate); empty for none.', 1_000).optional(),
    picture_alt: text('Alternative text of the image.', 500).optional(),
    texts: arrayOf(
      'Texts in one language, as listTextUpdate takes them.',
      struct(
        'A text.',
        {
          name: text('Name of the text.', 100),
          value: text('The text; empty for the default.', maxTextLength.html),
          language: text(
            'Its language, as a code such as de. Default: every language that has no text of its own.',
            20,
          ).default(''),
        },
        { fault: 'LIST_OPTION_INVALID' },
      ),
      200,
    ).optional(),
    about: text('Text of the hosted page beside the form: paragraphs, with links.', maxTextLength.plain).optional(),
  },
  { fault: 'LIST_OPTION_INVALID' },
);
