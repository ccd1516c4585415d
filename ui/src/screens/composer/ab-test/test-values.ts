// The A/B test of a draft as the composer edits it: off, or variants besides the campaign itself. Pure.
import { testSizeOf, usualTest } from '../../../../../src/campaigns/model/division.ts';
import type { ParamsOf, ResultOf } from '../../../api/types.ts';

/** What a variant has of its own; "" is as in the campaign. */
export type VariantDraft = { subject: string; preview_text: string; from_name: string; html: string; plain: string };
export type TestDraft = {
  on: boolean;
  share: number;
  winner: Exclude<ResultOf<'campaignTestGet'>['winner'], ''>;
  wait_minutes: number;
  variants: VariantDraft[];
};

export const emptyVariant: VariantDraft = { subject: '', preview_text: '', from_name: '', html: '', plain: '' };
export const noTest: TestDraft = {
  on: false,
  share: usualTest.share,
  winner: usualTest.winner,
  wait_minutes: usualTest.waitMinutes,
  variants: [],
};

export function testOf(info: ResultOf<'campaignTestGet'>): TestDraft {
  if (!info.on) return noTest;
  return {
    on: true,
    share: info.share,
    winner: info.winner || noTest.winner,
    wait_minutes: info.wait_minutes,
    variants: info.variants.slice(1).map(({ differs, subject, preview_text, from_name, html, plain }) => ({
      subject: differs.includes('subject') ? subject : '',
      preview_text,
      from_name,
      html,
      plain,
    })),
  };
}

/** Whether a variant has nothing of its own yet, so that the server would refuse the test. */
export const isUnfinished = ({ on, variants }: TestDraft): boolean =>
  on && variants.some((variant) => Object.values(variant).every((value) => value === ''));

/** The call that stores it. @param plainOnly the campaign has no HTML */
export function settingOf(cid: string, test: TestDraft, plainOnly: boolean): ParamsOf<'campaignTestUpdate'> {
  const { share, winner, wait_minutes, variants } = test;
  return {
    cid,
    share,
    winner,
    wait_minutes,
    variants: variants.map(({ subject, preview_text, from_name, html, plain }) =>
      // The text of another HTML is made from it.
      plainOnly ? { subject, from_name, plain } : { subject, preview_text, from_name, html },
    ),
  };
}

/** How many recipients get a variant, and how many wait for the winner. */
export function divided(recipients: number, { share, variants }: TestDraft): { each: number; rest: number } {
  const count = variants.length + 1;
  const size = testSizeOf(recipients, share, count);
  return { each: Math.floor(size / count), rest: recipients - size };
}
