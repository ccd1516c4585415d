-- Fields of the types yes/no and multiple choice; src/audience/model/chosen.ts has the form of their values.
alter table field drop constraint field_field_type_check;
alter table field add constraint field_field_type_check check (field_type in
  ('text', 'number', 'email', 'date', 'phone', 'website', 'address', 'dropdown', 'image', 'yes_no', 'multiple_choice'));
