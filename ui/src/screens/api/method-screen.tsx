// A method: all methods at the side; a form to try it with the browser's session beside the code of the same call, the answer below
// both, and then the reference: parameters, what it returns, and faults.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Facts } from '../../parts/facts/facts.tsx';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { useFilled } from './account-values.ts';
import { type Answer, AnswerPart } from './answer.tsx';
import classes from './columns.module.css';
import { Members } from './members.tsx';
import { MethodList } from './method-list.tsx';
import { type Operation, referenceQuery, typeOf } from './reference.ts';
import { Samples } from './samples-part.tsx';
import { TryIt } from './try-it.tsx';

export function MethodScreen() {
  const t = useText('api');
  const { method } = useParams({ strict: false }) as { method: string };
  const answer = useQuery(referenceQuery);
  if (!answer.data)
    return (
      <Page>
        <PageHeader title={method} back={{ to: '/api', label: t('title') }} />
        <Loaded query={answer}>{() => null}</Loaded>
      </Page>
    );
  const { operations, server } = answer.data;
  const operation = operations.find((candidate) => candidate.name === method);
  if (!operation) return <NotFound />;
  return (
    <Page>
      <PageHeader
        title={operation.name}
        back={{ to: '/api', label: t('title') }}
        description={operation.summary}
        status={
          <Group gap="xs">
            <Tag>
              {t('needs', {
                permissions: operation.permissions.map((some) => some.join(` ${t('needsOr')} `)).join(', '),
              })}
            </Tag>
            {operation.person && <Tag>{t('usersOnly')}</Tag>}
          </Group>
        }
      />
      <div className={classes.frame}>
        <div className={classes.columns}>
          <MethodList operations={operations} current={method} />
          <Shown key={method} operation={operation} server={server} />
        </div>
      </div>
    </Page>
  );
}

function Shown({ operation, server }: { operation: Operation; server: string }) {
  const t = useText('api');
  const example = useFilled(operation.name, operation.example);
  const [tried, setTried] = useState<Record<string, unknown>>();
  const [answer, setAnswer] = useState<Answer>();
  const params = tried ?? example;
  const hasSamples = !operation.person;
  return (
    <Stack gap="xl">
      <Stack gap="xs">
        {operation.description !== '' && <Text maw={720}>{operation.description}</Text>}
        <Group component="nav" aria-label={t('onThisPage')} gap="xs">
          {(['params', 'returns', 'faults'] as const).map((part) => (
            <Anchor key={part} href={`#${part}`} size="sm" underline="always" py={2} pe="xs">
              {t(part)}
            </Anchor>
          ))}
        </Group>
      </Stack>
      <div className={classes.bench} data-single={!hasSamples || undefined}>
        <div className={classes.form}>
          <Section title={t('tryIt')} description={t('tryItAbout')}>
            {example ? (
              <TryIt operation={operation} example={example} onParams={setTried} onAnswer={setAnswer} />
            ) : (
              <Lines />
            )}
          </Section>
        </div>
        <div className={classes.answer} role="status">
          {answer && <AnswerPart answer={answer} />}
        </div>
        {hasSamples && (
          <div className={classes.code}>
            {params && (
              <Section title={t('samples')}>
                <Samples server={server} method={operation.name} params={params} />
              </Section>
            )}
          </div>
        )}
      </div>
      <div className={classes.reference}>
        <Section id="params" title={t('params')}>
          <Members label={t('params')} schema={operation.params} />
        </Section>
        <Section id="returns" title={t('returns')} description={typeOf(operation.returns)}>
          <Members label={t('returns')} schema={operation.returns.items ?? operation.returns} />
        </Section>
        <Section id="faults" title={t('faults')}>
          <Facts label={t('faults')} facts={operation.faults.map(({ status, text }) => [`HTTP ${status}`, text])} />
        </Section>
      </div>
    </Stack>
  );
}
