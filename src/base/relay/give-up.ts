// How long a recipient is tried before it counts as not delivered; one whose outcome is unclear is held for as long. Imports nothing, so
// that the screens say the same (bin/build-ui).
export const giveUpHours = 72;
