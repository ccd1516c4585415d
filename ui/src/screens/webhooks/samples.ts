// Code that verifies the signature of a webhook request, with the webhook's values filled in: over the raw body,
// compared in constant time, 401 on a mismatch. In five languages.

export type Sample = { language: string; code: string };

/**
 * @param secret undefined if the page does not have it; the sample then reads it from the environment, and refuses to start
 * without it, because a receiver without a secret would accept forged requests
 */
export function samplesOf(hook: { algorithm: string; format: string; secret: string | undefined }): Sample[] {
  const { algorithm, secret } = hook;
  const classic = hook.format === 'classic';
  const quoted = secret === undefined ? undefined : JSON.stringify(secret);
  return [
    {
      language: 'Node',
      code: `import { createServer } from 'node:http';
import { nodeListener } from 'postrider/receiver';

const secret = ${quoted ?? 'process.env.WEBHOOK_SECRET'};
${quoted === undefined ? "if (!secret) throw new Error('WEBHOOK_SECRET is not set');\n" : ''}const listener = nodeListener({
  secret,
  onDelivery({ events }) {
    for (const { type, data } of events) console.log(type, data.id);
  },
});
createServer(listener).listen(8000);`,
    },
    {
      language: 'PHP',
      code: `<?php
$secret = ${quoted ?? "getenv('WEBHOOK_SECRET') ?: throw new Exception('WEBHOOK_SECRET is not set')"};
$body = file_get_contents('php://input');
$expected = '${algorithm}=' . hash_hmac('${algorithm}', $body, $secret);
if (!hash_equals($expected, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '')) {
    http_response_code(401);
    exit('401 Unauthorized');
}
$delivery = json_decode($body, true);
foreach ($delivery['${classic ? 'data' : 'events'}'] as $event) {
    error_log(${classic ? "$delivery['hook'] . ' ' . $event['id']" : "$event['type'] . ' ' . $event['data']['id']"});
}`,
    },
    {
      language: 'Python',
      code: `import hmac, json, os

secret = ${quoted ?? 'os.environ["WEBHOOK_SECRET"]'}
${quoted === undefined ? 'if secret == "":\n    raise SystemExit("WEBHOOK_SECRET is not set")\n' : ''}

def handle(headers, body: bytes):
    expected = "${algorithm}=" + hmac.new(secret.encode(), body, "${algorithm}").hexdigest()
    if not hmac.compare_digest(expected, headers.get("X-Service-Signature", "")):
        return 401, "401 Unauthorized"
    delivery = json.loads(body)
    for event in delivery["${classic ? 'data' : 'events'}"]:
        print(${classic ? 'delivery["hook"], event["id"]' : 'event["type"], event["data"]["id"]'})
    return 200, "OK"`,
    },
    {
      language: 'Ruby',
      code: `require 'openssl'
require 'json'

SECRET = ${quoted ?? "ENV.fetch('WEBHOOK_SECRET')"}
${quoted === undefined ? "abort 'WEBHOOK_SECRET is not set' if SECRET.empty?\n" : ''}
def handle(headers, body)
  expected = '${algorithm}=' + OpenSSL::HMAC.hexdigest('${algorithm}', SECRET, body)
  given = headers['X-Service-Signature'].to_s
  return [401, '401 Unauthorized'] unless OpenSSL.secure_compare(expected, given)
  delivery = JSON.parse(body)
  delivery['${classic ? 'data' : 'events'}'].each { |event| puts "#{${classic ? "delivery['hook']" : "event['type']"}} #{event${classic ? '' : "['data']"}['id']}" }
  [200, 'OK']
end`,
    },
    {
      language: 'Go',
      code: `package main

import (
	"crypto/hmac"
	"crypto/${algorithm === 'sha384' ? 'sha512' : algorithm}"
	"encoding/hex"
	"io"
	"net/http"${quoted === undefined ? '\n\t"os"' : ''}
)

var secret = ${quoted ?? 'os.Getenv("WEBHOOK_SECRET")'}
${quoted === undefined ? '\nfunc init() {\n\tif secret == "" {\n\t\tpanic("WEBHOOK_SECRET is not set")\n\t}\n}\n' : ''}
func handle(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	mac := hmac.New(${goHash(algorithm)}, []byte(secret))
	mac.Write(body)
	expected := "${algorithm}=" + hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(expected), []byte(r.Header.Get("X-Service-Signature"))) {
		http.Error(w, "401 Unauthorized", http.StatusUnauthorized)
		return
	}
	w.Write([]byte("OK"))
}`,
    },
  ];
}

function goHash(algorithm: string): string {
  return algorithm === 'sha384' ? 'sha512.New384' : `${algorithm}.New`;
}
