# Sends the values of the table with each way that Ruby has: ruby send.rb VARIANT.
require 'date'
require 'xmlrpc/client'

variant = ARGV[0]
if variant == 'nil'
  $VERBOSE = nil
  XMLRPC::Config.const_set(:ENABLE_NIL_CREATE, true)
end

$client = XMLRPC::Client.new2("#{ENV['MAIL_URL']}/xmlrpc")
$list = ENV['MAIL_LIST']

# What the client cannot send is passed over.
def call(name, method, params)
  $client.http_header_extra = { 'X-Case' => name, 'accept-encoding' => 'identity' }
  $client.call(method, { apikey: ENV['MAIL_KEY'] }.merge(params))
rescue StandardError => e
  puts "#{name}: #{e.message}"
end

def subscribe(name, vars)
  call(name, 'listSubscribe', id: $list, email_address: "#{name}@client.example", merge_vars: vars,
                              double_optin: false, update_existing: true)
end

subscribe('umlaut', FNAME: 'ä')
subscribe('cjk', FNAME: '日本')
subscribe('emoji', FNAME: '😀')
subscribe('quote', FNAME: 'O’Hara')
subscribe('word', FNAME: "O\x92Hara".b)
subscribe('empty', FNAME: '')
subscribe('null', FNAME: nil)
subscribe('date', BDAY: XMLRPC::DateTime.new(2015, 12, 25, 0, 0, 0))
subscribe('digits', NUMBER: '00123')
subscribe('int', NUMBER: 123)
subscribe('double', NUMBER: 123.0)
subscribe('bytes', FNAME: XMLRPC::Base64.new('ä'))
call('boolean', 'listCreate', title: 'Boolean', options: { has_email_type_option: false })
rows = [{ EMAIL: 'row1@client.example', FNAME: 'ä' }, { EMAIL: 'row2@client.example', FNAME: '日本' }]
call('nested', 'listBatchSubscribe', id: $list, batch: rows, double_optin: false, update_existing: true)
call('gaps', 'listBatchSubscribe', id: $list, batch: { 17 => rows[0], 42 => rows[1] }, double_optin: false, update_existing: true)
