// Sends a test event of a selected type and shows the response.
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { FaultNote } from '../../parts/fault.tsx';
import { Select } from '../../parts/form/select.tsx';
import { Modal } from '../../parts/modal.tsx';
import { Status } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import { bodyOf } from './example.tsx';
import type { Webhook } from './hook-status.tsx';

/** @param primary false while another action comes first, such as turning the webhook on */
export function TestEvent({ hook, primary = true }: { hook: Webhook; primary?: boolean }) {
  const t = useText('webhooks');
  const [opened, { open, close }] = useDisclosure(false);
  const [type, setType] = useState(hook.events.find((type) => !type.endsWith('*')) ?? 'contact.subscribe');
  const types = useMethod('eventTypes', {}, { enabled: opened }).data;
  const test = useMutate('webhookTest');
  const example = types?.find((eventType) => eventType.type === type)?.example;
  const result = test.data;
  return (
    <>
      <Button variant={primary ? 'filled' : 'default'} leftSection={<IconSend size={16} aria-hidden />} onClick={open}>
        {t('sendTest')}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t('sendTest')}
        size="lg"
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Stack>
          <Text>{t('testAbout')}</Text>
          <Select
            label={t('eventType')}
            data={types?.map((eventType) => eventType.type) ?? [type]}
            value={type}
            onChange={(chosen) => chosen && setType(chosen)}
            allowDeselect={false}
          />
          {example && (
            <Code block tabIndex={0} aria-label={t('example')} mah={220} style={{ overflow: 'auto' }}>
              {bodyOf({ type, example: testOf(example) }, hook.format)}
            </Code>
          )}
          {test.error && <FaultNote error={test.error} />}
          {result && (
            <Stack gap="xs" role="status">
              <Group gap="sm">
                <Status tone={result.delivered ? 'good' : 'bad'}>
                  {result.delivered ? t('testDelivered') : t('testFailed')}
                </Status>
                <Text size="sm" c="dimmed">
                  {result.status ? `HTTP ${result.status}` : result.reason} · {t('ms', { ms: result.ms })}
                </Text>
              </Group>
              {result.answer && (
                <Code block tabIndex={0} aria-label={t('response')} mah={160} style={{ overflow: 'auto' }}>
                  {result.answer}
                </Code>
              )}
            </Stack>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('close')}
            </Button>
            <Button loading={test.isPending} onClick={() => test.mutate({ wid: hook.id, type })}>
              {t('send')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** Marked as testPayload of src/webhooks/examples.ts does. */
function testOf({ id, ...data }: Record<string, unknown>): Record<string, unknown> {
  return { id, test: true, ...data };
}
