// Finds the image among dropped or pasted data.

/** For the file dialog; the server decides by the file's bytes. */
export const pictureTypes = 'image/png,image/jpeg,image/gif,image/webp';

/** The first image of a drop, whatever else is dropped with it. */
export function droppedPicture(data: DataTransfer | null): File | undefined {
  return pictureOf(data);
}

/** The image of a paste. Office programs add an image to pasted text: that is pasted as text. */
export function pastedPicture(data: DataTransfer | null): File | undefined {
  return data?.types.includes('text/plain') ? undefined : pictureOf(data);
}

/** Whether the dragged data contains files; browsers reveal which only on drop. */
export const holdsFiles = (data: DataTransfer | null) => data?.types.includes('Files') === true;

function pictureOf(data: DataTransfer | null): File | undefined {
  return [...(data?.files ?? [])].find((file) => file.type.startsWith('image/'));
}
