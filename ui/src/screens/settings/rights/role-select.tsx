// The choice of a role, each with one line on what it may do. Roles that may do more than the signed-in person are not offered.
import { type SelectProps, Stack, Text } from '@mantine/core';
import { type Role, rolePermissions, roles } from '../../../../../src/base/permissions.ts';
import { Select } from '../../../parts/form/select.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';

export type { Role };

export function RoleSelect(props: Omit<SelectProps, 'data' | 'renderOption'>) {
  const t = useText('settings');
  const { may } = useSession();
  return (
    <Select
      {...props}
      data={roles.map((role) => ({
        value: role,
        label: t(`role.${role}`),
        disabled: role !== 'custom' && !rolePermissions[role].every(may),
      }))}
      renderOption={({ option }) => (
        <Stack gap={0}>
          <Text size="sm">{option.label}</Text>
          <Text size="xs" c="dimmed">
            {t.of('roleAbout', option.value)}
          </Text>
        </Stack>
      )}
      comboboxProps={{ width: 320, position: 'bottom-start' }}
      allowDeselect={false}
      maxDropdownHeight={420}
    />
  );
}
