// Chooses a list to add contacts to, and whether they confirm by email first.
import { Button, Group, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { Select } from '../../parts/form/select.tsx';
import { offeredLists } from '../../parts/labels/offered.ts';
import { useText } from '../../text/use-text.tsx';

type Props = {
  /** Lists that are not offered. */
  except?: readonly string[];
  onAdd(list: string, confirmFirst: boolean): Promise<void>;
};

export function AddToList({ except = [], onAdd }: Props) {
  const t = useText('contacts');
  const inLists = useText('lists');
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  const [list, setList] = useState('');
  const [consent, setConsent] = useState('ask');
  const [busy, setBusy] = useState(false);
  return (
    <Stack gap="md">
      <Select
        label={t('list')}
        data={offeredLists(lists.filter(({ id }) => !except.includes(id))).map(({ id, name }) => ({
          value: id,
          label: name,
        }))}
        searchable
        allowDeselect={false}
        value={list || null}
        onChange={(id) => setList(id ?? '')}
      />
      <Radio.Group label={inLists('consent')} value={consent} onChange={setConsent}>
        <Stack gap="sm" mt="sm">
          <Radio value="ask" label={inLists('consentAsk')} description={inLists('consentAskHint')} />
          <Radio value="has" label={inLists('consentHas')} description={inLists('consentHasHint')} />
        </Stack>
      </Radio.Group>
      <Group>
        <Button
          disabled={list === ''}
          loading={busy}
          onClick={async () => {
            setBusy(true);
            await onAdd(list, consent === 'ask');
          }}
        >
          {t('addToList')}
        </Button>
      </Group>
    </Stack>
  );
}
