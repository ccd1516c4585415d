<?php
/** The sign-up form: the shortcode [postrider_form] and the block postrider/form. Postrider asks each address for confirmation. */

defined('ABSPATH') || exit;

add_shortcode('postrider_form', 'postrider_form');

add_action('init', function (): void {
    wp_register_script('postrider-block', plugins_url('block.js', __FILE__), ['wp-blocks', 'wp-element', 'wp-server-side-render'], '0.1.0', true);
    register_block_type('postrider/form', [
        'api_version' => 2,
        'title' => __('Sign-up form (Postrider)', 'postrider'),
        'category' => 'widgets',
        'icon' => 'email',
        'editor_script' => 'postrider-block',
        'render_callback' => 'postrider_form',
        'attributes' => ['list' => ['type' => 'string', 'default' => '']],
    ]);
});

/** @param array|string $given list: another list than that of the settings */
function postrider_form($given = []): string
{
    $list = is_array($given) ? (string) ($given['list'] ?? '') : '';
    $state = isset($_GET['postrider']) ? sanitize_key(wp_unslash($_GET['postrider'])) : '';
    $words = [
        'done' => __('Please open the email that we have sent you, and confirm.', 'postrider'),
        'invalid' => __('This email address is not valid.', 'postrider'),
        'failed' => __('This did not work. Please try again later.', 'postrider'),
    ];
    $note = isset($words[$state]) ? sprintf('<p role="status">%s</p>', esc_html($words[$state])) : '';
    return sprintf(
        '<form class="postrider-form" method="post" action="%1$s">%2$s
<input type="hidden" name="action" value="postrider_subscribe"><input type="hidden" name="list" value="%3$s"><input type="hidden" name="sign" value="%4$s">
<p><label>%5$s <input type="email" name="email" required autocomplete="email"></label></p>
<p style="display:none" aria-hidden="true"><label>%6$s <input name="website" tabindex="-1" autocomplete="off"></label></p>
<p><button type="submit">%7$s</button></p></form>',
        esc_url(admin_url('admin-post.php')),
        $note,
        esc_attr($list),
        esc_attr(postrider_sign($list)),
        esc_html__('Email address', 'postrider'),
        esc_html__('Leave this empty', 'postrider'),
        esc_html__('Subscribe', 'postrider')
    );
}

/** Only lists that a form of this site names can be signed up for. Not a nonce: cached pages are older than those. */
function postrider_sign(string $list): string
{
    return wp_hash("postrider list $list");
}

add_action('admin_post_nopriv_postrider_subscribe', 'postrider_subscribe');
add_action('admin_post_postrider_subscribe', 'postrider_subscribe');

function postrider_subscribe(): void
{
    $sent = array_map('strval', array_filter(wp_unslash($_POST), 'is_scalar'));
    $list = $sent['list'] ?? '';
    $back = wp_get_referer() ?: home_url('/');
    $answer = function (string $state) use ($back): void {
        wp_safe_redirect(add_query_arg('postrider', $state, $back), 303);
        exit;
    };
    // A program has filled in what people do not see.
    if (($sent['website'] ?? '') !== '') {
        $answer('done');
    }
    if (!hash_equals(postrider_sign($list), $sent['sign'] ?? '')) {
        $answer('failed');
    }
    $email = sanitize_email($sent['email'] ?? '');
    if (!is_email($email)) {
        $answer('invalid');
    }
    $result = postrider_call('listSubscribe', [
        'id' => $list !== '' ? $list : postrider_setting('list'),
        'email_address' => $email,
        'double_optin' => true,
        'ip_signup' => (string) ($_SERVER['REMOTE_ADDR'] ?? ''),
    ]);
    // Whether an address is subscribed already is no one else's business.
    $is_known = is_wp_error($result) && $result->get_error_data()['fault'] === 214;
    $answer(is_wp_error($result) && !$is_known ? 'failed' : 'done');
}
