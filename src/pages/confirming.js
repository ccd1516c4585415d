// Confirms once a person looks at the page: it was visible for a while, and has the focus or was touched. Programs that load pages to
// check them show none of it, or say that they are programs. Without this script the button is there, and it stays.
(() => {
  if (navigator.webdriver) return;
  const [form] = document.forms;
  const note = document.getElementById('confirming');
  const stepMs = 100;
  // Longer than the server demands (form.ts), and long enough to read the question.
  const minSeenMs = 2000;
  let seenMs = 0;
  let isTouched = false;
  for (const name of ['pointermove', 'pointerdown', 'touchstart', 'keydown', 'wheel', 'scroll'])
    addEventListener(name, ({ isTrusted }) => (isTouched ||= isTrusted), { capture: true, passive: true });
  const timer = setInterval(() => {
    if (document.visibilityState !== 'visible' || document.prerendering) return;
    seenMs += stepMs;
    const isLookedAt = isTouched || document.hasFocus();
    note.hidden = !isLookedAt;
    if (seenMs < minSeenMs || !isLookedAt) return;
    clearInterval(timer);
    form.elements.how.value = 'automatic';
    form.submit();
  }, stepMs);
  form.addEventListener('submit', () => clearInterval(timer));
})();
