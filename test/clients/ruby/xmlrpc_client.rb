# Calls by Ruby's xmlrpc.
require 'xmlrpc/client'
require_relative 'campaign_walk'

server = XMLRPC::Client.new2("#{ENV['BASE_URL']}/1.3/")
walk do |method, given|
  server.call(method, given)
rescue XMLRPC::FaultException => e
  Seen.new(e.class.name, e.faultCode, e.faultString)
end
