# A receiver of webhooks. Run: SECRET=... PORT=8000 ruby receiver.rb (needs the gem webrick)
# With an empty SECRET the signature is not checked.
require 'json'
require 'openssl'
require 'webrick'

SECRET = ENV.fetch('SECRET', '')

def believed?(secret, header, body)
  return true if secret.empty?

  algorithm, signature = (header || '').split('=', 2)
  return false if signature.nil? || signature.empty?

  expected = OpenSSL::HMAC.hexdigest(algorithm, secret, body)
  expected.bytesize == signature.bytesize && OpenSSL.fixed_length_secure_compare(expected, signature)
rescue RuntimeError, OpenSSL::OpenSSLError # not an algorithm that HMAC knows
  false
end

class Receiver < WEBrick::HTTPServlet::AbstractServlet
  # The service asks whether the address is there.
  def do_HEAD(_request, response)
    response.status = 200
  end

  def do_POST(request, response)
    body = request.body || ''
    response.content_type = 'text/plain'
    unless believed?(SECRET, request['X-Service-Signature'], body)
      response.status = 401
      response.body = '401 Unauthorized'
      return
    end
    JSON.parse(body).fetch('events').each do |event|
      # The same event may come again: remember event['data']['id'].
      puts "#{event['type']} #{event['data']['id']}"
    end
    response.body = 'OK'
  end
end

$stdout.sync = true
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ENV.fetch('PORT', '8000').to_i,
                                 Logger: WEBrick::Log.new(File::NULL), AccessLog: [])
server.mount('/', Receiver)
trap('TERM') { server.shutdown }
puts "listening on #{server.listeners.first.addr[1]}"
server.start
