// Starts a campaign from a template: a draft to the largest list, in which everything can be changed.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useMutate } from '../../api/use-method.ts';
import { offeredLists } from '../../parts/labels/offered.ts';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

export function useTemplateActions() {
  const t = useText('templates');
  const { account, user } = useSession();
  const navigate = useNavigate();
  const create = useMutate('campaignCreate');
  const [busy, setBusy] = useState(false);
  const begin = async (template: { id: string; name: string }) => {
    setBusy(true);
    try {
      const lists = await call('lists');
      const [list] = offeredLists(lists).sort((a, b) => b.member_count - a.member_count);
      if (!list) {
        toast.failed(new Error(t('noList')));
        return;
      }
      const cid = await create.mutateAsync({
        type: 'HTML',
        options: {
          list_id: [list.id],
          subject: list.default_subject || template.name,
          from_name: list.default_from_name || account.company || account.name,
          from_email: list.default_from_email || account.email || user.email,
          template_id: template.id,
          generate_text: true,
        },
        content: {},
      });
      await navigate({ to: '/campaigns/$id', params: { id: cid } });
    } catch (error) {
      toast.failed(error);
    } finally {
      setBusy(false);
    }
  };
  return { begin, busy };
}
