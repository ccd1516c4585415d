-- More roles: author, analyst, and custom, whose rights are chosen.
alter table membership
  -- Of the role custom, all that the person may do: src/base/permissions.ts.
  add column permissions text[],
  drop constraint membership_role_check,
  add constraint membership_role_check check (role in ('owner', 'editor', 'author', 'viewer', 'analyst', 'custom')),
  add constraint membership_permissions_check check ((role = 'custom') = (permissions is not null));

alter table invitation
  -- Of the role custom.
  add column permissions text[],
  drop constraint invitation_role_check,
  add constraint invitation_role_check check (role in ('owner', 'editor', 'author', 'viewer', 'analyst', 'custom')),
  add constraint invitation_permissions_check check ((role = 'custom') = (permissions is not null));
