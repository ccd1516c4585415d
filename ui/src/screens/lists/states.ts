// The states of members in display order, and their tones.
import type { Tone } from '../../parts/status/status.tsx';

export const memberStates = ['subscribed', 'pending', 'unsubscribed', 'inactive', 'bounced'] as const;
export type MemberState = (typeof memberStates)[number];
export const isMemberState = (value: unknown): value is MemberState => memberStates.includes(value as MemberState);

export const memberTones: Record<MemberState, Tone> = {
  subscribed: 'good',
  pending: 'waiting',
  unsubscribed: 'still',
  inactive: 'still',
  bounced: 'bad',
};

export const toneOfMember = (state: string): Tone => (isMemberState(state) ? memberTones[state] : 'still');
