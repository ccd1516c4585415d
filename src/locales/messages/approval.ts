// Messages about approvals of campaigns, and comments on them.
import { defineMessages } from './define.ts';

export const approval = defineMessages({
  'approval.needed': {
    en: 'The campaign must be approved by another person who may send: campaignApprovalAsk asks for it',
    de: 'Die Kampagne braucht die Freigabe einer anderen Person, die senden darf: campaignApprovalAsk fragt danach',
  },
  'approval.still_asked': {
    en: 'The campaign waits for approval: another person who may send must approve it first',
    de: 'Die Kampagne wartet auf Freigabe: Zuerst muss eine andere Person, die senden darf, sie freigeben',
  },
  'approval.changes_asked': {
    en: 'The campaign is not approved: changes were asked for. Make them, then ask for approval again',
    de: 'Die Kampagne ist nicht freigegeben: Es wurden Änderungen erbeten. Nehmen Sie sie vor und fragen Sie dann erneut nach der Freigabe',
  },
  'approval.was_refused': {
    en: 'The campaign is not approved: the approval was refused',
    de: 'Die Kampagne ist nicht freigegeben: Die Freigabe wurde abgelehnt',
  },
  'approval.changed': {
    en: 'The campaign was changed after it was approved: the content, the recipients, or a segment, list or field that it uses. Ask for approval again',
    de: 'Die Kampagne wurde nach der Freigabe geändert: der Inhalt, die Empfänger oder ein Segment, eine Liste oder ein Feld, das sie verwendet. Fragen Sie erneut nach der Freigabe',
  },
  'approval.other_time': {
    en: 'The campaign is approved for {at} GMT only: schedule it for that time, or ask for approval again',
    de: 'Die Kampagne ist nur für {at} GMT freigegeben: Planen Sie sie für diese Zeit ein, oder fragen Sie erneut nach der Freigabe',
  },
  'approval.no_one': {
    en: 'There is no one who could approve the campaign: another person of the account must have the right to send. An owner can add one, or change the rule in the settings of the account',
    de: 'Niemand könnte die Kampagne freigeben: Eine andere Person des Kontos muss senden dürfen. Ein Inhaber kann eine hinzufügen oder die Regel in den Einstellungen des Kontos ändern',
  },
  'approval.only_one': {
    en: '{member}: only one person of the account may send, and no one else could approve. Add another owner or editor first',
    de: '{member}: Nur eine Person des Kontos darf senden, und niemand sonst könnte freigeben. Fügen Sie zuerst einen weiteren Inhaber oder Bearbeiter hinzu',
  },
  'approval.no_time': {
    en: '{member}: only a draft that is no email of an automation is approved for a time',
    de: '{member}: Nur ein Entwurf, der keine E-Mail einer Automation ist, wird für eine Zeit freigegeben',
  },
  'approval.time_past': {
    en: '{member}: the time that was asked for is past; choose another one, or "now"',
    de: '{member}: Die gewünschte Zeit ist vorbei; wählen Sie eine andere oder "now"',
  },
  'approval.not_asked': {
    en: 'No one asks for the approval of the campaign now',
    de: 'Derzeit fragt niemand nach der Freigabe der Kampagne',
  },
  'approval.nothing_to_withdraw': {
    en: 'The campaign has neither an approval nor a question for one',
    de: 'Die Kampagne hat weder eine Freigabe noch eine Anfrage danach',
  },
  'approval.not_yours': {
    en: 'Only the one who asked, or one who may send, can withdraw it',
    de: 'Nur wer gefragt hat oder senden darf, kann sie zurückziehen',
  },
  'approval.changed_since': {
    en: '{member}: the campaign was changed since you looked at it. Look at it again, then approve it',
    de: '{member}: Die Kampagne wurde geändert, seit Sie sie angesehen haben. Sehen Sie sie noch einmal an und geben Sie sie dann frei',
  },
  'approval.own_work': {
    en: 'You asked for this approval or changed the campaign last: in this account another person approves it',
    de: 'Sie haben nach dieser Freigabe gefragt oder die Kampagne zuletzt geändert: In diesem Konto gibt eine andere Person sie frei',
  },
  'approval.not_of_account': {
    en: 'Only a person of the account who may send can approve',
    de: 'Nur eine Person des Kontos, die senden darf, kann freigeben',
  },
  'approval.link': {
    en: 'The links of a campaign that is still being sent are part of what was approved. Correct its text and ask for approval, or correct the link once it is sent',
    de: 'Die Links einer Kampagne, die noch gesendet wird, gehören zu dem, was freigegeben wurde. Korrigieren Sie den Text und fragen Sie nach der Freigabe, oder korrigieren Sie den Link, sobald sie gesendet ist',
  },
  'approval.issue_over': {
    en: 'The issue was skipped or has expired',
    de: 'Die Ausgabe wurde übersprungen oder ist abgelaufen',
  },
  'approval.home.asked': { en: '{who} asks for approval', de: '{who} fragt nach der Freigabe' },
  'approval.home.changes': { en: '{who} asks for changes', de: '{who} bittet um Änderungen' },
  'approval.home.refused': { en: '{who} has refused the approval', de: '{who} hat die Freigabe abgelehnt' },
  'campaign.rule.ask': {
    en: 'an approval is for a draft, a paused campaign, or a corrected text',
    de: 'eine Freigabe gibt es für einen Entwurf, eine pausierte Kampagne oder einen korrigierten Text',
  },
  'approval_notice.asked': { en: 'Please approve: {title}', de: 'Bitte freigeben: {title}' },
  'approval_notice.asked_text': {
    en: '{who} asks for the approval of the campaign "{title}".',
    de: '{who} fragt nach der Freigabe der Kampagne „{title}“.',
  },
  'approval_notice.asked_by_program': {
    en: 'The issue "{title}" of a recurring campaign waits for approval.',
    de: 'Die Ausgabe „{title}“ einer wiederkehrenden Kampagne wartet auf Freigabe.',
  },
  'approval_notice.wanted_now': {
    en: 'It is to be sent as soon as it is approved.',
    de: 'Sie soll gesendet werden, sobald sie freigegeben ist.',
  },
  'approval_notice.wanted_at': {
    en: 'It is to be sent at {at} GMT.',
    de: 'Sie soll um {at} GMT gesendet werden.',
  },
  'approval_notice.asked_next': {
    en: 'Look at it, then approve it, ask for changes, or refuse:',
    de: 'Sehen Sie sie an und geben Sie sie frei, bitten Sie um Änderungen, oder lehnen Sie ab:',
  },
  'approval_notice.approved': { en: 'Approved: {title}', de: 'Freigegeben: {title}' },
  'approval_notice.approved_text': {
    en: '{who} has approved the campaign "{title}".',
    de: '{who} hat die Kampagne „{title}“ freigegeben.',
  },
  'approval_notice.sent_at': { en: 'It is scheduled for {at} GMT.', de: 'Sie ist für {at} GMT eingeplant.' },
  'approval_notice.changes': { en: 'Changes asked for: {title}', de: 'Änderungen erbeten: {title}' },
  'approval_notice.changes_text': {
    en: '{who} asks for changes of the campaign "{title}".',
    de: '{who} bittet um Änderungen an der Kampagne „{title}“.',
  },
  'approval_notice.refused': { en: 'Not approved: {title}', de: 'Nicht freigegeben: {title}' },
  'approval_notice.refused_text': {
    en: '{who} has refused to approve the campaign "{title}".',
    de: '{who} hat die Freigabe der Kampagne „{title}“ abgelehnt.',
  },
  'approval_notice.withdrawn': { en: 'No longer approved: {title}', de: 'Nicht mehr freigegeben: {title}' },
  'approval_notice.withdrawn_text': {
    en: '{who} has changed the campaign "{title}" after it was approved. It is not sent before it is approved again.',
    de: '{who} hat die Kampagne „{title}“ nach der Freigabe geändert. Sie wird nicht gesendet, bevor sie erneut freigegeben ist.',
  },
  'notice.approval.none': {
    en: 'Campaigns no longer need an approval before they are sent.',
    de: 'Kampagnen brauchen vor dem Senden keine Freigabe mehr.',
  },
  'notice.approval.authors': {
    en: 'Campaigns of people who may not send need an approval before they are sent.',
    de: 'Kampagnen von Personen, die nicht senden dürfen, brauchen vor dem Senden eine Freigabe.',
  },
  'notice.approval.everyone': {
    en: 'Every campaign needs the approval of another person before it is sent.',
    de: 'Jede Kampagne braucht vor dem Senden die Freigabe einer anderen Person.',
  },
  'comment.unknown': {
    en: '{member}: the campaign has no such comment',
    de: '{member}: Die Kampagne hat keinen solchen Kommentar',
  },
  'comment.not_yours': {
    en: '{member}: this comment is of another person',
    de: '{member}: Dieser Kommentar ist von einer anderen Person',
  },
  'comment.too_many': {
    en: '{member}: a campaign has at most {count} comments',
    de: '{member}: Eine Kampagne hat höchstens {count} Kommentare',
  },
});
