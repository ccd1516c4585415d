// All methods by group at the side of a method, with search.
import { Stack, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Fragment, useEffect, useRef, useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import classes from './columns.module.css';
import { type Operation, searched, wordsOf } from './reference.ts';

export function MethodList({ operations, current }: { operations: readonly Operation[]; current: string }) {
  const t = useText('api');
  const [query, setQuery] = useState('');
  const list = useRef<HTMLElement>(null);
  const found = searched(operations, query);
  const groups = [...new Set(found.map(({ group }) => group))];
  // Where the method is in the list; later choices are where the reader clicked.
  useEffect(() => {
    const entry = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (entry && list.current) list.current.scrollTop = entry.offsetTop - list.current.clientHeight / 2;
  }, []);
  return (
    <nav ref={list} className={classes.list} aria-label={t('methods')}>
      <Stack gap="md">
        <TextInput
          type="search"
          className={classes.search}
          size="xs"
          aria-label={t('search')}
          placeholder={t('search')}
          leftSection={<IconSearch size={14} aria-hidden />}
          value={query}
          onChange={({ currentTarget: { value } }) => setQuery(value)}
        />
        {groups.map((group) => (
          <div key={group}>
            <Text size="xs" fw={500} px={8} mb={4}>
              {t.of('group', group)}
            </Text>
            <ul>
              {found
                .filter((operation) => operation.group === group)
                .map(({ name }) => (
                  <li key={name}>
                    <Link
                      to="/api/$method"
                      params={{ method: name }}
                      className={classes.entry}
                      aria-current={name === current ? 'page' : undefined}
                    >
                      {wordsOf(name).map((word, i) => (
                        // biome-ignore lint/suspicious/noArrayIndexKey: a name may have a word twice, and its words never move
                        <Fragment key={i}>
                          {i > 0 && <wbr />}
                          {word}
                        </Fragment>
                      ))}
                    </Link>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </Stack>
    </nav>
  );
}
