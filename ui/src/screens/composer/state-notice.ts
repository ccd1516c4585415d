// The notice above a campaign that is no longer a draft. It is at the top, the button that schedules is at the bottom: after
// scheduling the notice is scrolled to and takes the focus.

export const stateNotice = 'campaign-state';

export function showState(): void {
  // After the notice has rendered.
  setTimeout(() => {
    const notice = document.getElementById(stateNotice);
    notice?.scrollIntoView({ block: 'center' });
    notice?.focus({ preventScroll: true });
  }, 50);
}
