// How long a password of a person is, in characters. The screens say the least length before they send it
// (ui/src/session/password-length.ts; a test compares them).
export const passwordLength = { min: 12, max: 256 };
