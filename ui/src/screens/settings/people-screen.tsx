// The team: users and their roles; invite, change a role, remove; send an invitation again, withdraw it.
import { ActionIcon, Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import {
  IconAdjustments,
  IconMailForward,
  IconMailOff,
  IconUserMinus,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { linkMinutes } from '../../../../src/accounts/access/link-minutes.ts';
import { permissionsOf } from '../../../../src/base/permissions.ts';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ObjectMenu } from '../../parts/object-menu.tsx';
import { Status } from '../../parts/status/status.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { Time, TimeIn } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { SettingsFrame } from './frame.tsx';
import { listsGiven } from './lists-choice.tsx';
import { PersonLists } from './person-lists.tsx';
import { type Role, RoleSelect } from './rights/role-select.tsx';
import { Providers } from './security/providers.tsx';

const load = () => import('./invite.tsx');
const Invite = lazy(load);
const RightsForm = lazy(() => import('./rights/rights-form.tsx'));

type Person = ResultOf<'users'>[number];

export function PeopleScreen() {
  const t = useText('settings');
  const answer = useMethod('users');
  // The people of an account are not the operator's to change.
  const isActing = useSession().acting.until !== '';
  const [inviting, setInviting] = useState(false);
  const [link, setLink] = useState<{ email: string; link: string }>();
  const showLink = (email: string, given: string) => setLink(given === '' ? undefined : { email, link: given });
  const [choosing, setChoosing] = useState<Person>();
  const columns = usePeopleColumns({ isActing, onChoose: setChoosing, onLink: showLink });
  return (
    <SettingsFrame
      section="people"
      description={isActing ? `${t('peopleAbout')} ${t('peopleActing')}` : t('peopleAbout')}
      actions={
        !isActing && (
          <Button
            leftSection={<IconUserPlus size={16} aria-hidden />}
            onClick={() => setInviting(true)}
            onPointerEnter={load}
          >
            {t('invite')}
          </Button>
        )
      }
    >
      {link && <Invited {...link} />}
      <Rows
        label={t('section.people')}
        columns={columns}
        rows={answer.data}
        keyOf={({ id }) => id}
        nameOf={({ email }) => email}
        query={answer}
        empty={<Empty icon={IconUsers} title={t('section.people')} text={t('peopleAbout')} />}
      />
      <Providers />
      <Suspense>
        {inviting && (
          <Invite
            onClose={() => setInviting(false)}
            onDone={(email, given) => {
              setInviting(false);
              if (given === '') toast.done(t('invited', { email }));
              showLink(email, given);
            }}
          />
        )}
        {choosing && <RightsForm person={choosing} onDone={() => setChoosing(undefined)} />}
      </Suspense>
    </SettingsFrame>
  );
}

function usePeopleColumns({
  isActing,
  onChoose,
  onLink,
}: {
  isActing: boolean;
  onChoose(person: Person): void;
  onLink(email: string, link: string): void;
}): Column<Person>[] {
  const t = useText('settings');
  return [
    { name: 'person', title: t('person'), cell: (person) => <Name person={person} /> },
    {
      name: 'role',
      title: t('role'),
      width: '210px',
      cell: (person) => (
        <Stack gap={4} align="flex-start">
          <RoleChoice person={person} onChoose={() => onChoose(person)} />
          <PersonLists person={person} isFixed={isActing} />
        </Stack>
      ),
    },
    {
      name: 'totp',
      title: t('secondFactor'),
      width: '150px',
      cell: ({ totp, invited }) =>
        invited ? <Text c="dimmed">–</Text> : <Status tone={totp ? 'good' : 'still'}>{t(totp ? 'on' : 'off')}</Status>,
    },
    {
      name: 'seen',
      title: t('lastSignIn'),
      width: '130px',
      cell: ({ last_login_at, invited }) =>
        invited ? <Text c="dimmed">–</Text> : <Time at={last_login_at} never={t('never')} />,
    },
    {
      name: 'menu',
      title: t('action'),
      untitled: true,
      width: '52px',
      cell: (person) => !isActing && <PersonMenu person={person} onLink={(given) => onLink(person.email, given)} />,
    },
  ];
}

function Name({ person }: { person: Person }) {
  const t = useText('settings');
  const { user } = useSession();
  return (
    <>
      <Group gap="xs">
        <Text fw={500}>{person.name || person.email}</Text>
        {person.id === user.id && <Tag>{t('you')}</Tag>}
        {person.invited && <Status tone="waiting">{t('invitedState')}</Status>}
      </Group>
      {person.name !== '' && (
        <Text size="xs" c="dimmed">
          {person.email}
        </Text>
      )}
      {person.invited && (
        <Text size="xs" c="dimmed">
          {person.invited_by !== '' && `${t('invitedByName', { name: person.invited_by })} · `}
          <TimeIn text={t('inviteExpires')} at={person.expires_at} upcoming />
        </Text>
      )}
    </>
  );
}

function RoleChoice({ person, onChoose }: { person: Person; onChoose(): void }) {
  const t = useText('settings');
  const { user, may, acting } = useSession();
  const update = useMutate('userUpdate', ['session']);
  const name = person.name || person.email;
  const isActing = acting.until !== '';
  const mayChange = !isActing && permissionsOf(person.role, person.permissions).every(may);
  const change = async (role: Role) => {
    if (role === 'custom') return onChoose();
    // An owner who gives up the role cannot take it back.
    const own = person.id === user.id && role !== 'owner';
    if (
      own &&
      !(await confirm({ title: t('ownRoleTitle'), text: t('ownRoleText'), action: t('ownRoleConfirm'), danger: true }))
    )
      return;
    update.mutate(
      { id: person.id, role },
      {
        onSuccess: () => toast.done(t('roleChanged', { name, role: t(`role.${role}`) })),
        onError: toast.failed,
      },
    );
  };
  return (
    <Group gap="xs" wrap="nowrap">
      <RoleSelect
        size="xs"
        maw={170}
        aria-label={t('roleOf', { name })}
        value={person.role}
        disabled={!mayChange}
        {...(!mayChange && { title: t(isActing ? 'peopleActing' : 'roleNotOwn') })}
        onChange={(role) => role && role !== person.role && change(role as Role)}
      />
      {person.role === 'custom' && (
        <ActionIcon variant="default" aria-label={t('rightsOf', { name })} disabled={!mayChange} onClick={onChoose}>
          <IconAdjustments size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  );
}

/** What can be done about a person: an invitation is sent again or withdrawn, a member removed. */
function PersonMenu({ person, onLink }: { person: Person; onLink(link: string): void }) {
  const t = useText('settings');
  const { user } = useSession();
  const remove = useMutate('userDelete', ['session']);
  const invite = useMutate('userInvite');
  const name = person.name || person.email;
  if (person.id === user.id) return null;
  const { invited, email, role, permissions, all_lists, lists } = person;
  const again = async () => {
    try {
      const { link } = await invite.mutateAsync({
        ...{ email, role, permissions, name: person.name },
        ...(role !== 'owner' && listsGiven({ allLists: all_lists, lists })),
      });
      if (link === '') toast.done(t('invited', { email }));
      onLink(link);
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <ObjectMenu
      of={name}
      inRow
      items={[invited && { label: t('inviteAgain'), icon: IconMailForward, act: again }]}
      removal={{
        title: t(invited ? 'withdrawTitle' : 'removeTitle', { name }),
        text: t(invited ? 'withdrawText' : 'removeText'),
        action: t(invited ? 'withdrawInvitation' : 'remove'),
        icon: invited ? IconMailOff : IconUserMinus,
        remove: () => remove.mutateAsync({ id: person.id }),
        done: t(invited ? 'withdrawn' : 'removed', { name }),
      }}
    />
  );
}

/** Without a relay no email can be sent, so the link is shared by hand. */
function Invited({ email, link }: { email: string; link: string }) {
  const t = useText('settings');
  return (
    <Alert variant="outline" title={t('inviteLinkTitle', { email })} role="status">
      <Stack gap="sm">
        <Text size="sm">{t('inviteLinkText', { days: linkMinutes.invite / 1440 })}</Text>
        <Group gap="sm" wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{link}</Code>
          <Copy value={link} label={t('link')} />
        </Group>
      </Stack>
    </Alert>
  );
}
