-- Methods of ours have even verbs since this version: Get, Create, Update, Delete. The audit log shows what people did by the
-- name of the method, so that its earlier entries take the new names.
update audit_entry a set method = n.new_name
from (values
  ('brandInfo', 'brandGet'),
  ('listInfo', 'listGet'),
  ('contactInfo', 'contactGet'),
  ('messageInfo', 'messageGet'),
  ('setupInfo', 'setupGet'),
  ('setupBaseUrl', 'setupUpdate'),
  ('sessionInfo', 'sessionGet'),
  ('campaignTestInfo', 'campaignTestGet'),
  ('importStatus', 'importGet'),
  ('migrationStatus', 'migrationGet'),
  ('campaignOptions', 'campaignGet'),
  ('savedBlockSet', 'savedBlockCreate'),
  ('campaignTestSet', 'campaignTestUpdate'),
  ('campaignTestRemove', 'campaignTestDelete'),
  ('campaignLanguageSet', 'campaignLanguageUpdate'),
  ('contactTrackingSet', 'contactTrackingUpdate'),
  ('contactTagsChange', 'contactTagsUpdate'),
  ('contactTagsChangeMatching', 'contactTagsUpdateMatching'),
  ('senderDomainAdd', 'senderDomainCreate'),
  ('senderDomainRemove', 'senderDomainDelete'),
  ('senderDomainTracking', 'senderDomainTrackingUpdate'),
  ('passkeyAdd', 'passkeyCreate'),
  ('passkeyRemove', 'passkeyDelete'),
  ('identityRemove', 'identityDelete'),
  ('totpRemove', 'totpDelete'),
  ('userRemove', 'userDelete'),
  ('campaignAttachmentAdd', 'campaignAttachmentCreate'),
  ('relayOrder', 'relayOrderUpdate'),
  ('passwordChange', 'passwordUpdate'),
  ('importMap', 'importUpdate')
) n (old_name, new_name)
where a.method = n.old_name;
