// Checks of records that a domain may do without: its logo (BIMI), and the encryption of returned mail (MTA-STS, TLS-RPT).
// A record that is not there is no fault.
import { Section } from '../../../parts/page.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { SenderDomain } from './domains-screen.tsx';
import { RecordTable } from './record-table.tsx';

/** The records of `checks` that belong to each section. */
export const logoChecks = ['bimi'];
export const returnChecks = ['mta_sts', 'mta_sts_policy', 'tls_rpt'];

type Props = { title: string; about: string; domain: SenderDomain; records: readonly string[] };

export function OptionalChecks({ title, about, domain, records }: Props) {
  const t = useText('settings');
  const checks = domain.checks.filter(({ record }) => records.includes(record));
  if (checks.length === 0) return null;
  return (
    <Section title={title} description={about}>
      <RecordTable
        label={title}
        domain={domain.domain}
        rows={checks.map((check) => ({
          type: check.record === 'mta_sts_policy' ? t('recordFile') : 'TXT',
          purpose: t.of('optional', check.record),
          name: check.name,
          value: check.expected,
          note: '',
          check,
          optional: true,
        }))}
      />
    </Section>
  );
}
