// Turns the sign-up forms of Postrider on a page into inline ones: messages appear in place, and the visitor stays on the page.
// No cookies, no styles, nothing but requests to where this script came from. Where anything fails, the form is sent as without it.
(() => {
  const root = new URL('.', document.currentScript.src).href;
  const minOpenMs = 1600;
  const ready = new WeakMap();

  /** The time at which the form was opened, signed, with a proof of work for it: begun when the form is first used. */
  const prepare = (form) => {
    if (!ready.has(form)) ready.set(form, begin(form));
    return ready.get(form);
  };

  const begin = async (form) => {
    const at = Date.now();
    const { look, bits } = await (await fetch(inlineUrl(form), { credentials: 'omit' })).json();
    return { at, look, proof: await solve(look, bits) };
  };

  const inlineUrl = ({ action }) => {
    const url = new URL(action);
    url.pathname += '/inline';
    return url;
  };

  const solve = async (look, bits) => {
    const encoder = new TextEncoder();
    for (let n = Math.floor(Math.random() * 1e12); ; n += 256) {
      const proofs = Array.from({ length: 256 }, (_, i) => (n + i).toString(36));
      const digests = await Promise.all(
        proofs.map((proof) => crypto.subtle.digest('SHA-256', encoder.encode(`${look}:${proof}`))),
      );
      const found = digests.findIndex((digest) => new DataView(digest).getUint32(0) >>> (32 - bits) === 0);
      if (found >= 0) return proofs[found];
    }
  };

  const send = async (form, tries = 2) => {
    const { at, look, proof } = await prepare(form);
    await new Promise((resolve) => setTimeout(resolve, at + minOpenMs - Date.now()));
    const body = new URLSearchParams(new FormData(form));
    body.set('LOOK', look);
    body.set('PROOF', proof);
    const answer = await (await fetch(inlineUrl(form), { method: 'POST', body, credentials: 'omit' })).json();
    if (answer.state !== 'again' || tries === 1) return answer;
    ready.delete(form);
    return send(form, tries - 1);
  };

  const show = (form, { state, text, redirect, problems = {} }) => {
    if (state === 'done' && redirect) return location.assign(redirect);
    for (const old of form.querySelectorAll('[data-problem]')) old.remove();
    for (const field of form.elements) field.removeAttribute('aria-invalid');
    const note = document.createElement('p');
    note.textContent = text;
    note.tabIndex = -1;
    note.setAttribute('role', state === 'done' ? 'status' : 'alert');
    if (state === 'done') form.replaceChildren(note);
    else {
      note.dataset.problem = '';
      form.prepend(note);
    }
    note.focus();
    for (const [name, words] of Object.entries(problems)) {
      const named = form.elements[name];
      // Several boxes have one name, behind a hidden input.
      const field = named instanceof RadioNodeList ? [...named].find(({ type }) => type !== 'hidden') : named;
      if (!field) continue;
      const problem = document.createElement('span');
      problem.dataset.problem = '';
      problem.id = `${field.id}-problem`;
      problem.textContent = ` ${words}`;
      field.setAttribute('aria-invalid', 'true');
      field.setAttribute('aria-describedby', problem.id);
      (field.closest('label') ?? field).after(problem);
    }
  };

  const submit = async (event) => {
    const form = event.target;
    if (!form.action?.startsWith?.(`${root}subscribe/`)) return;
    event.preventDefault();
    const button = form.querySelector('button');
    button.disabled = true;
    try {
      show(form, await send(form));
    } catch {
      form.submit();
    } finally {
      button.disabled = false;
    }
  };

  document.addEventListener('submit', submit);
  document.addEventListener('focusin', ({ target: { form } }) => {
    if (form?.action?.startsWith?.(`${root}subscribe/`)) prepare(form).catch(() => {});
  });
})();
