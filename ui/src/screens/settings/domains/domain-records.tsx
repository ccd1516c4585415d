// The DNS records of a sender domain with what the last check found, and checking again at intervals while they are shown.
import { useEffect } from 'react';
import { useMutate } from '../../../api/use-method.ts';
import { Section } from '../../../parts/page.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { checkOf, OneRecord } from './domain-record.tsx';
import type { SenderDomain } from './domains-screen.tsx';

/** How often a domain that is not active is rechecked while it is shown, milliseconds. */
const lookEveryMs = 20_000;

export function DomainRecords({ domain }: { domain: SenderDomain }) {
  const t = useText('settings');
  const required = domain.records.filter((record) => record.required);
  const advised = domain.records.filter((record) => !record.required && record.purpose !== 'tracking');
  return (
    <>
      <Section title={t('recordsRequired')} description={t('recordsAbout')}>
        <Records records={required} domain={domain} />
      </Section>
      {advised.length > 0 && (
        <Section title={t('recordsRecommended')} description={t('recordsRecommendedAbout')}>
          <Records records={advised} domain={domain} />
        </Section>
      )}
    </>
  );
}

function Records({ records, domain }: { records: SenderDomain['records']; domain: SenderDomain }) {
  return (
    <div>
      {records.map((record) => (
        <OneRecord key={`${record.name} ${record.value}`} record={record} check={checkOf(record, domain.checks)} />
      ))}
    </div>
  );
}

/** Checks a domain: at intervals until it is active, and at once by `now`. */
export function useDomainCheck(domain: SenderDomain) {
  const { may } = useSession();
  const { mutate, isPending } = useMutate('senderDomainCheck', ['setup', 'home']);
  const { domain: name } = domain;
  const repeats = domain.status !== 'active' && may('write');
  useEffect(() => {
    if (!repeats) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') mutate({ domain: name });
    }, lookEveryMs);
    return () => clearInterval(timer);
  }, [repeats, name, mutate]);
  return { repeats, checking: isPending, now: () => mutate({ domain: name }, { onError: toast.failed }) };
}
