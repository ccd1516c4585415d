// The files attached to a campaign, and their size together.
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';

export type AttachedFile = ResultOf<'campaignAttachments'>[number];

export function useAttachedSize(cid: string) {
  const files = useMethod('campaignAttachments', { cid }).data ?? [];
  return { files, size: files.reduce((sum, file) => sum + file.size, 0) };
}

/** "640 B", "12 kB", "1.4 MB" */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_024 * 1_024) return `${Math.round(bytes / 1_024)} kB`;
  return `${(bytes / 1_024 / 1_024).toFixed(1).replace(/\.0$/, '')} MB`;
}
