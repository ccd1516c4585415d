// The message as one contact would receive it: subject, HTML or plain text, on desktop or phone, light or dark.
import { Box, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { Lines } from '../../../parts/loaded.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { VariantChoice } from '../ab-test/variant-choice.tsx';
import { useDraft } from '../draft.tsx';
import { MailFrame, textPage } from './mail-frame.tsx';
import { usePreviewControls } from './preview-controls.tsx';

type Props = { opened: boolean; onClose(): void };

export function PreviewPanel({ opened, onClose }: Props) {
  const t = useText('composer');
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('preview')}
      size={1040}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {opened && <Preview />}
    </Modal>
  );
}

function Preview() {
  const t = useText('composer');
  const faultText = useFaultText();
  const { cid, type } = useDraft();
  const [email, setEmail] = useState('');
  const [contact] = useDebouncedValue(email.trim(), 400);
  const [variant, setVariant] = useState(0);
  const [part, setPart] = useState(type === 'plain text' ? 'plain' : 'html');
  const { look, switches } = usePreviewControls();
  const { data, error } = useMethod(
    'campaignPreview',
    { cid, variant, ...(contact ? { email: contact } : {}) },
    { keep: true },
  );
  const mayReadContacts = useSession().may('contacts:read');
  return (
    <Stack gap="md">
      <Group align="flex-end" gap="md">
        {mayReadContacts && (
          <TextInput
            label={t('previewAs')}
            type="email"
            placeholder={data?.contact || t('previewNobody')}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={error ? faultText(error).replace(/^email:\s*/, '') : undefined}
            flex="1 1 220px"
            data-autofocus
          />
        )}
        <VariantChoice value={variant} onChange={setVariant} />
        {type !== 'plain text' && (
          <SegmentedControl
            aria-label={t('previewPart')}
            data={[
              { value: 'html', label: t('partHtml') },
              { value: 'plain', label: t('partPlain') },
            ]}
            value={part}
            onChange={setPart}
          />
        )}
        {switches}
      </Group>
      {data ? (
        <>
          <Box>
            <Text fw={600} size="md">
              {data.subject}
            </Text>
            <Text c="dimmed">
              {data.from_name} &lt;{data.from_email}&gt;
              {data.contact && ` → ${data.to_name ? `${data.to_name} ` : ''}<${data.contact}>`}
            </Text>
          </Box>
          <MailFrame
            html={part === 'html' && data.html !== '' ? data.html : textPage(data.plain)}
            title={t('previewFrame')}
            {...look}
            height="60vh"
          />
        </>
      ) : (
        <Lines />
      )}
    </Stack>
  );
}
