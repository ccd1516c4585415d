// The relays while a campaign is being sent: their state, and what they answered in the last 24 hours to all messages.
import { IconServer } from '@tabler/icons-react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { Empty } from '../../../parts/empty.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { LinkAnchor } from '../../../parts/link.tsx';
import { Lines } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { relayTones } from '../../settings/relays/tones.ts';

type Relay = ResultOf<'relays'>[number];

export function ByRelay() {
  const t = useText('report');
  const { number } = useFormats();
  const { may, operator } = useSession();
  const mayRead = may('sending:write');
  const answer = useMethod('relays', {}, { enabled: mayRead, refetchInterval: 10_000 });
  if (mayRead && answer.isPending) return <Lines />;
  if (!answer.data) return null;
  const nameOf = ({ name, host, port, built_in, id }: Relay) =>
    built_in ? t('inboxRelay') : name || (host === '' ? t('relayNumber', { number: id }) : `${host}:${port}`);
  const counts = ['accepted', 'deferred', 'refused'] as const;
  const columns: Column<Relay>[] = [
    {
      name: 'relay',
      title: t('relay'),
      cell: (relay) => (
        <LinkAnchor to="/settings/relays" c="inherit" fw={500}>
          {nameOf(relay)}
        </LinkAnchor>
      ),
    },
    {
      name: 'state',
      title: t('state'),
      width: '140px',
      cell: ({ state }) => <Status tone={relayTones[state] ?? 'still'}>{t.of('relayState', state)}</Status>,
    },
    {
      name: 'connections',
      title: t('connections'),
      figure: true,
      cell: ({ connections, max_connections }) => `${number(connections)} / ${number(max_connections)}`,
    },
    ...(operator
      ? counts.map((name) => ({
          name,
          title: t(`relay.${name}`),
          figure: true,
          cell: ({ last_day }: Relay) => number(last_day[name]),
        }))
      : []),
    { name: 'reason', title: t('said'), cell: ({ reason, last_answers: [last] }) => reason || last?.text || '–' },
  ];
  return (
    <Section title={t('byRelay')} description={t(operator ? 'byRelayAbout' : 'byRelayShared')}>
      <Rows
        label={t('byRelay')}
        columns={columns}
        rows={answer.data}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        empty={<Empty icon={IconServer} title={t('byRelay')} text={t('noRelays')} />}
      />
    </Section>
  );
}
