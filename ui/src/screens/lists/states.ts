// The states of members in display order, and their tones.
import type { ResultOf } from '../../api/types.ts';
import type { Tone } from '../../parts/status/status.tsx';

export type MemberState = ResultOf<'listMemberInfo'>['status'];

export const memberTones: Record<MemberState, Tone> = {
  subscribed: 'good',
  pending: 'still',
  unsubscribed: 'still',
  inactive: 'still',
  bounced: 'bad',
};

export const memberStates = Object.keys(memberTones) as MemberState[];

/** A state in a URL. */
export const isMemberState = (text: string | undefined): text is MemberState =>
  text !== undefined && Object.hasOwn(memberTones, text);
