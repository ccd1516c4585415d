// Comments on a campaign: the list, each with the words it is about, and a field to add one.
import { ActionIcon, Button, Group, Select, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { IconCheck, IconRotate, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { parsedMail } from '../../../parts/parsed-mail.ts';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { useDraft } from '../draft.tsx';
import classes from './approval.module.css';

type Comment = ResultOf<'campaignComments'>[number];

/** @param about the words of the block that is selected: only its comments, and a new one is about it */
export function Comments({ about, onShow }: { about?: string; onShow?(quote: string): void }) {
  const t = useText('approval');
  const { cid } = useDraft();
  const { data: all = [] } = useMethod('campaignComments', { cid }, { keep: true });
  const shown = about === undefined ? all : all.filter(({ quote }) => quote !== '' && isIn(about, quote));
  return (
    <Stack gap="md">
      {shown.length > 0 && (
        <ul className={classes.comments} aria-label={t('comments')}>
          {[...shown]
            .sort((a, b) => Number(a.resolved_at !== '') - Number(b.resolved_at !== ''))
            .map((comment) => (
              <li key={comment.comment} data-resolved={comment.resolved_at !== '' || undefined}>
                <OneComment comment={comment} onShow={about === undefined ? onShow : undefined} />
              </li>
            ))}
        </ul>
      )}
      <NewComment about={about} />
    </Stack>
  );
}

/** How many are open. */
export function useOpenComments(cid: string): number {
  const { data = [] } = useMethod('campaignComments', { cid }, { keep: true });
  return data.filter(({ resolved_at }) => resolved_at === '').length;
}

function OneComment({ comment, onShow }: { comment: Comment; onShow: ((quote: string) => void) | undefined }) {
  const t = useText('approval');
  const { cid } = useDraft();
  const { may } = useSession();
  const update = useMutate('campaignCommentUpdate');
  const remove = useMutate('campaignCommentDelete');
  const { by, own, text, quote, created_at, resolved_at, resolved_by } = comment;
  const isResolved = resolved_at !== '';
  const { busy, run } = useAction();
  const resolve = () => run(() => update.mutateAsync({ cid, comment: comment.comment, resolved: !isResolved }));
  return (
    <>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {by || t('someone')}{' '}
          <Text span c="dimmed" fw={400}>
            <Time at={created_at} />
          </Text>
        </Text>
        {may('campaigns:write') && (
          <Group gap={4} wrap="nowrap">
            <Tooltip label={t(isResolved ? 'reopen' : 'resolve')}>
              <ActionIcon
                variant="subtle"
                loading={busy}
                aria-label={t(isResolved ? 'reopenOf' : 'resolveOf', { text: text.slice(0, 60) })}
                onClick={resolve}
              >
                {isResolved ? <IconRotate size={16} aria-hidden /> : <IconCheck size={16} aria-hidden />}
              </ActionIcon>
            </Tooltip>
            {(own || may('campaigns:send')) && (
              <Tooltip label={t('delete')}>
                <ActionIcon
                  variant="subtle"
                  aria-label={t('deleteOf', { text: text.slice(0, 60) })}
                  onClick={() => run(() => remove.mutateAsync({ cid, comment: comment.comment }))}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        )}
      </Group>
      {quote && (
        <blockquote className={classes.quote}>
          {quote}
          {onShow && (
            <Button size="compact-xs" variant="subtle" onClick={() => onShow(quote)}>
              {t('showPlace')}
            </Button>
          )}
        </blockquote>
      )}
      <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>
      {isResolved && (
        <Text size="sm" c="dimmed">
          {t('resolvedBy', { who: resolved_by || t('someone') })}
        </Text>
      )}
    </>
  );
}

function NewComment({ about }: { about: string | undefined }) {
  const t = useText('approval');
  const { cid } = useDraft();
  const { may } = useSession();
  const create = useMutate('campaignCommentCreate');
  const places = usePlaces(cid, about === undefined);
  const [text, setText] = useState('');
  const [quote, setQuote] = useState<string | null>(null);
  const { busy, run } = useAction();
  if (!may('campaigns:write')) return null;
  const add = () =>
    run(async () => {
      await create.mutateAsync({ cid, text, quote: about === undefined ? (quote ?? '') : quoteOf(about) });
      setText('');
      setQuote(null);
      toast.done(t('commented'));
    });
  return (
    <Stack gap="xs">
      {about === undefined && places.length > 0 && (
        <Select
          label={t('place')}
          placeholder={t('wholeEmail')}
          data={places}
          value={quote}
          onChange={setQuote}
          clearable
          searchable
          limit={100}
          clearButtonProps={{ 'aria-label': t('wholeEmail') }}
        />
      )}
      <Textarea
        label={about === undefined ? t('comment') : t('commentOnBlock')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={4_000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group>
        <Button variant="default" size="xs" loading={busy} disabled={text.trim() === ''} onClick={add}>
          {t('addComment')}
        </Button>
      </Group>
    </Stack>
  );
}

const maxQuote = 120;
const tidy = (words: string) => words.replace(/\s+/g, ' ').trim();
const quoteOf = (words: string) => tidy(words).slice(0, maxQuote);
const isIn = (words: string, quote: string) => tidy(words).includes(tidy(quote));

/** The places of the email that a comment can be about: its blocks of text, by their first words. */
function usePlaces(cid: string, enabled: boolean): string[] {
  const { data } = useMethod('campaignPreview', { cid }, { keep: true, enabled });
  if (!data) return [];
  const texts =
    data.html === ''
      ? data.plain.split(/\n+/)
      : [...parsedMail(data.html).querySelectorAll('h1,h2,h3,h4,p,li,td,a')]
          .filter((element) => element.querySelector('h1,h2,h3,h4,p,li,td') === null)
          .map((element) => element.textContent ?? '');
  return [...new Set(texts.map(quoteOf))].filter((text) => text !== '').slice(0, 200);
}
