// What the layout of a page is measured by: the size of its targets, and how far its parts moved while it loaded.
import type { Page } from 'playwright-core';

/** The least height of the one button a screen is there for, and of everything else that is pressed, on a phone. */
export const primaryPx = 44;
export const targetPx = 24;

/**
 * The visible targets of a page that are too small for a thumb. Primary buttons, those with the ground of the accent, have
 * 44 px. Others have 24 px, or as much room around them (WCAG 2.2, 2.5.8); links within a sentence are excepted there.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(findSmall, { primaryPx, targetPx });
}

/** Runs in the page. */
function findSmall({ primaryPx, targetPx }: { primaryPx: number; targetPx: number }): string[] {
  const kinds =
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=checkbox], [role=switch], [role=radio], [role=option]';
  const probe = document.createElement('i');
  probe.style.color = 'var(--mantine-primary-color-filled)';
  document.body.append(probe);
  const accent = getComputedStyle(probe).color;
  probe.remove();

  /** A field is pressed by its label too. */
  const areaOf = (element: Element): DOMRect => {
    const own = element.getBoundingClientRect();
    const labels = [...((element as HTMLInputElement).labels ?? [])].filter((label) => label.checkVisibility());
    if (!['checkbox', 'radio'].includes((element as HTMLInputElement).type)) return own;
    const all = [own, ...labels.map((label) => label.getBoundingClientRect())];
    const left = Math.min(...all.map((rect) => rect.left));
    const top = Math.min(...all.map((rect) => rect.top));
    return new DOMRect(
      left,
      top,
      Math.max(...all.map((rect) => rect.right)) - left,
      Math.max(...all.map((rect) => rect.bottom)) - top,
    );
  };
  const isShown = (element: Element) => {
    const { width, height, right, bottom } = element.getBoundingClientRect();
    const isSeen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return isSeen && width > 2 && height > 2 && right > 0 && bottom + scrollY > 0;
  };
  /** A link with words beside it has the height of their line. */
  const isInSentence = (element: Element) => {
    if (element.tagName !== 'A' && getComputedStyle(element).display !== 'inline') return false;
    const around = element.parentElement?.closest('p, li, dd, td, div, h1, h2, h3, label') ?? element;
    return (around.textContent ?? '').trim().length > (element.textContent ?? '').trim().length + 3;
  };

  const shown = [...document.querySelectorAll(kinds)].filter(isShown);
  const targets = shown.map((element) => ({ element, area: areaOf(element) }));
  const isSmall = (area: DOMRect) => Math.min(area.width, area.height) < targetPx - 0.5;
  /** Whether a circle of 24 px around its middle meets no other target, nor the circle of another small one. */
  const hasRoom = ({ element, area }: (typeof targets)[number]) => {
    const x = area.x + area.width / 2;
    const y = area.y + area.height / 2;
    return targets.every((other) => {
      if (other.element === element || other.element.contains(element) || element.contains(other.element)) return true;
      const { left, right, top, bottom } = other.area;
      const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
      if (isSmall(other.area) && Math.hypot(middle.x - x, middle.y - y) < targetPx - 0.5) return false;
      const nearest = { x: Math.min(Math.max(x, left), right), y: Math.min(Math.max(y, top), bottom) };
      return Math.hypot(nearest.x - x, nearest.y - y) >= targetPx / 2 - 0.5;
    });
  };
  return targets.flatMap((target) => {
    const { element, area } = target;
    const isPrimary =
      element.matches('a, button:not([aria-current])') && getComputedStyle(element).backgroundColor === accent;
    const isTooSmall = isPrimary
      ? area.height < primaryPx - 0.5
      : isSmall(area) && !isInSentence(element) && !hasRoom(target);
    if (!isTooSmall) return [];
    const words = element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '';
    const size = `${Math.round(area.width)} × ${Math.round(area.height)}`;
    return [`${isPrimary ? 'primary ' : ''}${element.tagName.toLowerCase()} “${words.slice(0, 40)}” ${size}`];
  });
}

/** The visible buttons whose words are cut, or that stick out of the card or cell that they are in. */
export function cutButtons(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.mantine-Button-root')].flatMap((button) => {
      const label = button.querySelector('.mantine-Button-label');
      if (!label || !button.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return [];
      const words = `“${label.textContent?.trim()}”`;
      if (label.scrollWidth > label.clientWidth + 1 || label.scrollHeight > label.clientHeight + 1)
        return [`the button ${words} is cut`];
      const around = button.closest('li, td')?.getBoundingClientRect();
      return around && button.getBoundingClientRect().right > around.right + 1
        ? [`the button ${words} sticks out`]
        : [];
    }),
  );
}

/**
 * The first answers that a screen gets come up to 250 ms later, each by its method and parameters: one after the other, as over
 * a slow connection. What comes late must have its room.
 */
export async function spreadAnswers(page: Page): Promise<void> {
  const known = new Set<string>();
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) known.clear();
  });
  await page.route(
    ({ pathname }) => pathname.startsWith('/api/'),
    async (route) => {
      const asked = `${new URL(route.request().url()).pathname} ${route.request().postData() ?? ''}`;
      // What is asked again and again, as while a campaign is sent, would always be in flight.
      if (known.has(asked)) return route.continue().catch(() => {});
      known.add(asked);
      const digit = [...asked].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 0) % 6;
      await new Promise((resolve) => setTimeout(resolve, digit * 50));
      // A page that is left no longer waits for it.
      await route.continue().catch(() => {});
    },
  );
}

/** From now on each page that is opened notes which of its parts move without having been asked to. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: { value: number; parts: string[] }[] = [];
    Object.assign(window, { shifts });
    type Shift = PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
    };
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        if (hadRecentInput) continue;
        const parts = sources.map(({ node, previousRect, currentRect }) => {
          const words = node?.textContent?.trim().slice(0, 30) ?? '';
          return `“${words}” ${Math.round(previousRect.y)}→${Math.round(currentRect.y)}`;
        });
        shifts.push({ value, parts });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** How far the parts of a page moved while it loaded, as browsers report it (cumulative layout shift), and which. */
export async function layoutShift(page: Page): Promise<{ value: number; parts: string[] }> {
  const shifts = await page.evaluate(
    () => (window as unknown as { shifts: { value: number; parts: string[] }[] }).shifts,
  );
  return {
    value: shifts.reduce((sum, { value }) => sum + value, 0),
    parts: shifts.flatMap(({ value, parts }) => parts.map((part) => `${value.toFixed(3)} ${part}`)),
  };
}
