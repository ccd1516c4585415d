<?php
/**
 * Plugin Name: Postrider
 * Description: Sign-up forms, consent and orders of WooCommerce, and the emails of this site by your Postrider.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: MIT
 *
 * The settings, and what loads the parts: api.php calls Postrider, form.php is the form, shop.php is WooCommerce, mail.php sends email.
 */

defined('ABSPATH') || exit;

/** A setting, or '' without one. A constant such as POSTRIDER_API_KEY in wp-config.php goes before what is saved. */
function postrider_setting(string $name): string
{
    $constant = 'POSTRIDER_' . strtoupper($name);
    if (defined($constant)) {
        return (string) constant($constant);
    }
    $saved = get_option('postrider', []);
    return is_array($saved) && isset($saved[$name]) ? (string) $saved[$name] : '';
}

require __DIR__ . '/api.php';
require __DIR__ . '/form.php';
require __DIR__ . '/shop.php';
require __DIR__ . '/mail.php';

/** Name → label and, for a box to check, true. */
function postrider_fields(): array
{
    return [
        'url' => [__('Address of Postrider, such as https://mail.example.com', 'postrider'), false],
        'api_key' => [__('API key', 'postrider'), false],
        'list' => [__('List for sign-ups (its id)', 'postrider'), false],
        'send_mail' => [__('Send the emails of this site by Postrider', 'postrider'), true],
        'send_orders' => [__('Report carts that became orders of WooCommerce as events', 'postrider'), true],
    ];
}

add_action('admin_menu', function (): void {
    add_options_page('Postrider', 'Postrider', 'manage_options', 'postrider', 'postrider_settings_page');
});

add_action('admin_init', function (): void {
    register_setting('postrider', 'postrider', ['type' => 'array', 'sanitize_callback' => 'postrider_sanitize']);
});

/** @param mixed $given */
function postrider_sanitize($given): array
{
    $kept = [];
    foreach (postrider_fields() as $name => [, $is_box]) {
        $value = is_array($given) && isset($given[$name]) ? trim((string) $given[$name]) : '';
        $kept[$name] = $is_box ? ($value === '1' ? '1' : '') : sanitize_text_field($value);
    }
    $kept['url'] = esc_url_raw(rtrim($kept['url'], '/'), ['http', 'https']);
    // The key is not shown again; an empty field keeps it.
    if ($kept['api_key'] === '') {
        $saved = get_option('postrider', []);
        $kept['api_key'] = is_array($saved) ? (string) ($saved['api_key'] ?? '') : '';
    }
    return $kept;
}

function postrider_settings_page(): void
{
    echo '<div class="wrap"><h1>Postrider</h1><form method="post" action="options.php">';
    settings_fields('postrider');
    echo '<table class="form-table">';
    foreach (postrider_fields() as $name => [$label, $is_box]) {
        $id = "postrider-$name";
        $value = $name === 'api_key' ? '' : postrider_setting($name);
        $hint = $name === 'api_key' && postrider_setting($name) !== '' ? __('saved; enter another one to replace it', 'postrider') : '';
        printf(
            '<tr><th><label for="%1$s">%2$s</label></th><td><input id="%1$s" name="postrider[%3$s]" type="%4$s" value="%5$s" class="%6$s" placeholder="%7$s"%8$s></td></tr>',
            esc_attr($id),
            esc_html($label),
            esc_attr($name),
            $is_box ? 'checkbox' : ($name === 'api_key' ? 'password' : 'text'),
            esc_attr($is_box ? '1' : $value),
            $is_box ? '' : 'regular-text',
            esc_attr($hint),
            $is_box ? checked($value, '1', false) : ''
        );
    }
    echo '</table>';
    submit_button();
    echo '</form></div>';
}
