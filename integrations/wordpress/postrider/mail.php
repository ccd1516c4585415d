<?php
/** The emails of the site (wp_mail) as single messages of Postrider, with log, bounces and suppression. */

defined('ABSPATH') || exit;

add_filter('pre_wp_mail', function ($sent, array $mail) {
    if ($sent !== null || postrider_setting('send_mail') !== '1') {
        return $sent;
    }
    $params = postrider_message($mail);
    // The same key for both attempts: without an answer, the first may have arrived.
    $params['idempotency_key'] = wp_generate_uuid4();
    $result = postrider_call('messageSend', $params);
    if (is_wp_error($result) && postrider_may_pass($result)) {
        $result = postrider_call('messageSend', $params);
    }
    if (is_wp_error($result)) {
        do_action('wp_mail_failed', new WP_Error('wp_mail_failed', $result->get_error_message(), $mail));
        return false;
    }
    do_action('wp_mail_succeeded', $mail);
    return true;
}, 10, 2);

/** The parameters of messageSend for those of wp_mail. */
function postrider_message(array $mail): array
{
    $params = ['to' => postrider_addresses($mail['to']), 'subject' => (string) $mail['subject'], 'track_opens' => false, 'track_clicks' => false];
    $type = apply_filters('wp_mail_content_type', 'text/plain');
    $lines = is_array($mail['headers']) ? $mail['headers'] : preg_split('/\r?\n/', (string) $mail['headers']);
    foreach ($lines as $line) {
        [$name, $value] = array_map('trim', explode(':', (string) $line, 2)) + [1 => ''];
        if ($value === '') {
            continue;
        }
        switch (strtolower($name)) {
            case 'content-type':
                $type = trim(explode(';', $value)[0]);
                break;
            case 'cc':
            case 'bcc':
                $params[strtolower($name)] = array_merge($params[strtolower($name)] ?? [], postrider_addresses($value));
                break;
            case 'reply-to':
                $params['reply_to'] = array_merge($params['reply_to'] ?? [], postrider_addresses($value));
                break;
            case 'from':
                if (preg_match('/^"?([^"<]*?)"?\s*<([^>]+)>$/', $value, $found) === 1) {
                    $params['from_email'] = $found[2];
                    if ($found[1] !== '') {
                        $params['from_name'] = $found[1];
                    }
                } else {
                    $params['from_email'] = $value;
                }
                break;
        }
    }
    $params[$type === 'text/html' ? 'html' : 'plain'] = (string) $mail['message'];
    foreach ((array) ($mail['attachments'] ?? []) as $name => $path) {
        if (is_string($path) && is_readable($path)) {
            $params['attachments'][] = [
                'name' => is_string($name) ? $name : basename($path),
                'content' => base64_encode((string) file_get_contents($path)),
            ];
        }
    }
    return $params;
}

/**
 * The bare addresses of a list such as `Ada <ada@example.com>, bob@example.com`.
 *
 * @param array|string $given
 */
function postrider_addresses($given): array
{
    $all = is_array($given) ? $given : explode(',', $given);
    return array_values(array_filter(array_map(function ($one): string {
        return preg_match('/<([^>]+)>/', (string) $one, $found) === 1 ? trim($found[1]) : trim((string) $one);
    }, $all)));
}
