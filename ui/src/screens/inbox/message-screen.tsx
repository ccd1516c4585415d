// A message of the inbox: rendered, as plain text, its headers, its source; with the way to the newer and the older one.
import { ActionIcon, Button, Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconDownload } from '@tabler/icons-react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMethod } from '../../api/use-method.ts';
import { Copy } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts/facts.tsx';
import { saveFile } from '../../parts/files/save-file.ts';
import { useShortcut } from '../../parts/keys.ts';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { UrlTabs } from '../../parts/url-tabs.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Message } from './inbox-screen.tsx';
import { headersOf } from './mail-frame.ts';
import { Rendered } from './rendered.tsx';
import { useBeside } from './use-beside.ts';
import { useMarkedRead } from './use-read-marks.ts';
import { type View, views } from './views.ts';

export function MessageScreen() {
  const t = useText('inbox');
  const { id } = useParams({ strict: false }) as { id: string };
  const answer = useMethod('inboxMessages', { id }, { keep: true });
  const message = answer.data?.[0];
  useMarkedRead(message?.id);
  const back = { to: '/inbox', label: t('title') } as const;
  if (!message) return <LoadingPage title={t('message')} back={back} query={answer} />;
  return (
    <Page>
      <PageHeader
        title={message.subject || t('noSubject')}
        back={back}
        description={
          <Stack gap={2}>
            <Line name={t('from')} value={message.from || message.mail_from} />
            <Line name={t('to')} value={message.to || message.rcpt_to.join(', ')} />
            <Text size="sm">
              {t('received')}: <Time at={message.received} />
            </Text>
          </Stack>
        }
        actions={
          <>
            <Beside id={message.id} />
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => saveFile(`message-${message.id}.eml`, message.source, 'message/rfc822')}
            >
              {t('download')}
            </Button>
          </>
        }
      />
      <Views message={message} />
    </Page>
  );
}

/** The newer and the older message, in the view that is open. */
function Beside({ id }: { id: string }) {
  const t = useText('inbox');
  const navigate = useNavigate();
  const { newer, older } = useBeside(id);
  const go = (next: string | undefined) => {
    if (next !== undefined)
      void navigate({ to: '/inbox/$id', params: { id: next }, search: (before: Record<string, unknown>) => before });
  };
  useShortcut('k', t('newer'), () => go(newer));
  useShortcut('j', t('older'), () => go(older));
  return (
    <ActionIcon.Group>
      <ActionIcon variant="default" size={36} aria-label={t('newer')} disabled={!newer} onClick={() => go(newer)}>
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" size={36} aria-label={t('older')} disabled={!older} onClick={() => go(older)}>
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
    </ActionIcon.Group>
  );
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {name}: {value}
    </Text>
  );
}

function Views({ message }: { message: Message }) {
  const t = useText('inbox');
  const { view = message.html === '' ? 'text' : 'shown' } = useSearch({ strict: false }) as { view?: View };
  return (
    <UrlTabs tabs={views} open={view} labelOf={(name) => t(`view.${name}`)} name="view">
      <Tabs.Panel value="shown">
        {message.html === '' ? <Text c="dimmed">{t('noHtml')}</Text> : <Rendered message={message} />}
      </Tabs.Panel>
      <Tabs.Panel value="text">
        {message.text === '' ? (
          <Text c="dimmed">{t('noText')}</Text>
        ) : (
          <Block name={t('view.text')} text={message.text} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="headers">
        <Headers source={message.source} />
      </Tabs.Panel>
      <Tabs.Panel value="source">
        <Block name={t('view.source')} text={message.source} />
      </Tabs.Panel>
    </UrlTabs>
  );
}

function Headers({ source }: { source: string }) {
  const t = useText('inbox');
  return <Facts label={t('view.headers')} mono facts={headersOf(source).map(({ name, value }) => [name, value])} />;
}

function Block({ name, text }: { name: string; text: string }) {
  return (
    <Stack gap="xs">
      <Group justify="flex-end">
        <Copy value={text} label={name} />
      </Group>
      <Code
        block
        tabIndex={0}
        role="region"
        aria-label={name}
        style={{ overflow: 'auto', maxHeight: '70vh', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {text}
      </Code>
    </Stack>
  );
}
