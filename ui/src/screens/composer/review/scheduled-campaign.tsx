// A scheduled campaign as it will be sent, beside its email; nothing can be changed here. Loaded when it is shown.
import { useQuery } from '@tanstack/react-query';
import type { ResultOf } from '../../../api/types.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { useText } from '../../../text/use-text.tsx';
import { MailPicture } from '../../automations/email/mail-picture.tsx';
import { DraftProvider } from '../draft.tsx';
import { readDraft } from '../others/read-draft.ts';
import classes from './review.module.css';
import { SentTable } from './sent-table.tsx';

type Props = { campaign: ResultOf<'campaigns'>[number]; when: string };

const picture = { width: 320, height: 420 };

export default function ScheduledCampaign({ campaign: { id: cid, type }, when }: Props) {
  const t = useText('composer');
  const draft = useQuery({ queryKey: ['campaignContent', cid, 'scheduled'], queryFn: () => readDraft(cid), gcTime: 0 });
  return (
    <Loaded query={draft}>
      {(initial) => (
        <DraftProvider cid={cid} initial={initial} type={type} fixed>
          <div className={`${classes.scheduled} in-order`}>
            <SentTable when={{ text: when, onChange: undefined }} />
            {initial.values.html !== '' && (
              <MailPicture html={initial.values.html} scrolls={t('preview')} {...picture} />
            )}
          </div>
        </DraftProvider>
      )}
    </Loaded>
  );
}
