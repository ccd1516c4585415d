// Saves a text made by the page as a file.
export function saveFile(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const anchor = Object.assign(document.createElement('a'), { href: address, download: name });
  anchor.click();
  // The browser starts reading after this task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
