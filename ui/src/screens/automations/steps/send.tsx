// Sends an email. It is chosen and shown in the panel at the side (../email), not in the card.
import { IconMail } from '@tabler/icons-react';
import type { StepKind } from './kind.ts';

export const send: StepKind<'send'> = {
  icon: IconMail,
  blank: { campaign: '' },
  words: (t, { campaign }, { names }) => names[campaign] ?? t('says.noEmail'),
  Fields: () => null,
};
