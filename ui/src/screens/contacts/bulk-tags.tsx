// Tags for several contacts: those chosen in the table, or all that match its filters.
import { Button, Group, Modal, Radio, Stack, TagsInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { ParamsOf } from '../../api/types.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { toast } from '../../parts/toast/toast.tsx';
import { useAction } from '../../parts/use-action.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

/** What narrows the table, and how many contacts match. */
export type Matching = {
  narrowing: Pick<ParamsOf<'contactTagsUpdateMatching'>, 'query' | 'status' | 'match' | 'filter'>;
  count: number | undefined;
};

type Props = { emails: readonly string[]; matching: Matching; onDone(): void; onClose(): void };

export default function BulkTags({ emails, matching, onDone, onClose }: Props) {
  const t = useText('contacts');
  const { number } = useFormats();
  const client = useQueryClient();
  const known = (useMethod('contactTags', {}).data ?? []).map(({ tag }) => tag);
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const [which, setWhich] = useState('chosen');
  const { busy, run } = useAction();
  const count = matching.count ?? 0;
  const { mayAll } = useSession();
  const save = async () => {
    await run(async () => {
      const changed = which === 'chosen' ? await ofChosen() : await ofMatching();
      toast.done(t('tagsChanged', { count: changed, number: number(changed) }));
      onDone();
    });
    await invalidate(client, ['contact', 'segment']);
  };
  const ofChosen = () => call('contactTagsUpdate', { emails: [...emails], add, remove });
  const ofMatching = async () => {
    for (let changed = 0; ; ) {
      const part = await call('contactTagsUpdateMatching', { ...matching.narrowing, add, remove });
      changed += part.changed;
      if (!part.more) return changed;
    }
  };
  const input = (label: string, value: string[], set: (tags: string[]) => void) => (
    <TagsInput
      label={label}
      data={known}
      maxTags={50}
      maxLength={50}
      acceptValueOnBlur
      value={value}
      onChange={(given) => set([...new Set(given.map((tag) => tag.trim().toLowerCase()))])}
    />
  );
  return (
    <Modal opened onClose={onClose} title={t('tagsEdit')} closeButtonProps={{ 'aria-label': t('close') }}>
      <Stack gap="md">
        {count > emails.length && mayAll('contacts:write') && (
          <Radio.Group label={t('tagsOf')} value={which} onChange={setWhich}>
            <Stack gap="xs" mt={4}>
              <Radio
                value="chosen"
                label={t('tagsOfChosen', { count: emails.length, number: number(emails.length) })}
              />
              <Radio value="matching" label={t('tagsOfMatching', { count, number: number(count) })} />
            </Stack>
          </Radio.Group>
        )}
        {input(t('tagsAdd'), add, setAdd)}
        {input(t('tagsRemove'), remove, setRemove)}
        <Group>
          <Button loading={busy} disabled={add.length + remove.length === 0} onClick={save}>
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
