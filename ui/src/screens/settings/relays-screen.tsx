// The relays that send email: their state, a connection test, and, for the account of the operator, setting them up.
// Those of SMTP_URL and the built-in inbox are shown and cannot be changed.
import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconInbox, IconMailForward, IconPlus, IconServerOff } from '@tabler/icons-react';
import { type ComponentProps, Fragment, lazy, Suspense, useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Facts } from '../../parts/facts/facts.tsx';
import { LinkAnchor, LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { SettingsFrame } from './frame.tsx';
import type { Relay } from './relays/relay-card.tsx';
import { RelayList } from './relays/relay-list.tsx';
import { useRelayTest } from './relays/use-relay-test.ts';

const load = () => import('./relays/relay-dialog.tsx');
const RelayDialog = lazy(load);

export function RelaysScreen() {
  const t = useText('relays');
  const { operator } = useSession();
  const answer = useMethod('relays', {}, { refetchInterval: 5_000 });
  const [edited, setEdited] = useState<Relay | 'new'>();
  const test = useRelayTest();
  const add = operator && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')} onPointerEnter={load}>
      {t('relayAdd')}
    </Button>
  );
  return (
    <SettingsFrame section="relays" description={t('relaysAbout')} actions={add}>
      <Loaded query={answer}>
        {(relays) => (
          <Stack gap="xl">
            <NoRelay relays={relays} />
            <Groups relays={relays} test={test} onEdit={setEdited} />
            {operator && relays.some(({ built_in }) => !built_in) && <NoBounces />}
            {!operator && <Text c="dimmed">{t('relaysOperator')}</Text>}
            {operator && relays.some(({ built_in }) => !built_in) && <Rules />}
          </Stack>
        )}
      </Loaded>
      <Suspense>
        {edited && (
          <RelayDialog
            relay={edited === 'new' ? undefined : edited}
            onClose={() => setEdited(undefined)}
            onSaved={(id) => {
              setEdited(undefined);
              void test.run(id);
            }}
          />
        )}
      </Suspense>
    </SettingsFrame>
  );
}

const isLimited = ({ accounts, sender_domains }: Relay) => accounts.length + sender_domains.length > 0;

/** Those for all emails, and those that take only some; without the latter they are one list. */
function Groups({ relays, ...rest }: ComponentProps<typeof RelayList>) {
  const t = useText('relays');
  const limited = relays.filter(isLimited);
  if (limited.length === 0)
    return (
      <Stack>
        <RelayList relays={relays} {...rest} />
      </Stack>
    );
  const open = relays.filter((relay) => !isLimited(relay));
  return (
    <Stack gap="xl">
      <Section title={t('relaysForAll')} description={t(open.length > 0 ? 'relaysForAllAbout' : 'relaysForAllNone')}>
        {open.length > 0 && <RelayList relays={relays} shown={open} {...rest} />}
      </Section>
      <Section title={t('relaysForSome')} description={t('relaysForSomeAbout')}>
        <RelayList relays={relays} shown={limited} {...rest} />
      </Section>
    </Stack>
  );
}

/** Which relay an email takes, and where what it may be limited by is set. */
function Rules() {
  const t = useText('relays');
  return (
    <Section title={t('relayRules')}>
      <Facts
        label={t('relayRules')}
        facts={[
          [t('relayRuleAll'), t('relayRuleAllText')],
          [t('relayRuleSome'), t('relayRuleSomeText')],
          [t('relayRuleProvider'), t('relayRuleProviderText')],
          [
            t('relayRuleAccount'),
            <Fragment key="account">
              {t('relayRuleAccountText')}{' '}
              <LinkAnchor to="/settings/sending" underline="always">
                {t('section.sending')}
              </LinkAnchor>
              {' · '}
              <LinkAnchor to="/settings/accounts" underline="always">
                {t('relaySentByAccount')}
              </LinkAnchor>
            </Fragment>,
          ],
        ]}
      />
    </Section>
  );
}

/** Most bounces come back later, by another way than the answer of the relay. */
function NoBounces() {
  const t = useText('relays');
  const sources = useMethod('noticeSources');
  const mailboxes = useMethod('bounceMailboxes');
  if (!sources.data || !mailboxes.data || sources.data.length + mailboxes.data.length > 0) return null;
  return (
    <Alert variant="outline" icon={<IconMailForward aria-hidden />} title={t('relayBouncesTitle')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t('relayBouncesText')}</Text>
        <LinkButton to="/settings/returned" variant="default" size="xs">
          {t('relayBouncesAction')}
        </LinkButton>
      </Stack>
    </Alert>
  );
}

/** Where email goes without a relay: nowhere, or to the built-in inbox. */
function NoRelay({ relays }: { relays: readonly Relay[] }) {
  const t = useText('relays');
  const { operator } = useSession();
  const inbox = useMutate('relayUseInbox');
  if (relays[0]?.built_in)
    return (
      <Alert variant="outline" icon={<IconInbox aria-hidden />} title={t('relaysNoneTitle')}>
        <Text size="sm">{t('relaysNoneText')}</Text>
      </Alert>
    );
  if (relays.length > 0) return null;
  return (
    <Alert variant="outline" icon={<IconServerOff aria-hidden />} title={t('relaysNoneTitle')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t('relaysWaitText')}</Text>
        {operator && (
          <Button
            variant="default"
            size="xs"
            loading={inbox.isPending}
            onClick={() => inbox.mutate({}, { onError: toast.failed })}
          >
            {t('relaysUseInbox')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
