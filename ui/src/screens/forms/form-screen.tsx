// The sign-up form of a list: what it shows, what follows, the texts of the list's emails, and its URL and HTML to share.
import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiFault } from '../../api/call.ts';
import { faultCodes } from '../../api/fault-codes.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { FormEditor } from './form-editor.tsx';

export function FormScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const t = useText('forms');
  const mayWrite = useSession().may('contacts:write');
  const form = useMethod('listForm', { id });
  const publish = useMutate('listFormUpdate');
  const [language, setLanguage] = useState('');
  const [showsCode, showCode] = useState(false);
  // What is shown starts again from what is saved.
  const [saves, setSaves] = useState(0);
  const lists = useMethod('lists', { limit: 1_000 });
  if (form.error instanceof ApiFault && form.error.code === faultCodes.LIST_UNKNOWN) return <NotFound />;
  const name = lists.data?.find((list) => list.id === id)?.name;
  const back = { to: '/forms', label: t('all') } as const;
  if (form.data === undefined) return <LoadingPage title={t('title')} back={back} query={form} />;
  const { url, settings } = form.data;
  return (
    <Page>
      <PageHeader
        title={t('title')}
        status={<Status tone={settings.enabled ? 'good' : 'still'}>{t(settings.enabled ? 'on' : 'off')}</Status>}
        description={name ?? t('about')}
        back={back}
        actions={
          settings.enabled ? (
            <Button
              component="a"
              href={url}
              target="_blank"
              rel="noopener"
              leftSection={<IconExternalLink size={16} aria-hidden />}
            >
              {t('openForm')}
            </Button>
          ) : (
            mayWrite && (
              <Button
                loading={publish.isPending}
                onClick={() =>
                  publish.mutate(
                    { id, options: { enabled: true } },
                    { onSuccess: () => toast.done(t('nowLive')), onError: toast.failed },
                  )
                }
              >
                {t('create')}
              </Button>
            )
          )
        }
      />
      <FormEditor
        key={saves}
        id={id}
        saved={form.data}
        mayWrite={mayWrite}
        language={language}
        onLanguage={setLanguage}
        showsCode={showsCode}
        onShowCode={showCode}
        onSaved={() => setSaves(saves + 1)}
      />
    </Page>
  );
}
