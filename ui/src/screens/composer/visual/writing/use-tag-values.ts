// Shows the merge tags of the visual editor as the example contact of the campaign reads them; a template has none, and shows names.
import { useContext, useEffect, useMemo } from 'react';
import { useMethod } from '../../../../api/use-method.ts';
import { useTagLabel } from '../../../../parts/tagged/tagged.tsx';
import { piecesOf } from '../../../../parts/tagged/tags.ts';
import { useSession } from '../../../../session/session.ts';
import { useText } from '../../../../text/use-text.tsx';
import { TagEmail, TagLists } from '../../content/merge-tags.tsx';
import type { Visual } from '../grapes-editor.ts';
import type { TagWords } from './tag-chips.ts';

export function useTagValues(visual: Visual | undefined): void {
  const t = useText('parts');
  const label = useTagLabel();
  const values = useExample();
  const wordsOf = useMemo(
    (): TagWords => (tag) => {
      const piece = piecesOf(tag)[0];
      if (piece === undefined || typeof piece === 'string') return { shown: tag, title: tag };
      if (piece.kind !== 'value')
        return { shown: t(`tagCondition.${piece.kind}`, { field: label(piece.key) }), title: tag };
      const name = label(piece.key);
      return { shown: values[piece.key] || piece.instead || name, title: `${name} ${tag}` };
    },
    [t, label, values],
  );
  useEffect(() => visual?.chips.show(wordsOf), [visual, wordsOf]);
}

/** The values of the contact that previews show, and what is said of the first list, by their tags. */
function useExample(): Record<string, string> {
  const cid = useContext(TagEmail);
  const [id = ''] = useContext(TagLists);
  const { account, may } = useSession();
  const isRead = may('contacts:read');
  const preview = useMethod('campaignPreview', { cid }, { keep: true, enabled: cid !== '' });
  const email = preview.data?.contact ?? '';
  const { data } = useMethod(
    'listMemberInfo',
    { id, email_address: email },
    { keep: true, enabled: isRead && id !== '' && email !== '' },
  );
  const list = useMethod('listGet', { id }, { keep: true, enabled: isRead && id !== '' }).data;
  const company = list?.company || account.company || account.name;
  // Without a list, as in a template of a new account, as on its picture.
  const name = list?.public_title || list?.title || company;
  const address = (list?.address || account.postal_address).replaceAll(/\s*\n\s*/g, ', ');
  return useMemo(
    () => ({ ...data?.merges, 'LIST:NAME': name, 'LIST:COMPANY': company, 'LIST:ADDRESS': address }),
    [data?.merges, name, company, address],
  );
}
