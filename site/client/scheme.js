// Sets light or dark before anything is drawn; the choice is the one of the web application. A file of its own because the
// content security policy allows no script within the page.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('postrider-scheme') ?? 'auto';
  } catch {
    // Storage is switched off in this browser: the system's scheme it is.
  }
  const { dataset } = document.documentElement;
  dataset.script = 'on';
  if (chosen === 'dark' || chosen === 'light') dataset.scheme = chosen;
})();
