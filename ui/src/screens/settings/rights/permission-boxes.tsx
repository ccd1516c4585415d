// Check boxes for permissions, in groups: of a person with chosen rights, and of a limited API key. To write includes to read, and
// no one gives more than they have.
import { Checkbox, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Permission, permissions, withReads } from '../../../../../src/base/permissions.ts';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';

const areaOf = (permission: string) => permission.split(':')[0]!;
const areas = [...Map.groupBy(permissions, areaOf)];

type Props = {
  value?: string[];
  onChange(value: string[]): void;
  error?: ReactNode;
  /** What is always part of it. */
  always?: readonly Permission[];
};

export function PermissionBoxes({ value = [], onChange, error, always = [] }: Props) {
  const t = useText('settings');
  const { may } = useSession();
  const included = (permission: Permission) =>
    always.includes(permission) || withReads(value.filter((other) => other !== permission)).includes(permission);
  return (
    <Checkbox.Group
      label={t('keyPermissions')}
      description={t('keyPermissionsHint')}
      value={withReads([...value, ...always])}
      onChange={(chosen) => onChange(withReads(chosen))}
      error={error}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" mt="sm">
        {areas.map(([area, rights]) => (
          <Stack key={area} gap="xs">
            <Text size="sm" fw={600}>
              {t.of('permissionArea', area)}
            </Text>
            {rights.map((permission) => (
              <Checkbox
                key={permission}
                value={permission}
                label={t(`permission.${permission}`)}
                disabled={included(permission) || !may(permission)}
                {...(!may(permission) && { description: t('permissionNotOwn') })}
              />
            ))}
          </Stack>
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
