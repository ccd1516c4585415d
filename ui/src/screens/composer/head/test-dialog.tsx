// Sends a test email of the draft to a few addresses.
import { Button, Group, Modal, Stack, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { VariantChoice } from '../ab-test/variant-choice.tsx';
import { useDraft } from '../draft.tsx';

type Props = { opened: boolean; onClose(): void };

export function TestDialog({ opened, onClose }: Props) {
  const t = useText('composer');
  return (
    <Modal opened={opened} onClose={onClose} title={t('test')} closeButtonProps={{ 'aria-label': t('close') }}>
      {opened && <TestEmail onSent={onClose} />}
    </Modal>
  );
}

function TestEmail({ onSent }: { onSent(): void }) {
  const t = useText('composer');
  const { user } = useSession();
  const { cid, flush } = useDraft();
  const faultText = useFaultText();
  const [addresses, setAddresses] = useState<string[]>(user.email ? [user.email] : []);
  const [variant, setVariant] = useState(0);
  const { busy, run } = useAction((error) => setFault(faultText(error)));
  const [fault, setFault] = useState<string>();
  const send = async () => {
    setFault(undefined);
    await run(async () => {
      if (!(await flush())) return setFault(t('unsavedStops'));
      await call('campaignSendTest', { cid, variant, test_emails: addresses });
      toast.done(t('testSent', { count: addresses.length }));
      onSent();
    });
  };
  return (
    <Stack gap="md">
      <TagsInput
        label={t('testTo')}
        description={t('testHint')}
        value={addresses}
        onChange={setAddresses}
        splitChars={[',', ' ', ';']}
        acceptValueOnBlur
        error={fault}
        data-autofocus
      />
      <VariantChoice value={variant} onChange={setVariant} />
      <Group justify="flex-end">
        <Button loading={busy} disabled={addresses.length === 0} onClick={send}>
          {t('testDo')}
        </Button>
      </Group>
    </Stack>
  );
}
