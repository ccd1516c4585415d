// The notices that automation templates begin with. The texts of their emails are in ../../*.json, in all languages of readers.
import { defineMessages } from '../define.ts';

export const automationTemplates = defineMessages({
  'automation.template.reengagement.notice': {
    en: 'These contacts did not react',
    de: 'Diese Kontakte haben nicht reagiert',
  },
  'automation.template.reengagement.notice_text': {
    en: 'They got the email of the automation and opened nothing within two weeks.',
    de: 'Sie haben die E-Mail der Automation bekommen und zwei Wochen lang nichts geöffnet.',
  },
});
