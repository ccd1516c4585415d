// Compile-time tests of the typed client: lines marked @ts-expect-error must not compile, the others must.
import { call } from './call.ts';
import type { MethodName, ParamsOf, ResultOf } from './types.ts';

export async function statements() {
  // @ts-expect-error a method whose name is any string would make every name a method
  const anyName: MethodName = 'a' as string;
  await call('ping');
  const made: string = await call('campaignCreate', {
    type: 'HTML',
    options: { list_id: ['a'], subject: 'x', from_email: 'a@example.com', from_name: 'A', generate_text: true },
    content: { html: '<p>' },
  });
  const rows: { id: string; emails_sent: number }[] = await call('campaigns', {
    filters: { status: 'draft' },
    limit: 5,
  });
  // @ts-expect-error no such method
  await call('campaignExplode', {});
  // @ts-expect-error cid is required
  await call('campaignDelete', {});
  // @ts-expect-error cid is required
  await call('campaignDelete');
  // @ts-expect-error a number is not an id
  await call('campaignDelete', { cid: 5 });
  // @ts-expect-error a misspelt parameter
  await call('campaigns', { limt: 5 });
  // @ts-expect-error a misspelt member
  await call('campaigns', { filters: { stauts: 'draft' } });
  // @ts-expect-error no such state
  await call('campaigns', { filters: { status: 'gone' } });
  // @ts-expect-error text is not a number
  await call('campaigns', { limit: '5' });
  // @ts-expect-error the result is a text
  const wrong: number = await call('campaignCreate', {} as ParamsOf<'campaignCreate'>);
  const stats: ResultOf<'lists'>[number]['id'] = 'a';
  return { made, rows, wrong, stats, anyName };
}
