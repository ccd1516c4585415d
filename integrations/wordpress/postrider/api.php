<?php
/** Calls Postrider, at once or later with retries: what happens in a shop must not wait for it, and must not be lost with it. */

defined('ABSPATH') || exit;

/** Minutes to wait before each further attempt of a call that was queued. */
const POSTRIDER_PAUSES = [1, 5, 30, 120, 720];

/**
 * Calls a method.
 *
 * @return mixed|WP_Error the result; the data of an error are the HTTP status and the number of the fault, both 0 without an answer
 */
function postrider_call(string $method, array $params)
{
    $url = postrider_setting('url');
    $key = postrider_setting('api_key');
    if ($url === '' || $key === '') {
        return postrider_error(__('Postrider is not set up.', 'postrider'));
    }
    $answer = wp_remote_post("$url/api/" . rawurlencode($method), [
        'headers' => ['Authorization' => "Bearer $key", 'Content-Type' => 'application/json'],
        'body' => wp_json_encode((object) $params),
        'timeout' => 15,
        'redirection' => 0,
    ]);
    if (is_wp_error($answer)) {
        return postrider_error($answer->get_error_message());
    }
    $status = (int) wp_remote_retrieve_response_code($answer);
    $value = json_decode(wp_remote_retrieve_body($answer), true);
    if ($status >= 200 && $status < 300) {
        return $value;
    }
    $fault = is_array($value) ? $value : [];
    return postrider_error((string) ($fault['error'] ?? "HTTP $status"), $status, (int) ($fault['code'] ?? 0));
}

function postrider_error(string $message, int $status = 0, int $fault = 0): WP_Error
{
    return new WP_Error('postrider', $message, ['status' => $status, 'fault' => $fault]);
}

/** Whether the same call may succeed later. */
function postrider_may_pass(WP_Error $error): bool
{
    return in_array($error->get_error_data()['status'], [0, 429, 502, 503, 504], true);
}

/** Calls a method soon, outside of this request. Its parameters must name the call (id), so that it counts once. */
function postrider_call_later(string $method, array $params, int $attempt = 0): void
{
    $pause = $attempt === 0 ? 0 : 60 * POSTRIDER_PAUSES[$attempt - 1];
    wp_schedule_single_event(time() + $pause, 'postrider_call_later', [$method, $params, $attempt]);
}

add_action('postrider_call_later', function (string $method, array $params, int $attempt): void {
    $result = postrider_call($method, $params);
    if (!is_wp_error($result)) {
        return;
    }
    if (postrider_may_pass($result) && $attempt < count(POSTRIDER_PAUSES)) {
        postrider_call_later($method, $params, $attempt + 1);
        return;
    }
    error_log("Postrider: $method was given up: " . $result->get_error_message());
}, 10, 3);
