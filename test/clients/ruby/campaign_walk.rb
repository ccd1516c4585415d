# The walk through the ten methods in Ruby, for whatever carries the call; prints one JSON report (see walk.ts).
# The block gets the method's name and its parameters; it returns the result, or raises or returns a Seen.
require 'json'

Seen = Struct.new(:type, :code, :message)

def walk
  report = {}
  call = lambda do |method, given = {}|
    answer = yield(method, { 'apikey' => ENV['API_KEY'] }.merge(given))
    raise "#{method}: #{answer.to_a}" if answer.is_a?(Seen)
    answer
  end
  both = [ENV['LIST_ONE'], ENV['LIST_TWO']]
  options = {
    'list_id' => ENV['LIST_ONE'], 'subject' => 'Grüße & <Neues> "日本" 50% €', 'from_email' => 'editors@example.com',
    'from_name' => 'Die Redaktion', 'generate_text' => true
  }
  report['templates'] = call['campaignTemplates']
  cid = report['created'] = call['campaignCreate', {
    'type' => 'HTML',
    'options' => options.merge(
      'title' => 'First',
      'tracking' => { 'opens' => false, 'html_clicks' => false, 'text_clicks' => true },
      'analytics' => { 'google' => 'spring & sale' }
    ),
    'content' => { 'html' => %(<p>Dear *|FNAME:friend|*,\n<b>größer &amp; "better"</b></p>) }
  }]
  report['fromTemplate'] = call['campaignCreate', {
    'type' => 'HTML',
    'options' => options.merge('list_id' => both),
    'content' => { 'template_id' => report['templates'][0]['id'] }
  }]
  report['updated'] = [['title', '007'], ['tracking', { 'html_clicks' => true }], ['list_id', both]].map do |name, value|
    call['campaignUpdate', { 'cid' => cid, 'name' => name, 'value' => value }]
  end
  report['tested'] = call['campaignSendTest', {
    'cid' => cid, 'test_emails' => %w[test1@example.com test2@example.com], 'send_type' => 'plain'
  }]
  report['scheduled'] = call['campaignSchedule', { 'cid' => cid, 'schedule_time' => '2099-01-31 09:00:00 +0100' }]
  report['whenScheduled'] = call['campaigns', { 'filters' => { 'campaign_id' => cid } }]
  report['unscheduled'] = call['campaignUnschedule', { 'cid' => cid }]
  report['replica'] = call['campaignReplicate', { 'cid' => cid }]
  report['sent'] = call['campaignSendNow', { 'cid' => cid }]
  100.times do
    report['whenSent'] = call['campaigns', { 'filters' => { 'campaign_id' => cid, 'type' => 'HTML' } }]
    break if report['whenSent'][0]['status'] == 'sent'
    sleep 0.2
  end
  report['pages'] = [0, 1].map do |page|
    call['campaigns', { 'filters' => { 'status' => 'draft' }, 'start' => page, 'limit' => 1 }]
  end
  report['deleted'] = call['campaignDelete', { 'cid' => report['replica'] }]
  report['left'] = call['campaigns']

  report['faults'] = [
    ['campaignDelete', { 'cid' => 'nowhere' }],
    ['campaignSendNow', { 'cid' => cid }],
    ['campaignSchedule', { 'cid' => report['fromTemplate'], 'schedule_time' => 'tomorrow' }],
    ['campaigns', { 'apikey' => '0' * 32 }]
  ].map { |method, given| yield(method, { 'apikey' => ENV['API_KEY'] }.merge(given)) }
   .grep(Seen).map(&:to_h)
  puts JSON.generate(report)
end
