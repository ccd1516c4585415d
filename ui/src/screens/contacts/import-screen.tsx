// Imports contacts: into which list, then the file. The next steps are those of the import of a list.

import { Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { Select } from '../../parts/form/select.tsx';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Steps } from '../../parts/steps/steps.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { keepFormOff } from '../forms/keep-form-off.ts';
import { steps } from '../lists/import/import-states.ts';
import { NewImport } from '../lists/import/new-import.tsx';

const newList = 'new';

export function ImportContactsScreen() {
  const t = useText('contacts');
  const inLists = useText('lists');
  const lists = useMethod('lists', { limit: 1000 });
  const { may, mayAll } = useSession();
  const mayWrite = may('contacts:write');
  return (
    <Page>
      <PageHeader
        title={t('import')}
        description={t('importAbout')}
        back={{ to: '/contacts', label: t('title') }}
        actions={
          mayAll('contacts:write') && (
            <LinkButton variant="default" to="/contacts/move">
              {t('moveIn')}
            </LinkButton>
          )
        }
      />
      <Steps
        label={inLists('steps')}
        steps={steps.map((name) => ({ name, title: inLists(`step.${name}`) }))}
        now="file"
      />
      {mayWrite && <Loaded query={lists}>{(all) => <Begin lists={all} />}</Loaded>}
    </Page>
  );
}

function Begin({ lists }: { lists: readonly { id: string; name: string }[] }) {
  const t = useText('contacts');
  const client = useQueryClient();
  const { mayAll } = useSession();
  const [list, setList] = useState(lists[0]?.id ?? newList);
  const [name, setName] = useState('');
  const [nameless, setNameless] = useState(false);
  const needList = async (file: string) => {
    if (list !== newList) return list;
    if (name.trim() === '') {
      // Readers see it, so that of the file is a proposal only.
      setName(file.replace(/(\.[a-z]{2,4}){1,2}$/i, '').slice(0, 200));
      setNameless(true);
      return undefined;
    }
    const id = await call('listCreate', { title: name.trim() });
    await keepFormOff(id);
    // A second attempt goes to the same list.
    setList(id);
    await invalidate(client, ['list']);
    return id;
  };
  return (
    <Stack gap="lg" maw={720}>
      {lists.length > 0 && (
        <Select
          label={t('importInto')}
          data={[
            ...lists.map(({ id, name: title }) => ({ value: id, label: title })),
            ...(mayAll('contacts:write') ? [{ value: newList, label: t('newList') }] : []),
          ]}
          allowDeselect={false}
          searchable={lists.length > 10}
          value={list}
          onChange={(id) => setList(id ?? newList)}
        />
      )}
      {list === newList && (
        <TextInput
          label={t('newListName')}
          description={t('newListHint')}
          required
          maxLength={200}
          value={name}
          error={nameless && name.trim() === '' ? t('newListMissing') : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      )}
      <NewImport needList={needList} />
    </Stack>
  );
}
