// Creates a webhook: URL, secret and events. Saving checks the URL with HEAD and shows the response.
import { Button, Group } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import { freshValues, WebhookFields } from './webhook-fields.tsx';

export function NewWebhookScreen() {
  const t = useText('webhooks');
  const navigate = useNavigate();
  const types = useMethod('eventTypes').data;
  const create = useMutate('webhookCreate');
  const form = useMethodForm({
    initialValues: freshValues,
    fields: { title: 'title', 'options.secret_key': 'secret_key' },
    send: ({ title, secret_key, list_id, events, sources, ...rest }) =>
      create.mutateAsync({
        title,
        options: {
          ...rest,
          algorithm: rest.algorithm as 'sha256',
          format: rest.format as 'standard',
          events,
          sources,
          ...(secret_key ? { secret_key } : {}),
          ...(list_id ? { list_id } : {}),
        },
      }),
    done: (id) => navigate({ to: `/webhooks/${id}` as string }),
  });
  // All types are selected at first, once they are loaded.
  const { setValues, resetDirty } = form;
  useEffect(() => {
    if (!types) return;
    const events = types.map(({ type }) => type);
    setValues({ events });
    resetDirty({ ...freshValues, events });
  }, [types, setValues, resetDirty]);
  return (
    <Page narrow>
      <PageHeader title={t('newTitle')} description={t('newAbout')} back={{ to: '/webhooks', label: t('title') }} />
      <MethodForm form={form} guard>
        <WebhookFields form={form} secret />
        <Group>
          <Submit form={form}>{t('save')}</Submit>
          <Button component={Link} to={'/webhooks' as string} variant="default">
            {t('cancel')}
          </Button>
        </Group>
      </MethodForm>
    </Page>
  );
}
