// What an inbox shows of an email after its subject: the preview text, which is the first words unless it was written.
import { useMethod } from '../../../api/use-method.ts';
import { firstWords } from '../../../parts/first-words.ts';
import { Tagged } from '../../../parts/tagged/tagged.tsx';

export function MailWords({ campaign }: { campaign: string }) {
  const { data } = useMethod('campaignContent', { cid: campaign });
  const words = data ? firstWords(data.html, data.plain) : '';
  // Its line is there before the words are: nothing moves.
  return words === '' ? '\u00a0' : <Tagged>{words}</Tagged>;
}
