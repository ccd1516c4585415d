// Setup: the sender domain with the DNS records to publish, checked until they are found.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { pastedDomain } from '../../parts/domain-name.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import { DomainRecords, useDomainCheck } from '../settings/domains/domain-records.tsx';
import { DomainStatus, type SenderDomain } from '../settings/domains/domains-screen.tsx';
import { StepFoot } from './step-foot.tsx';
import type { SetupInfo } from './steps.ts';

type Sender = ResultOf<'senders'>[number];

export function DomainStep({ info }: { info: SetupInfo }) {
  const senders = useMethod('senders');
  const domains = useMethod('senderDomains');
  return (
    <>
      <Loaded query={senders}>
        {([sender]) => (
          <Loaded query={domains}>
            {(all) => {
              const own = all.find(({ domain }) => domain === sender?.domain);
              return (
                <>
                  {!own && <AddDomain key={sender?.domain} sender={sender} others={all} />}
                  {own ? (
                    <OneDomain domain={own} />
                  ) : (
                    all.map((domain) => <OneDomain key={domain.domain} domain={domain} />)
                  )}
                </>
              );
            }}
          </Loaded>
        )}
      </Loaded>
      <StepFoot step="domain" info={info} waits={(domains.data?.length ?? 0) > 0} />
    </>
  );
}

function AddDomain({ sender, others }: { sender: Sender | undefined; others: readonly SenderDomain[] }) {
  const t = useText('setup');
  const add = useMutate('senderDomainCreate', ['sender', 'home']);
  const form = useMethodForm({
    initialValues: { domain: sender?.domain ?? '' },
    validate: { domain: (value) => (value.trim() ? null : t('required')) },
    send: ({ domain }) => add.mutateAsync({ domain: pastedDomain(domain) }),
  });
  return (
    <MethodForm form={form}>
      {sender && others.length > 0 && <Text>{t('domainOther', { email: sender.email, domain: sender.domain })}</Text>}
      {sender && others.length === 0 && sender.advice !== '' && <Text>{sender.advice}</Text>}
      <Group align="flex-start" gap="sm">
        <TextInput
          label={t('domainField')}
          description={t('domainHint')}
          placeholder="news.example.com"
          autoCapitalize="none"
          spellCheck={false}
          flex="1 1 280px"
          {...form.getInputProps('domain')}
        />
        <Submit form={form} mt={25}>
          {t('domainShow')}
        </Submit>
      </Group>
    </MethodForm>
  );
}

function OneDomain({ domain }: { domain: SenderDomain }) {
  const t = useText('setup');
  const check = useDomainCheck(domain);
  return (
    <Stack gap="xl">
      <Section
        title={domain.domain}
        description={
          <>
            {domain.status !== 'active' && `${t('domainWhere')} `}
            {domain.checked_at !== '' && `${t('domainChecked')}: `}
            <Time at={domain.checked_at} never={t('domainNotChecked')} />
            {check.repeats && `. ${t('domainRechecks')}.`}
          </>
        }
        actions={
          <Button
            variant={domain.status === 'active' ? 'default' : 'filled'}
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={check.checking}
            onClick={check.now}
          >
            {t('domainCheck')}
          </Button>
        }
      >
        <div role="status">
          <DomainStatus domain={domain} />
        </div>
      </Section>
      <DomainRecords domain={domain} />
    </Stack>
  );
}
