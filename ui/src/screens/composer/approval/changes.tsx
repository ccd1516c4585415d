// What differs from the version that was answered last: options side by side, texts line by line. Colour is never the only signal.
import { Text, VisuallyHidden } from '@mantine/core';
import { Time } from '../../../parts/time.tsx';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from './approval.module.css';
import type { Approval } from './use-approval.ts';

type Change = Approval['changes'][number];

export function Changes({ approval: { changes, compared_at } }: { approval: Approval }) {
  const t = useText('approval');
  return (
    <>
      <Text c="dimmed" mb="sm">
        {t('comparedWith')} <Time at={compared_at} />
      </Text>
      <ul className={classes.changes}>
        {changes.map((change) => (
          <li key={`${change.of} ${change.member}`}>
            <ChangeLines change={change} />
          </li>
        ))}
      </ul>
    </>
  );
}

function ChangeLines({ change: { member, of, before, after, lines } }: { change: Change }) {
  const t = useText('approval');
  const languageName = useLanguageNames();
  const version = of === '' ? '' : /^[A-E]$/.test(of) ? t('variant', { name: of }) : languageName(of);
  return (
    <>
      <Text fw={600} mb={4}>
        {[version, t.of('member', member)].filter(Boolean).join(' · ')}
      </Text>
      {lines.length === 0 ? (
        <div className={classes.lines}>
          {before !== '' && <Line kind="removed" text={before} />}
          {after !== '' && <Line kind="added" text={after} />}
        </div>
      ) : (
        <div className={classes.lines}>
          {lines.map((line, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines may be equal, and never move
            <Line key={n} {...line} />
          ))}
        </div>
      )}
    </>
  );
}

const signs = { same: '', removed: '−', added: '+', gap: '' } as const;

function Line({ kind, text }: Change['lines'][number]) {
  const t = useText('approval');
  return (
    <div className={classes.line} data-kind={kind}>
      <span aria-hidden>{signs[kind]}</span>
      <span>
        {(kind === 'removed' || kind === 'added') && <VisuallyHidden>{t(kind)} </VisuallyHidden>}
        {kind === 'gap' ? '…' : text}
      </span>
    </div>
  );
}
