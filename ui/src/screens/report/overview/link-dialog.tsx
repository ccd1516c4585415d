// Corrects where a link leads, also in emails that were delivered.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutate } from '../../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';

type Props = { cid: string; link: { id: string; url: string }; onClose(): void };

export default function LinkDialog({ cid, link, onClose }: Props) {
  const t = useText('report');
  const update = useMutate('campaignLinkUpdate');
  const form = useMethodForm({
    initialValues: { url: link.url },
    send: ({ url }) => update.mutateAsync({ cid, link_id: link.id, url }),
    done: () => {
      toast.done(t('linkCorrected'));
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('linkCorrect')} closeButtonProps={{ 'aria-label': t('close') }}>
      <MethodForm form={form}>
        <Stack gap="md">
          <Text size="sm">{t('linkCorrectAbout')}</Text>
          <TextInput label={t('linkTarget')} data-autofocus {...form.getInputProps('url')} />
          <Group>
            <Submit form={form}>{t('linkCorrectDo')}</Submit>
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
          </Group>
        </Stack>
      </MethodForm>
    </Modal>
  );
}
