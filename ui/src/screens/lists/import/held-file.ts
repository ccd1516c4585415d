// A file that was dropped on another screen, on its way to the import.
let held: File | undefined;

export function holdFile(file: File): void {
  held = file;
}

/** Returns the file once. */
export function takeFile(): File | undefined {
  const file = held;
  held = undefined;
  return file;
}
