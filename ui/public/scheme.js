// Sets light or dark before anything is drawn, so that no page flashes in the wrong one, and marks the pages for visitors, which
// have no menu. A file of its own because the content security policy allows no script within the page.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('postrider-scheme') ?? 'auto';
  } catch {
    // Storage is switched off in this browser: the system's scheme it is.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  const outside = /\/app\/(sign-in|first-run|forgotten|reset|invite|signed-in|enter)(\/|$)/;
  if (outside.test(location.pathname)) document.documentElement.setAttribute('data-outside', '');
})();
