// The incoming webhooks: URLs to which shops and other services post what their customers do. One is created here.
import { Button, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Foot } from '../../parts/form/foot.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Modal } from '../../parts/modal.tsx';
import { ListScreen, NameCell } from '../../parts/table/list-screen.tsx';
import type { Column } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { Directions } from './directions.tsx';
import { keepUrl } from './new-url.ts';

export type Incoming = ResultOf<'incomingWebhooks'>[number];
type Made = { id: string; url: string };

const services = ['shopify', 'woocommerce', 'stripe', 'custom'] as const;

export function IncomingScreen() {
  const t = useText('webhooks');
  const mayWrite = useSession().may('contacts:write');
  const answer = useMethod('incomingWebhooks');
  const [making, setMaking] = useState(false);
  const navigate = useNavigate();
  const create = mayWrite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t('incomingCreate')}
    </Button>
  );
  const columns: Column<Incoming>[] = [
    {
      name: 'title',
      title: t('name'),
      cell: ({ id, title, url }) => <NameCell to="/webhooks/incoming/$id" params={{ id }} name={title} note={url} />,
    },
    { name: 'service', title: t('service'), width: '150px', cell: ({ service }) => t(`service.${service}`) },
    { name: 'last', title: t('lastRequest'), cell: (hook) => <LastRequest hook={hook} /> },
  ];
  return (
    <>
      <ListScreen
        title={t('title')}
        label={t('incomingTitle')}
        about={t('incomingAbout')}
        query={answer}
        create={create}
        empty={{ icon: IconPlugConnected, title: t('incomingEmptyTitle'), text: t('incomingEmptyText') }}
        columns={columns}
        brief={({ service, last_at, last_result }) => (
          <>
            <span>{t(`service.${service}`)}</span>
            <span>
              {last_result === '' ? t('incomingNever') : t(`received.${last_result}`)}
              {last_result !== '' && (
                <>
                  {' · '}
                  <Time at={last_at} />
                </>
              )}
            </span>
          </>
        )}
        rows={answer.data}
        nameOf={({ title }) => title}
        within={(table) => <Directions open="incoming">{table}</Directions>}
      />
      <Modal opened={making} onClose={() => setMaking(false)} title={t('incomingCreate')}>
        <Create
          onCancel={() => setMaking(false)}
          onDone={({ id, url }) => {
            keepUrl(id, url);
            void navigate({ to: '/webhooks/incoming/$id', params: { id } });
          }}
        />
      </Modal>
    </>
  );
}

/** What became of the last request, and when it came. */
export function LastRequest({ hook }: { hook: Pick<Incoming, 'last_at' | 'last_result' | 'last_detail'> }) {
  const t = useText('webhooks');
  if (hook.last_result === '') return <Text c="dimmed">{t('incomingNever')}</Text>;
  return (
    <div>
      {t(`received.${hook.last_result}`)} · <Time at={hook.last_at} />
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {hook.last_detail}
      </Text>
    </div>
  );
}

function Create({ onCancel, onDone }: { onCancel(): void; onDone(made: Made): void }) {
  const t = useText('webhooks');
  const create = useMutate('incomingWebhookCreate');
  const lists = useMethod('lists', { limit: 1_000 }).data ?? [];
  const form = useMethodForm({
    initialValues: { title: '', service: 'shopify' as (typeof services)[number], secret: '', list: '' },
    send: (values) => create.mutateAsync(values),
    done: ({ id, url }) => onDone({ id, url }),
  });
  return (
    <MethodForm form={form}>
      <NativeSelect
        label={t('service')}
        data={services.map((value) => ({ value, label: t(`service.${value}`) }))}
        {...form.getInputProps('service')}
      />
      <TextInput label={t('name')} required maxLength={200} data-autofocus {...form.getInputProps('title')} />
      <TextInput
        label={t('signingSecret')}
        description={t('signingSecretHint')}
        maxLength={200}
        autoComplete="off"
        {...form.getInputProps('secret')}
      />
      <NativeSelect
        label={t('incomingList')}
        description={t('incomingListHint')}
        data={[{ value: '', label: t('incomingNoList') }, ...lists.map(({ id, name }) => ({ value: id, label: name }))]}
        {...form.getInputProps('list')}
      />
      <Foot onCancel={onCancel}>
        <Submit form={form}>{t('incomingCreateDo')}</Submit>
      </Foot>
    </MethodForm>
  );
}
