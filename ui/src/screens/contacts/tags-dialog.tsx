// The tags of a contact: added and removed as words, with those of other contacts as suggestions.
import { Button, Group, Modal, Stack, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Contact } from './contact.ts';

export default function TagsDialog({ contact, onClose }: { contact: Contact; onClose(): void }) {
  const t = useText('contacts');
  const [tags, setTags] = useState(contact.tags);
  const known = useMethod('contactTags', {}).data ?? [];
  const change = useMutate('contactTagsUpdate', ['contact', 'segment']);
  const { email } = contact;
  const save = () =>
    change.mutate(
      {
        emails: [email],
        add: tags.filter((tag) => !contact.tags.includes(tag)),
        remove: contact.tags.filter((tag) => !tags.includes(tag)),
      },
      {
        onSuccess: () => {
          toast.done(t('tagsSaved', { email }));
          onClose();
        },
        onError: toast.failed,
      },
    );
  return (
    <Modal opened onClose={onClose} title={t('tagsEdit')} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="md">
        <TagsInput
          label={t('tags')}
          description={t('tagsHint')}
          data={known.map(({ tag }) => tag)}
          maxTags={50}
          maxLength={50}
          acceptValueOnBlur
          value={tags}
          onChange={(given) => setTags([...new Set(given.map((tag) => tag.trim().toLowerCase()))])}
          data-autofocus
        />
        <Group>
          <Button loading={change.isPending} onClick={save}>
            {t('save')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
