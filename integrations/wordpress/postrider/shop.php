<?php
/**
 * WooCommerce: a box for consent at the checkout, which subscribes, and orders as events, which end automations of abandoned carts and
 * count as conversions. Each order counts once, however often its state changes.
 */

defined('ABSPATH') || exit;

add_action('woocommerce_review_order_before_submit', function (): void {
    if (postrider_setting('list') === '') {
        return;
    }
    // Never checked beforehand: consent is given, not left in place.
    printf(
        '<p class="form-row"><label><input type="checkbox" name="postrider_consent" value="1"> %s</label></p>',
        esc_html__('Send me news by email. I can unsubscribe at any time.', 'postrider')
    );
});

add_action('woocommerce_checkout_create_order', function ($order): void {
    if (isset($_POST['postrider_consent'])) {
        $order->update_meta_data('_postrider_consent', gmdate('Y-m-d H:i:s'));
    }
});

add_action('woocommerce_checkout_order_processed', function ($order_id, $posted, $order): void {
    if ($order->get_meta('_postrider_consent') !== '' && postrider_setting('list') !== '') {
        postrider_call_later('listSubscribe', [
            'id' => postrider_setting('list'),
            'email_address' => $order->get_billing_email(),
            'merge_vars' => (object) ['FNAME' => $order->get_billing_first_name(), 'LNAME' => $order->get_billing_last_name()],
            'double_optin' => true,
            'update_existing' => true,
            'ip_signup' => $order->get_customer_ip_address(),
        ]);
    }
}, 10, 3);

foreach (['processing', 'completed'] as $postrider_state) {
    add_action("woocommerce_order_status_$postrider_state", function ($order_id, $order): void {
        if (postrider_setting('send_orders') !== '1') {
            return;
        }
        $items = [];
        foreach ($order->get_items() as $item) {
            $items[] = ['name' => $item->get_name(), 'quantity' => $item->get_quantity()];
        }
        postrider_call_later('eventSend', [
            'name' => 'order.placed',
            'email_address' => $order->get_billing_email(),
            'id' => (string) $order_id,
            'value' => (float) $order->get_total(),
            'time' => gmdate('Y-m-d H:i:s', $order->get_date_created()->getTimestamp()),
            'data' => ['order' => (string) $order->get_order_number(), 'currency' => $order->get_currency(), 'items' => array_slice($items, 0, 20)],
            'create_contact' => true,
        ]);
    }, 10, 2);
}
