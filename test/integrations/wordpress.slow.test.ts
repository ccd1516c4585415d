// The plug-in in Debian's WordPress with MariaDB, against a running server: the form, emails of the site, and the hooks of WooCommerce,
// which is not packaged: they are called as it documents them. Without the packages the tests are skipped, with the reason.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test as plainTest } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../src/base/free-port.ts';
import { sql } from '../../src/db/connect.ts';
import { install } from '../clients/install.ts';
import { type MailingApp, mailingApp } from '../support/installation/mailing-app.ts';
import { until } from '../support/run/until.ts';

const run = promisify(execFile);
const packaged = '/usr/share/wordpress';
const isThere = () =>
  existsSync(`${packaged}/wp-load.php`) &&
  existsSync('/usr/sbin/mariadbd') &&
  spawnSync('php', ['-r', 'exit(extension_loaded("mysqli") ? 0 : 1);']).status === 0;
const problem = isThere() ? '' : install(['wordpress', 'mariadb-server', 'php-cli', 'php-mysql']).problem;
const skip = !isThere() && `needs wordpress, mariadb-server and php-mysql; ${problem}`;
const test = (name: string, body: () => Promise<void>) => plainTest(name, { skip }, body);

let t: MailingApp;
let list: string;
let folder: string;
let site: string;
let url: string;
const children: ChildProcess[] = [];

before(async () => {
  if (skip) return;
  t = await mailingApp();
  // Others may not choose the sender of a message.
  await t.app.db.run(sql`update account set plan = 'pro' where id = ${t.account.id}`);
  list = await t.call<string>('listCreate', { title: 'Readers' });
  folder = mkdtempSync(join(tmpdir(), 'wordpress-'));
  site = join(folder, 'site');
  await startDatabase();
  await startWordPress();
});
after(async () => {
  for (const child of children.reverse()) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  if (folder) rmSync(folder, { recursive: true, force: true });
  await t?.close();
});

const socket = () => join(folder, 'mysql.sock');

async function startDatabase(): Promise<void> {
  const data = join(folder, 'mysql');
  mkdirSync(data);
  const common = ['--no-defaults', `--datadir=${data}`, '--user=root'];
  execFileSync('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db'], {
    stdio: 'pipe',
  });
  const child = spawn(
    '/usr/sbin/mariadbd',
    [...common, '--skip-networking', `--socket=${socket()}`, `--pid-file=${join(folder, 'pid')}`],
    {
      stdio: 'ignore',
    },
  );
  children.push(child);
  await until(
    'MariaDB answers',
    async () =>
      spawnSync('mariadb', [
        '--no-defaults',
        `--socket=${socket()}`,
        '-uroot',
        '-e',
        'create database if not exists wordpress',
      ]).status === 0,
  );
}

async function startWordPress(): Promise<void> {
  cpSync(packaged, site, { recursive: true, dereference: true });
  const plugins = join(site, 'wp-content/plugins');
  mkdirSync(plugins, { recursive: true });
  cpSync(join(import.meta.dirname, '../../integrations/wordpress/postrider'), join(plugins, 'postrider'), {
    recursive: true,
  });
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const constants = {
    DB_NAME: 'wordpress',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket()}`,
    AUTH_KEY: 'one',
    AUTH_SALT: 'two',
    WP_HOME: url,
    WP_SITEURL: url,
    POSTRIDER_API_KEY: t.key,
  };
  writeFileSync(
    join(site, 'wp-config.php'),
    `<?php
${Object.entries(constants)
  .map(([name, value]) => `define('${name}', '${value}');`)
  .join('\n')}
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('WP_ACCESSIBLE_HOSTS', '127.0.0.1');
define('DISABLE_WP_CRON', true);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require ABSPATH . 'wp-settings.php';
`,
  );
  await php(`define('WP_INSTALLING', true); require 'wp-load.php'; require 'wp-admin/includes/upgrade.php';
    wp_install('Shop', 'admin', 'admin@example.com', true, '', 'a long password');`);
  const settings = { url: t.app.baseUrl, api_key: '', list, send_mail: '1', send_orders: '1' };
  await php(`require 'wp-load.php'; require 'wp-admin/includes/plugin.php';
    update_option('postrider', json_decode('${JSON.stringify(settings)}', true));
    $problem = activate_plugin('postrider/postrider.php');
    if (is_wp_error($problem)) { throw new Exception($problem->get_error_message()); }`);
  const child = spawn('php', ['-S', `127.0.0.1:${port}`, '-t', site], {
    stdio: 'ignore',
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: '2' },
  });
  children.push(child);
  await until('WordPress answers', () =>
    fetch(`${url}/wp-login.php`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

/** Runs PHP in the folder of the site, without blocking: the server that it calls is in this process. @returns what it prints */
async function php(code: string): Promise<string> {
  const { stdout, stderr } = await run('php', ['-d', 'display_errors=stderr', '-r', code], {
    cwd: site,
    timeout: 120_000,
  });
  assert.doesNotMatch(stderr, /postrider.*on line|Fatal/i);
  return stdout;
}
const inWordPress = (code: string) => php(`require 'wp-load.php'; ${code}`);

const members = async (status: string) =>
  (await t.call<{ email: string }[]>('listMembers', { id: list, status })).map(({ email }) => email);

async function signUp(change: Record<string, string>): Promise<string> {
  const page = await inWordPress(`echo do_shortcode('[postrider_form]');`);
  const fields = Object.fromEntries(
    [...page.matchAll(/name="(\w+)"(?: value="([^"]*)")?/g)].map(([, name, value = '']) => [name, value]),
  );
  assert.deepEqual(Object.keys(fields).toSorted(), ['action', 'email', 'list', 'sign', 'website']);
  const answer = await fetch(/action="([^"]+)"/.exec(page)![1]!, {
    method: 'POST',
    body: new URLSearchParams({ ...fields, ...change }),
    headers: { referer: `${url}/?p=1` },
    redirect: 'manual',
  });
  return new URL(answer.headers.get('location')!).searchParams.get('postrider')!;
}

test('the form subscribes an address, which has to confirm, and shows the same for a known one', async () => {
  assert.equal(await signUp({ email: 'ada@example.com' }), 'done');
  assert.deepEqual(await members('pending'), ['ada@example.com']);
  assert.equal(await signUp({ email: 'ada@example.com' }), 'done');
  await t.call('listSubscribe', { id: list, email_address: 'bob@example.com', double_optin: false });
  assert.equal(await signUp({ email: 'bob@example.com' }), 'done');
  assert.equal(await signUp({ email: 'not an address' }), 'invalid');
  assert.equal(await signUp({ email: 'robot@example.com', website: 'https://example.com' }), 'done');
  assert.equal(await signUp({ email: 'eve@example.com', list: 'd0000000' }), 'failed');
  assert.deepEqual(await members('pending'), ['ada@example.com']);
});

test('the block is the form', async () => {
  assert.match(
    await inWordPress(`echo do_blocks('<!-- wp:postrider/form {"list":"d1"} /-->');`),
    /name="list" value="d1"/,
  );
});

test('emails of the site are messages of Postrider, and a refused one is reported as failed', async () => {
  const sent = await inWordPress(`
    add_action('wp_mail_failed', fn ($error) => print($error->get_error_message()));
    file_put_contents('note.txt', 'a note');
    echo json_encode(wp_mail('Ada <ada@example.com>, cy@example.com', 'Your order', '<p>Thanks</p>',
      ['Content-Type: text/html; charset=UTF-8', 'From: The shop <shop@example.com>', 'Reply-To: help@example.com', 'Bcc: copy@example.com'], ['note.txt']));`);
  assert.equal(sent, 'true');
  type Sent = { id: string; subject: string; from_email: string };
  const log = await t.call<Sent[] | { data: Sent[] }>('messages');
  const [message] = Array.isArray(log) ? log : log.data;
  assert.equal(message!.subject, 'Your order');
  type Mail = { id: string; rcpt_to: string[]; subject: string };
  const arrived = async () =>
    (await t.call<Mail[]>('inboxMessages', { limit: 100 })).filter(({ subject }) => subject === 'Your order');
  const to = ['ada@example.com', 'copy@example.com', 'cy@example.com'];
  await until(
    'the message is in the inbox of each',
    async () => (await arrived()).flatMap((one) => one.rcpt_to).length >= to.length,
  );
  const messages = await arrived();
  assert.deepEqual(messages.flatMap(({ rcpt_to }) => rcpt_to).toSorted(), to);
  const [{ source }] = await t.call<[{ source: string }]>('inboxMessages', { id: messages[0]!.id });
  for (const part of [/^From: .*shop@example\.com/m, /^Reply-To: .*help@example\.com/m, /<p>Thanks<\/p>/, /note\.txt/])
    assert.match(source, part);
  assert.doesNotMatch(source, /^Bcc:/im);
  const refused = await inWordPress(`
    add_action('wp_mail_failed', fn ($error) => print($error->get_error_message()));
    echo json_encode(wp_mail('ada@example.com', 'x', 'y', ['From: not an address']));`);
  assert.match(refused, /\S.*false$/s);
});

/** An order with the functions of WooCommerce's that the plug-in calls. */
const order = `
  class Order {
    public $meta = [];
    function update_meta_data($name, $value) { $this->meta[$name] = $value; }
    function get_meta($name) { return $this->meta[$name] ?? ''; }
    function get_billing_email() { return 'buyer@example.com'; }
    function get_billing_first_name() { return 'Dora'; }
    function get_billing_last_name() { return 'Doe'; }
    function get_customer_ip_address() { return '192.0.2.7'; }
    function get_total() { return '49.90'; }
    function get_currency() { return 'EUR'; }
    function get_order_number() { return 'A-17'; }
    function get_date_created() { return new DateTime('2026-11-20 10:00:00 UTC'); }
    function get_items() { return [new class { function get_name() { return 'Tea'; } function get_quantity() { return 2; } }]; }
  }
  $order = new Order();`;
/** What WordPress does in the background. */
const runQueue = () =>
  php(`define('DOING_CRON', true); require 'wp-load.php';
  foreach (_get_cron_array() as $time => $hooks) foreach ($hooks['postrider_call_later'] ?? [] as $event) {
    wp_unschedule_event($time, 'postrider_call_later', $event['args']); do_action_ref_array('postrider_call_later', $event['args']); }`);

test('who agrees at the checkout is asked to confirm, others are not, and an order counts once', async () => {
  assert.match(
    await inWordPress(`do_action('woocommerce_review_order_before_submit');`),
    /type="checkbox" name="postrider_consent" value="1">/,
  );
  await inWordPress(`${order} do_action('woocommerce_checkout_create_order', $order, []);
    do_action('woocommerce_checkout_order_processed', 17, [], $order);
    do_action('woocommerce_order_status_processing', 17, $order); do_action('woocommerce_order_status_completed', 17, $order);`);
  await runQueue();
  assert.ok(!(await members('pending')).includes('buyer@example.com'));
  type Event = { name: string; value: string; data: Record<string, unknown> };
  const events = async () => {
    const all = await t.call<Event[] | { data: Event[] }>('contactEvents', { email: 'buyer@example.com' });
    return Array.isArray(all) ? all : all.data;
  };
  const [event, ...more] = await events();
  assert.deepEqual(more, []);
  assert.deepEqual([event!.name, event!.value], ['order.placed', '49.9']);
  assert.deepEqual(event!.data, { order: 'A-17', currency: 'EUR', items: [{ name: 'Tea', quantity: 2 }] });
  await inWordPress(`${order} $_POST['postrider_consent'] = '1'; do_action('woocommerce_checkout_create_order', $order, []);
    do_action('woocommerce_checkout_order_processed', 18, [], $order);`);
  await runQueue();
  assert.ok((await members('pending')).includes('buyer@example.com'));
});

test('a call that gets no answer is queued again, one that is refused is not', async () => {
  const queued = await inWordPress(`
    $saved = get_option('postrider');
    update_option('postrider', ['url' => 'http://127.0.0.1:1'] + $saved);
    do_action('postrider_call_later', 'ping', [], 0);
    update_option('postrider', $saved);
    do_action('postrider_call_later', 'campaignDelete', ['cid' => 'a0000000'], 0);
    $found = [];
    foreach (_get_cron_array() as $time => $hooks) foreach ($hooks['postrider_call_later'] ?? [] as $event) $found[] = [$event['args'], $time - time() > 30];
    echo json_encode($found);`);
  assert.deepEqual(JSON.parse(queued), [[['ping', [], 1], true]]);
});
