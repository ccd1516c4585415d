// Imports the HTML from a web page, an archive file or a template. It replaces the content; the previous version stays in
// the history.
import {
  Alert,
  Button,
  FileInput,
  Group,
  Image,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from '@mantine/core';
import { IconAlertCircle, IconFileZip, IconWorldDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiFault, call } from '../../../api/call.ts';
import { invalidate, useMethod } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { besideField } from '../../../parts/form/fault-field.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { useDraft } from '../draft.tsx';
import { archiveTypeOf, base64Of } from './archive-file.ts';
import { asHtml } from './written.ts';

type Source = 'url' | 'file' | 'template';

export function ImportTab({ onImported }: { onImported(): void }) {
  const t = useText('composer');
  const { cid, editor, adopt, flush, fixed } = useDraft();
  const client = useQueryClient();
  const faultText = useFaultText();
  const [url, setUrl] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [busy, setBusy] = useState<Source>();
  const [failed, setFailed] = useState<{ source: Source; text: string }>();

  /** Runs the import, then reads the resulting content. @param source the field that shows a fault */
  const runImport = async (source: Source, run: () => Promise<unknown>) => {
    setBusy(source);
    setFailed(undefined);
    try {
      await flush();
      await run();
      const { html } = await call('campaignContent', { cid });
      adopt({ html, plain: '', written: asHtml });
      await invalidate(client, ['campaign']);
      toast.done(t('imported'));
      onImported();
    } catch (error) {
      setFailed({ source, text: besideField(faultText(error), error instanceof ApiFault ? error.member : undefined) });
    } finally {
      setBusy(undefined);
    }
  };
  const update = (name: string, value: unknown) => call('campaignUpdate', { cid, name, value, editor });
  const importFile = async () => {
    const kind = file && archiveTypeOf(file.name);
    if (!file || !kind) return setFailed({ source: 'file', text: t('fileKinds') });
    await runImport('file', async () => {
      await update('archive_type', kind);
      await update('archive', await base64Of(file));
    });
  };
  const fault = (source: Source) => (failed?.source === source ? failed.text : undefined);
  return (
    <Stack gap="lg">
      <Text c="dimmed">{t('importText')}</Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            runImport('url', () => update('url', url));
          }}
        >
          <Group align="flex-start" wrap="nowrap">
            <TextInput
              flex={1}
              label={t('importUrl')}
              description={t('importUrlHint')}
              placeholder="https://"
              type="url"
              leftSection={<IconWorldDownload size={16} aria-hidden />}
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
              error={fault('url')}
              disabled={fixed}
            />
          </Group>
          <Button
            type="submit"
            variant="default"
            mt="sm"
            loading={busy === 'url'}
            disabled={fixed || url.trim() === ''}
          >
            {t('importUrlDo')}
          </Button>
        </form>
        <div>
          <FileInput
            label={t('importFile')}
            description={t('importFileHint')}
            placeholder={t('importFileChoose')}
            accept=".zip,.tar,.tgz,.gz,.tbz,.bz2"
            leftSection={<IconFileZip size={16} aria-hidden />}
            value={file}
            onChange={setFile}
            error={fault('file')}
            disabled={fixed}
            clearable
          />
          <Button variant="default" mt="sm" loading={busy === 'file'} disabled={fixed || !file} onClick={importFile}>
            {t('importFileDo')}
          </Button>
        </div>
      </SimpleGrid>
      <Templates
        disabled={fixed || busy !== undefined}
        onChoose={(id) => runImport('template', () => update('template_id', id))}
        fault={fault('template')}
      />
    </Stack>
  );
}

type TemplatesProps = { disabled: boolean; onChoose(id: string): void; fault: string | undefined };

function Templates({ disabled, onChoose, fault }: TemplatesProps) {
  const t = useText('composer');
  const templates = useMethod('campaignTemplates', { hidden: false });
  return (
    <Stack gap="sm">
      <Title order={3}>{t('templates')}</Title>
      {fault && (
        <Alert color="red" variant="outline" icon={<IconAlertCircle aria-hidden />} role="alert">
          {fault}
        </Alert>
      )}
      <Loaded query={templates}>
        {(rows) =>
          rows.length === 0 ? (
            <Text c="dimmed">{t('templatesNone')}</Text>
          ) : (
            <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md">
              {rows.map(({ id, name, preview_image }) => (
                <UnstyledButton key={id} className={classes.template} disabled={disabled} onClick={() => onChoose(id)}>
                  <Image
                    src={new URL(preview_image).pathname}
                    alt=""
                    h={180}
                    fit="cover"
                    className={classes.templatePicture}
                  />
                  <Text fw={500} p="sm" component="span" display="block">
                    {name}
                  </Text>
                </UnstyledButton>
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
    </Stack>
  );
}
