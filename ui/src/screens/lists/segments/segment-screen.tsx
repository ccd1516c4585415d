// A segment on a page of its own: a new one, or one that is edited. Afterwards its contacts are shown.
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ApiFault } from '../../../api/call.ts';
import { faultCodes } from '../../../api/fault-codes.ts';
import { useMethod } from '../../../api/use-method.ts';
import { Lines, Loaded } from '../../../parts/loaded.tsx';
import { LoadingPage } from '../../../parts/loading-page.tsx';
import { Page, PageHeader } from '../../../parts/page.tsx';
import { useSession } from '../../../session/session.ts';
import { NotFound } from '../../../shell/not-found.tsx';
import { useText } from '../../../text/use-text.tsx';

// Its fields are loaded beside what they are filled with.
const SegmentForm = lazy(async () => ({ default: (await import('./segment-form.tsx')).SegmentForm }));

const route = getRouteApi('/shell/lists/$id/segments/$segment');

export function SegmentScreen() {
  const { id: list, segment: chosen } = route.useParams();
  const t = useText('lists');
  const navigate = useNavigate();
  const mayWrite = useSession().may('contacts:write');
  const of = useMethod('listGet', { id: list });
  const segments = useMethod('listSegments', { id: list });
  const fields = useMethod('listMergeVars', { id: list });
  const back = {
    to: '/lists/$id',
    params: { id: list },
    search: { tab: 'segments' },
    label: t('tab.segments'),
  } as const;
  const isNew = chosen === 'new';
  const isUnknown = of.error instanceof ApiFault && of.error.code === faultCodes.LIST_UNKNOWN;
  if (!mayWrite || isUnknown) return <NotFound />;
  const segment = isNew ? undefined : segments.data?.find(({ id }) => id === chosen);
  if (!isNew && segments.data === undefined) return <LoadingPage title={t('segment')} back={back} query={segments} />;
  if (!isNew && segment === undefined) return <NotFound />;
  return (
    <Page>
      <PageHeader
        title={segment ? t('editSegment', { name: segment.name }) : t('addSegment')}
        description={of.data && t('segmentOf', { list: of.data.title })}
        back={back}
      />
      <Loaded query={fields}>
        {(known) => (
          <Suspense fallback={<Lines />}>
            <SegmentForm
              key={chosen}
              list={list}
              segment={segment}
              fields={known}
              onSaved={(saved) =>
                // The form is not what the browser goes back to.
                void navigate({
                  to: '/lists/$id',
                  params: { id: list },
                  search: { tab: 'members', state: 'subscribed', segment: saved },
                  replace: true,
                })
              }
              back={back}
            />
          </Suspense>
        )}
      </Loaded>
    </Page>
  );
}
