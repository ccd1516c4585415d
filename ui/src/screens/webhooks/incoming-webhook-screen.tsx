// One incoming webhook: what of a request becomes the event, beside the last request and what the mapping makes of it.
import { Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Copy } from '../../parts/copy.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { Fields, useParts } from './incoming-fields.tsx';
import { Sample } from './incoming-sample.tsx';
import type { Incoming } from './incoming-screen.tsx';
import { halvesOf, mappingOf, type Values, valuesOf } from './incoming-values.ts';
import { RequestBody } from './mapping-rows.tsx';
import { readRequest } from './members.ts';
import { keepUrl, keptUrl } from './new-url.ts';
import classes from './webhooks.module.css';

export function IncomingWebhookScreen() {
  const t = useText('webhooks');
  const { id } = getRouteApi('/shell/webhooks/incoming/$id').useParams();
  // The last request appears as it comes.
  const answer = useMethod('incomingWebhooks', {}, { refetchInterval: 5_000 });
  const back = { to: '/webhooks/incoming', label: t('incomingTitle') } as const;
  if (!answer.data) return <LoadingPage title={t('webhook')} back={back} query={answer} />;
  const hook = answer.data.find((one) => one.id === id);
  return hook ? <Shown key={id} hook={hook} refresh={() => void answer.refetch()} /> : <NotFound />;
}

function Shown({ hook, refresh }: { hook: Incoming; refresh(): void }) {
  const t = useText('webhooks');
  const mayWrite = useSession().may('contacts:write');
  const update = useMutate('incomingWebhookUpdate');
  const renew = useMutate('incomingWebhookUrl');
  const destroy = useMutate('incomingWebhookDelete');
  const [url, setUrl] = useState(keptUrl(hook.id));
  /** The last request, unless another one is being tried. */
  const [tried, setTried] = useState<string>();
  const body = tried ?? pretty(hook.last_body);
  const form = useMethodForm({
    initialValues: valuesOf(hook),
    validate: (values: Values) => halvesOf(values, t('mappingIncomplete')),
    send: (values) =>
      update.mutateAsync({
        id: hook.id,
        title: values.title,
        list: values.list,
        confirms: values.confirms,
        ...(values.secret === '' ? {} : { secret: values.secret }),
        mapping: mappingOf(values),
      }),
    done: () => toast.done(t('saved')),
  });
  const parts = useParts(form, hook);
  const onRenew = async () => {
    const question = {
      title: t('incomingRenew'),
      text: t('incomingRenewText'),
      action: t('incomingRenew'),
      danger: true,
    };
    const onRenewed = (made: { url: string }) => {
      keepUrl(hook.id, made.url);
      setUrl(made.url);
    };
    if (!(await confirm(question))) return;
    renew.mutate({ id: hook.id }, { onSuccess: onRenewed, onError: (error) => toast.failed(error) });
  };
  return (
    <Page>
      <PageHeader
        title={hook.title}
        back={{ to: '/webhooks/incoming', label: t('incomingTitle') }}
        description={t(`service.${hook.service}`)}
        actions={
          mayWrite && (
            <ObjectMenu
              items={[{ label: t('incomingRenew'), icon: IconRefresh, act: onRenew }]}
              removal={{
                title: t('incomingDeleteTitle', { name: hook.title }),
                text: t('incomingDeleteText'),
                action: t('incomingDelete'),
                remove: () => destroy.mutateAsync({ id: hook.id }),
                done: t('incomingDeleted'),
                backTo: '/webhooks/incoming',
              }}
            />
          )
        }
      />
      <Url masked={hook.url} url={url} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <RequestBody value={useMemo(() => readRequest(body), [body])}>
          <MethodForm form={form} guard>
            {hook.service !== 'custom' && (
              <Text size="sm" c="dimmed">
                {t('incomingReady', { service: t(`service.${hook.service}`) })}
              </Text>
            )}
            <Fields form={form} hook={hook} parts={parts} />
            {mayWrite && (
              <Group>
                <Submit form={form}>{t('save')}</Submit>
              </Group>
            )}
          </MethodForm>
        </RequestBody>
        <div className={`${classes.beside} ${body === '' ? '' : classes.first}`}>
          <Sample
            hook={hook}
            form={form}
            onUse={parts.show}
            body={body}
            onBody={setTried}
            mapping={() => mappingOf(form.getValues())}
            refresh={() => {
              setTried(undefined);
              refresh();
            }}
          />
        </div>
      </SimpleGrid>
    </Page>
  );
}

/** Where the service posts to. In full only while this tab remembers it. */
function Url({ masked, url }: { masked: string; url: string | undefined }) {
  const t = useText('webhooks');
  return (
    <Stack gap={4}>
      <div className={classes.url} role={url === undefined ? undefined : 'status'}>
        <Code>{url ?? masked}</Code>
        {url !== undefined && <Copy value={url} label={t('copyUrl')} wide />}
      </div>
      <Text size="sm" c="dimmed">
        {t(url === undefined ? 'incomingUrlOnce' : 'incomingMadeText')}
      </Text>
    </Stack>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
