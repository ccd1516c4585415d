// The fields in which the time of a campaign is typed.
import type { Page } from 'playwright-core';

/** Types when a campaign is sent: a day such as "1 July 2098" and "09:00". */
export async function typeTime(day: string, clock: string, page: Page) {
  const field = page.getByRole('textbox', { name: 'Date', exact: true });
  await field.fill(day);
  await field.blur();
  const [hours, minutes] = clock.split(':') as [string, string];
  await page.getByRole('spinbutton', { name: 'Hours' }).fill(hours);
  await page.getByRole('spinbutton', { name: 'Minutes' }).fill(minutes);
}
