// How the account is doing, once something was sent or someone has subscribed: four figures with their change. Rates of what was
// just sent are "so far", and are not compared.
import type { ReactNode } from 'react';
import { useFormats } from '../../parts/formats.ts';
import { Change, Growing } from '../../parts/stat/change.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Summary } from './summary.ts';

export function Band({ summary }: { summary: Summary }) {
  const t = useText('home');
  const { number, percent, money } = useFormats();
  const { results, recent, conversions, growth, members } = summary;
  const month = growth.at(-1);
  const hasSent = results.length > 0 || recent.delivered > 0;
  if (!month || (members === 0 && !hasSent)) return null;
  const net = month.joined - month.left;
  const { before } = recent;
  const rate = (name: 'opened' | 'clicked', now: number, then: number) => {
    // Young campaigns would let the line fall, whatever they end at.
    const rated = results.filter(({ emails_sent, early }) => emails_sent > 0 && !early).toReversed();
    const of = name === 'opened' ? 'opens' : 'clicks';
    const note: ReactNode = recent.early ? (
      t('soFar')
    ) : (
      <>
        {t('inDays')} {before.delivered > 0 && <Change rate={now} usual={then} better="higher" than="before" />}
      </>
    );
    return (
      <Stat label={t(name)} value={percent(now)} note={note} course={rated.map((one) => one[of] / one.emails_sent)} />
    );
  };
  return (
    <Stats label={t('figures')}>
      {hasSent && (
        <>
          <Stat
            label={t('deliveredEmails')}
            value={number(recent.delivered)}
            note={
              <>
                {t('inDays')} <Growing now={recent.delivered} before={before.delivered} />
              </>
            }
            to={{ to: '/campaigns' }}
            course={results.map(({ emails_sent }) => emails_sent).toReversed()}
          />
          {recent.delivered > 0 && (
            <>
              {rate('opened', recent.open_rate, before.open_rate)}
              {rate('clicked', recent.click_rate, before.click_rate)}
            </>
          )}
        </>
      )}
      <Stat
        label={t('netGrowth')}
        value={`${net > 0 ? '+' : ''}${number(net)}`}
        note={t('netOf', { count: members })}
        to={{ to: '/lists' }}
        course={growth.map((one) => one.members)}
      />
      {conversions.people > 0 && (
        <Stat
          label={t('conversionValue')}
          value={conversions.values.map(({ value, currency }) => money(value, currency)).join(' · ')}
          note={t('convertedIn', { count: conversions.people })}
        />
      )}
    </Stats>
  );
}
