// How long a password of a person is, in characters. Imports nothing, so that the screens say it before they send one (bin/build-ui).
export const passwordLength = { min: 12, max: 256 };
