// What events with a value brought in after a click, with the rule: of a campaign, or of all emails of an automation. Each currency has
// a figure of its own. Nothing where no one bought.
import { Text } from '@mantine/core';
import type { ResultOf } from '../../api/types.ts';
import { useFormats } from '../../parts/formats.ts';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

type Figures = Pick<ResultOf<'campaignConversions'>[number], 'people' | 'values'>;

export function Conversions({ figures: { people, values }, together }: { figures: Figures; together?: boolean }) {
  const t = useText('report');
  const { account } = useSession();
  const { number, money } = useFormats();
  if (people === 0) return null;
  const days = Number(account.settings['conversion_days'] ?? 5);
  return (
    <>
      <Stats label={t('conversions')}>
        <Stat label={t('converted')} value={number(people)} />
        {values.map(({ currency, value }) => (
          <Stat
            key={currency}
            label={t('conversionValue')}
            value={money(value, currency)}
            note={currency === '' && values.length > 1 && t('noCurrency')}
          />
        ))}
      </Stats>
      <Text size="xs" c="dimmed">
        {t(together ? 'automationRule' : 'conversionRule', { count: days })}
      </Text>
    </>
  );
}
