-- Versions of autoresponders and emails of automations for other languages. Their recipients come one by one, so the version is with
-- the recipient instead of a range of numbers; null, which takes no space, is the email itself or what the ranges say.
alter table delivery add column language text;
alter table former_recipient add column language text;

-- Which language version a content is of, as campaign_variant.language; '' for the campaign itself and for variants of an A/B test.
alter table frozen_content add column language text not null default '';
