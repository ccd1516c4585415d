// How large the parts of a campaign may be. Imports nothing, so that the screens check and say the same (bin/build-ui).

/** HTML at most, in characters; of plain text, templates and single messages too. */
export const maxHtml = 2 * 1024 * 1024;

export const maxPictureBytes = 5 * 1024 * 1024;

export const attachmentLimits = {
  files: 10,
  /** Of a campaign. Encoded they are a third larger, and many servers take 10 MB. */
  bytes: 5 * 1024 * 1024,
  bytesPerAccount: 1024 * 1024 * 1024,
};
