// The texts that the emails of automation templates begin with.
import { defineMessages } from '../define.ts';

export const automationTemplates = defineMessages({
  'automation.template.welcome.subject': { en: 'Welcome', de: 'Willkommen' },
  'automation.template.welcome.body': {
    en: 'Thank you for signing up. Here is what you can expect from us.',
    de: 'Danke für Ihre Anmeldung. Das können Sie von uns erwarten.',
  },
  'automation.template.welcome.second_subject': { en: 'Three things to start with', de: 'Drei Dinge für den Anfang' },
  'automation.template.welcome.second_body': {
    en: 'Here are three things that our readers like best.',
    de: 'Hier sind drei Dinge, die unsere Leser am liebsten mögen.',
  },
  'automation.template.reengagement.subject': {
    en: 'Do you still want to hear from us?',
    de: 'Möchten Sie noch von uns hören?',
  },
  'automation.template.reengagement.body': {
    en: 'We have not heard from you for some time. Click below if you want to stay.',
    de: 'Wir haben länger nichts von Ihnen gehört. Klicken Sie unten, wenn Sie bleiben möchten.',
  },
  'automation.template.reengagement.notice': {
    en: 'These contacts did not react',
    de: 'Diese Kontakte haben nicht reagiert',
  },
  'automation.template.reengagement.notice_text': {
    en: 'They got the email of the automation and opened nothing within two weeks.',
    de: 'Sie haben die E-Mail der Automation bekommen und zwei Wochen lang nichts geöffnet.',
  },
  'automation.template.anniversary.subject': { en: 'Happy anniversary', de: 'Alles Gute zum Jahrestag' },
  'automation.template.anniversary.body': {
    en: 'Today is a special day. We wish you all the best.',
    de: 'Heute ist ein besonderer Tag. Wir wünschen Ihnen alles Gute.',
  },
  'automation.template.cart.subject': { en: 'You left something behind', de: 'Sie haben etwas liegen gelassen' },
  'automation.template.cart.body': {
    en: 'Your cart is still waiting for you.',
    de: 'Ihr Warenkorb wartet noch auf Sie.',
  },
  'automation.template.cart.second_subject': { en: 'Your cart expires soon', de: 'Ihr Warenkorb läuft bald ab' },
  'automation.template.cart.second_body': {
    en: 'We keep what you chose for one more day.',
    de: 'Wir heben Ihre Auswahl noch einen Tag auf.',
  },
});
