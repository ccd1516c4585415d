# A webhook receiver. Run: WEBHOOK_SECRET=... PORT=8000 ruby receiver.rb (needs the gem webrick)
# Without WEBHOOK_SECRET, requests are not checked. Accepts both formats, standard and classic.
require 'json'
require 'openssl'
require 'webrick'

SECRET = ENV.fetch('WEBHOOK_SECRET', '')
# The names exactly as they appear in the header, in lower case.
ALGORITHMS = %w[md5 sha1 sha224 sha256 sha384 sha512].freeze

def verified?(secret, header, body)
  return true if secret.empty?

  algorithm, signature = (header || '').split('=', 2)
  return false if signature.nil? || signature.empty? || !ALGORITHMS.include?(algorithm)

  expected = OpenSSL::HMAC.hexdigest(algorithm, secret, body)
  expected.bytesize == signature.bytesize && OpenSSL.fixed_length_secure_compare(expected, signature)
end

def events_of(delivery)
  # In the classic format, all events of a request have one type.
  delivery.fetch('events') { delivery.fetch('data').map { |data| { 'type' => delivery['hook'], 'data' => data } } }
end

class Receiver < WEBrick::HTTPServlet::AbstractServlet
  # Saving the webhook checks the URL with HEAD.
  def do_HEAD(_request, response)
    response.status = 200
  end

  def do_POST(request, response)
    body = request.body || ''
    response.content_type = 'text/plain'
    unless verified?(SECRET, request['X-Service-Signature'], body)
      response.status = 401
      response.body = '401 Unauthorized'
      return
    end
    events_of(JSON.parse(body)).each do |event|
      # An event may arrive more than once: remember event['data']['id'].
      puts "#{event['type']} #{event['data']['id']}"
    end
    response.body = 'OK'
  end
end

$stdout.sync = true
warn 'WEBHOOK_SECRET is empty: requests are not checked' if SECRET.empty?
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ENV.fetch('PORT', '8000').to_i,
                                 Logger: WEBrick::Log.new(File::NULL), AccessLog: [])
server.mount('/', Receiver)
trap('TERM') { server.shutdown }
puts "listening on #{server.listeners.first.addr[1]}"
server.start
