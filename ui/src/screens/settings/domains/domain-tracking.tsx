// The tracking host of a sender domain: the host of the links in its campaigns, and the record to publish for it.
import { Group, TextInput } from '@mantine/core';
import { useMutate } from '../../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { Section } from '../../../parts/page.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import type { SenderDomain } from './domains-screen.tsx';
import { checkOf, RecordTable } from './record-table.tsx';

export function TrackingHost({ domain }: { domain: SenderDomain }) {
  const t = useText('settings');
  const { may } = useSession();
  const record = domain.records.find(({ purpose }) => purpose === 'tracking');
  if (!record && !may('sending:write')) return null;
  return (
    <Section title={t('trackingHost')} description={t(domain.tracking_ready ? 'trackingUsed' : 'trackingAbout')}>
      {may('sending:write') && <HostForm domain={domain} />}
      {record && (
        <RecordTable
          label={t('trackingHost')}
          domain={domain.domain}
          rows={[{ ...record, purpose: t.of('purpose', record.purpose), check: checkOf(record, domain.checks) }]}
        />
      )}
    </Section>
  );
}

/** Saves the host and checks its record at once. An empty field removes the host. */
function HostForm({ domain }: { domain: SenderDomain }) {
  const t = useText('settings');
  const save = useMutate('senderDomainTrackingUpdate');
  const check = useMutate('senderDomainCheck');
  const form = useMethodForm({
    initialValues: { host: domain.tracking_host },
    send: ({ host }) => save.mutateAsync({ domain: domain.domain, host: host.trim() }),
    done: ({ tracking_host }) => {
      toast.done(t(tracking_host === '' ? 'trackingRemoved' : 'trackingSaved'));
      if (tracking_host !== '') check.mutate({ domain: domain.domain });
    },
  });
  return (
    <MethodForm form={form}>
      <Group align="flex-start" gap="sm">
        <TextInput
          label={t('trackingHostField')}
          description={t('trackingHostHint')}
          placeholder={`click.${domain.domain}`}
          autoCapitalize="none"
          spellCheck={false}
          flex="1 1 320px"
          {...form.getInputProps('host')}
        />
        <Submit form={form} variant="default" mt={25} disabled={!form.isDirty()}>
          {t('save')}
        </Submit>
      </Group>
    </MethodForm>
  );
}
