# Calls as form posts by Ruby's rest-client, which spells nested hashes and arrays in brackets; answers as JSON.
require 'rest-client'
require_relative 'campaign_walk'

walk do |method, given|
  body = RestClient.post("#{ENV['BASE_URL']}/1.3/?output=json&method=#{method}", given).body
  answer = JSON.parse(body)
  if answer.is_a?(Hash) && answer.key?('error')
    Seen.new(answer.keys.join(', '), answer['code'], answer['error'])
  else
    answer
  end
end
