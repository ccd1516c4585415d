// Creates a webhook: name, URL and what it is for. It is signed from the start: the secret is shown once, on the page that follows.
// Saving checks the URL with HEAD and shows the response.
import { Group, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { LinkButton } from '../../parts/link.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import { typesFor } from './event-choice.ts';
import { keepSecret, newSecret } from './new-secret.ts';
import { freshValues, WebhookExample, WebhookFields } from './webhook-fields.tsx';
import classes from './webhooks.module.css';

export function NewWebhookScreen() {
  const t = useText('webhooks');
  const navigate = useNavigate();
  const types = useMethod('eventTypes').data;
  const create = useMutate('webhookCreate');
  const [fresh] = useState(() => ({ ...freshValues, secret_key: newSecret() }));
  const form = useMethodForm({
    initialValues: fresh,
    fields: { title: 'title', 'options.secret_key': 'secret_key' },
    send: ({ title, secret_key, list_id, events, sources, ...rest }) =>
      create.mutateAsync({
        title,
        options: {
          ...rest,
          events,
          sources,
          secret_key,
          ...(list_id ? { list_id } : {}),
        },
      }),
    done: (id, { secret_key }) => {
      keepSecret(id, secret_key);
      navigate({ to: '/webhooks/$id', params: { id }, search: { tab: 'verify' } });
    },
  });
  // Selected once it is known which types there are.
  const { setValues, resetDirty } = form;
  useEffect(() => {
    if (!types) return;
    const events = typesFor(
      'sync',
      types.map(({ type }) => type),
    );
    setValues({ events });
    resetDirty({ ...fresh, events });
  }, [types, fresh, setValues, resetDirty]);
  return (
    <Page>
      <PageHeader title={t('newTitle')} description={t('newAbout')} back={{ to: '/webhooks', label: t('title') }} />
      <MethodForm form={form} guard>
        <div className={classes.withExample}>
          <Stack gap="md">
            <WebhookFields form={form} />
            <Group>
              <Submit form={form}>{t('save')}</Submit>
              <LinkButton to="/webhooks" variant="default">
                {t('cancel')}
              </LinkButton>
            </Group>
          </Stack>
          <WebhookExample form={form} />
        </div>
      </MethodForm>
    </Page>
  );
}
