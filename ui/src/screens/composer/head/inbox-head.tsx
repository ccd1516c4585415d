// The head of the email above its content, as an inbox shows it: who sends it, the subject, and the preview text.
import { Avatar, Box, Text, UnstyledButton } from '@mantine/core';
import { IconChevronUp, IconPencil } from '@tabler/icons-react';
import { useMethod } from '../../../api/use-method.ts';
import { Tagged } from '../../../parts/tagged/tagged.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { TagField } from '../content/merge-tags.tsx';
import { previewTextOf, withPreviewText } from '../content/preview-text.ts';
import { useDraft } from '../draft.tsx';

type Props = {
  /** On a phone: whether the fields are shown, or one line with what they say. */
  open: boolean;
  onOpen(open: boolean): void;
};

export function InboxHead({ open, onOpen }: Props) {
  const t = useText('composer');
  const { cid, values, type, change, fault, fixed } = useDraft();
  const { account } = useSession();
  const { data } = useMethod('campaignPreview', { cid }, { keep: true });
  const from = data?.from_name || values.from_name;
  // One in the HTML would come back when the field is emptied.
  const changePreviewText = (preview_text: string) =>
    change({
      preview_text,
      ...(previewTextOf(values.html) === '' ? {} : { html: withPreviewText(values.html, '') }),
    });
  return (
    <div className={classes.inboxHead} data-folded={!open || undefined}>
      <UnstyledButton className={classes.inboxFold} aria-expanded={open} onClick={() => onOpen(!open)}>
        <Box component="span" miw={0}>
          <Text span fw={600} display="block" className={classes.oneLine}>
            {open ? t('headFold') : <Tagged>{values.subject || t('subject')}</Tagged>}
          </Text>
          {!open && (
            <Text span size="xs" c="dimmed" display="block" className={classes.oneLine}>
              <Tagged>{values.preview_text || previewTextOf(values.html) || t('previewText')}</Tagged>
            </Text>
          )}
        </Box>
        {open ? <IconChevronUp size={18} aria-hidden /> : <IconPencil size={16} aria-hidden />}
      </UnstyledButton>
      <div className={classes.inboxFrom}>
        <Avatar name={from} color="initials" radius="xl" size={36} variant="default" aria-hidden />
        <div className={classes.oneLine}>
          <Text fw={600} className={classes.oneLine}>
            {from}
          </Text>
          <Text size="xs" c="dimmed" className={classes.oneLine}>
            {values.sender || account.email}
          </Text>
        </div>
      </div>
      <TagField
        label={t('subject')}
        name="subject"
        value={values.subject}
        onText={(subject) => change({ subject })}
        error={fault('subject')}
        disabled={fixed}
        required
        withAsterisk={false}
      />
      {type !== 'plain text' && (
        <TagField
          label={t('previewText')}
          name="preview_text"
          placeholder={t('previewTextHint')}
          value={values.preview_text || previewTextOf(values.html)}
          onText={changePreviewText}
          error={fault('preview_text')}
          disabled={fixed}
        />
      )}
      {data?.contact !== '' && /\*\|/.test(values.subject) && (
        <Text size="xs" c="dimmed" mih="1lh">
          {data && t('subjectFor', { subject: data.subject, email: data.contact })}
        </Text>
      )}
    </div>
  );
}
