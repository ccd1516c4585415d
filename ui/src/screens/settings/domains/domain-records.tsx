// The DNS records of a sender domain with what the last check found, and checking again at intervals while they are shown.
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useMutate } from '../../../api/use-method.ts';
import { Copy } from '../../../parts/copy.tsx';
import { saveFile } from '../../../parts/files/save-file.ts';
import { Section } from '../../../parts/page.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { SenderDomain } from './domains-screen.tsx';
import { checkOf, RecordTable } from './record-table.tsx';
import { zoneFileOf } from './zone-file.ts';

/** How often a domain that is not active is rechecked while it is shown, milliseconds. */
const lookEveryMs = 20_000;
const firstLookMs = 1_000;

export function DomainRecords({ domain }: { domain: SenderDomain }) {
  const t = useText('settings');
  const records = domain.records
    .filter(({ purpose }) => purpose !== 'tracking')
    .toSorted((a, b) => Number(b.required) - Number(a.required));
  const zone = zoneFileOf(domain.domain, domain.records);
  return (
    <Section
      title={t('dnsRecords')}
      description={t('dnsRecordsAbout')}
      actions={
        <>
          <Copy value={zone} label={t('zoneCopy')} wide />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(`${domain.domain}.zone`, zone, 'text/dns;charset=utf-8')}
          >
            {t('zoneFile')}
          </Button>
        </>
      }
    >
      <RecordTable
        label={t('dnsRecords')}
        domain={domain.domain}
        rows={records.map((record) => ({
          ...record,
          purpose: t.of('purpose', record.purpose),
          tag: t(record.required ? 'required' : 'recommended'),
          check: checkOf(record, domain.checks),
        }))}
      />
    </Section>
  );
}

/** Checks a domain: at intervals until it is active, and at once by `now`. */
export function useDomainCheck(domain: SenderDomain) {
  const { may } = useSession();
  const { mutate, isPending } = useMutate('senderDomainCheck', ['setup', 'home']);
  const { domain: name } = domain;
  const repeats = domain.status !== 'active' && may('campaigns:write');
  useEffect(() => {
    if (!repeats) return;
    const look = () => {
      if (document.visibilityState === 'visible') mutate({ domain: name });
    };
    // The last look may be hours ago.
    const first = setTimeout(look, firstLookMs);
    const timer = setInterval(look, lookEveryMs);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [repeats, name, mutate]);
  return { repeats, checking: isPending, now: () => mutate({ domain: name }, { onError: toast.failed }) };
}
