// The email as it will arrive, as a picture beside what is sent; it opens the preview. Loaded with the review.
import { Skeleton, UnstyledButton } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useMethod } from '../../../api/use-method.ts';
import { useText } from '../../../text/use-text.tsx';
import { MailPicture, NoMail } from '../../automations/email/mail-picture.tsx';
import { useDraft } from '../draft.tsx';
import { textPage } from '../preview/mail-frame.tsx';
import classes from './review.module.css';

const size = { width: 184, height: 276 };

export default function ReviewPicture({ onOpen }: { onOpen(): void }) {
  const t = useText('composer');
  const { cid } = useDraft();
  const { data } = useMethod('campaignPreview', { cid }, { keep: true });
  if (!data) return <Skeleton {...size} />;
  const html = data.html || (data.plain && textPage(data.plain));
  return (
    <div className={classes.picture}>
      {html === '' ? <NoMail {...size} /> : <MailPicture html={html} {...size} />}
      <UnstyledButton className={classes.openPreview} aria-label={`${t('preview')}: ${data.subject}`} onClick={onOpen}>
        <span>
          <IconEye size={16} aria-hidden />
          {t('preview')}
        </span>
      </UnstyledButton>
    </div>
  );
}
