// The approval of the campaign that is open.
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';

export type Approval = ResultOf<'campaignApprovalGet'>;

/** Without what has changed: that is computed for the approver only. */
export const useApproval = (cid: string) => useMethod('campaignApprovalGet', { cid }, { keep: true });
