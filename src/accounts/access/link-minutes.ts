// How long a link is good for that signs in, sets a password, or invites. Imports nothing, so that the screens say the same (bin/build-ui).
export const linkMinutes = {
  'first run': 24 * 60,
  reset: 30,
  invite: 7 * 24 * 60,
  'sign in': 30,
};

export type LinkPurpose = keyof typeof linkMinutes;
