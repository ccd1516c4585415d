// A picture that somebody dropped or pasted: found among what else came with it.

/** What the program takes; the file's bytes decide there, this is for the dialog of the system. */
export const pictureTypes = 'image/png,image/jpeg,image/gif,image/webp';

/** The first picture of a drop, whatever else is dropped with it. */
export function droppedPicture(from: DataTransfer | null): File | undefined {
  return pictureOf(from);
}

/** The picture of a paste; words that come with a picture of themselves, as office programs send them, stay words. */
export function pastedPicture(from: DataTransfer | null): File | undefined {
  return from?.types.includes('text/plain') ? undefined : pictureOf(from);
}

/** Whether what is being dragged holds files; which ones is told at the drop. */
export const holdsFiles = (from: DataTransfer | null) => from?.types.includes('Files') === true;

function pictureOf(from: DataTransfer | null): File | undefined {
  return [...(from?.files ?? [])].find((file) => file.type.startsWith('image/'));
}
