// Refusals in other languages than English: what belongs to us and is off, a limit or credit that is used up, too much at once, a
// full mailbox, a recipient that does not exist. Classes of words, each in the languages of the services and hosts we know, so that
// a reply is understood in any combination of them. A word that could be part of another is complete.
// Guarantees that none of them suppresses an address unless a word for a recipient or a mailbox is in the reply, and none for a sender.
import type { Judgement, TextRule } from './judgement.ts';
import { ourRelay, relayQuota, tooFast } from './ours.ts';

/** Ends a word that is also the beginning of others. */
const end = String.raw`(?!\p{L})`;

/** One of the words, at the beginning of a word. The last list is of languages that write without blanks. */
const words = (spaced: readonly string[], unspaced: readonly string[]) =>
  String.raw`(?:(?<!\p{L})(?:${spaced.join('|')})|${unspaced.join('|')})`;

/** What belongs to us: the account, what it pays for, and what it sends. */
const ours = words(
  [
    `konto|kunde|zugang|vertrag|tarif|paket|abo${end}|abonnement|rechnung|lizenz|versand|versenden|absender|smtp`,
    `compte${end}|forfait|offre${end}|contrat|facture|accès|expéditeur|(?:l['’]\\s?)?envoi|licence|adresse ip|clé api`,
    `cuenta|plan${end}|suscripci|contrato|factura|remitente|env[ií]o|acceso|licencia|clave api|paquete|direcci[oó]n ip`,
    `conta${end}|plano${end}|assinatura|fatura|remetente|acesso|licença|chave api|endereço ip`,
    `account|piano${end}|abbonamento|contratto|fattura|mittente|invio|accesso|licenza|indirizzo ip`,
    `pakket|factuur|contract|afzender|verzend|licentie|toegang|ip-adres`,
    `kont[au]${end}|abonament|pakiet|umow|faktur|nadawc|wysył|licencj|dostęp|adres ip`,
    `аккаунт|уч[её]тн\\S+ запис|тариф|подписк|договор|отправител|отправк|рассылк|лиценз|доступ|обліков\\S+ запис`,
    `hesab|hesap|abonelik|fatura|gönderen|gönderici|gönderim|hizmet|alan ad|lisans|tarife`,
    'domain|domän|domeen|dom[ií]n|домен|servi[cz]|serviço|dienst|usług|услуг|сервис|tjänst|tjenest|služb',
    `účet|účt|odesílatel|odesílání|avsändar|afsender|avsender|lähettäj|tili(?:si|nne|nsä)?${end}|fiók|előfizetés|számla|feladó|contul|expeditor|λογαριασμ|αποστολ|akun${end}|tài khoản`,
  ],
  [
    '账号|帐号|账户|帐户|賬號|帳號|帳戶|套餐|发件|發件|寄件|发信|发送方|域名|服务|服務|权限|订阅|合同',
    'アカウント|契約|ご利用|プラン|送信|差出人|계정|요금제|발신|발송',
  ],
);

/** It may not be used. */
const off = words(
  [
    `gesperrt|sperr|deaktiviert|blockiert|abgelaufen|gekündigt|eingeschränkt|ungültig|offene?[rns]?${end}|unbezahlt|überfällig|erlaubt kein|nicht (?:mehr )?(?:freigeschaltet|aktiv|berechtigt|erlaubt|gestattet|bestätigt|verifiziert|zugelassen|freigegeben|autorisiert|bezahlt|möglich|beglichen)|abgeschaltet|stillgelegt`,
    `suspendu|désactivé|bloqué|expiré|résilié|limité|restreint|interdit|refusé|impayé|révoqué|clôturé|invalide|(?:non|pas|plus) (?:encore )?(?:été )?(?:activ|vérifi|autoris|valid|confirm|pay)|ne \\S{0,12} ?(?:permet|autorise)`,
    `suspendid|bloquead|des?h?abilitad|deshabilitad|inhabilitad|desactivad|caducad|vencid|cancelad|limitad|restringid|expirad|revocad|rechazad|impag|inadimpl|(?:falta|pendiente) de pago|no (?:est[aá] |ha sido |tiene )?(?:permi|autoriz|verific|valid|activ|pagad)`,
    `suspens|desativad|rejeitad|restrit|revogad|em aberto|não (?:está |é |foi )?(?:permi|autoriz|verific|valid|ativ|pag)`,
    `bloccat|sospes|disabilitat|disattivat|mancato pag|scadut|cessat|revocat|limitat[oaie]${end}|insolut|non (?:è (?:stat[oa] )?)?(?:consent|autorizz|verific|perme|valid|attiv|pagat)`,
    `geblokkeerd|opgeschort|geschorst|uitgeschakeld|verlopen|gedeactiveerd|beperkt|beëindigd|ingetrokken|openstaand|onbetaald|niet (?:toegestaan|geverifieerd|actief|geactiveerd|bevestigd|gemachtigd|geautoriseerd|betaald)`,
    `zablokowan|zawieszon|wyłączon|wygas|nieopłacon|wstrzyman|niedozwolon|nieautoryzowan|odrzucon|nieaktywn|dezaktywow|nie (?:jest |został\\S* )?(?:zezwal|autoryzow|uprawni|zweryfikow|potwierdz|aktywn|opłacon)`,
    `заблокирован|приостановлен|закончил|отключ[её]н|запрещ[её]н|ограничен|ист[её]к|деактивирован|неактив|просрочен|неоплачен|недоступн|не (?:позволя|разреш|подтвержд|активир|оплач|авторизов|вериф|провер)|заблокован|призупинен`,
    `askıya|kapatıl|engellen|devre dışı|süresi (?:dol|geç)|yetkili değil|onaylanma|doğrulanma|ödenme|yasak|iptal|izin veril?mi`,
    `pozastaven|stängt|avslutat|függeszt|zablokován|zakázán|spärra|avstängt|spærret|sperret|stengt|suljettu|lukittu|felfüggeszt|letilt|zárol|suspendat|blocat|dezactivat|expirat|ανασταλ|κλειδωμ|απενεργοποι|ditangguhkan|diblokir|bị (?:khóa|tạm)`,
  ],
  [
    '禁用|冻结|凍結|停用|封禁|锁定|鎖定|受限|欠费|过期|到期|关闭|未备案|未授权|未激活|未验证|未認証|未认证|未开通|暂停|停止|异常|無权|无权|禁止',
    '無効|期限切れ|ロック|拒否|認証されて|許可されて|できません|정지|차단|만료|비활성',
  ],
);

/** What we can use up. */
const allowance = words(
  [
    'guthaben|\\p{L}{0,20}kontingent|m[aá]ximo|massimo|\\p{L}{0,20}limi(?:t|et)|quota|crédits?|solde|saldo|plafond|l[ií]mite|cuota|cota|crédit|créditos?|credito|crediti',
    'tegoed|krediet|ограничени|środk|kredyt|лимит|квот|баланс|средств|kredi|bakiye|kontör|kota|kreditt?|hitel|keret',
  ],
  ['余额|餘額|数量|额度|額度|配额|配額|残高|上限|制限|한도|잔액'],
);

const used = words(
  [
    'aufgebraucht|erschöpft|ausgeschöpft|überschritten|erreicht|leer|reicht nicht|nicht ausreich|épuis|dépass|atteint|insuffisant',
    'agotad|super(?:ad|ou|ó)|alcanz|exced|insuficiente|esgot|ating|ultrapass|esauri|superat|raggiun|insufficient[ei]',
    'overschreden|bereikt|opgebruikt|onvoldoende|wyczerp|przekrocz|niewystarcz|brak|исчерпан|превыш|недостаточн|закончил',
    'yetersiz|aşıl|doldu|tükend|vyčerpán|překročen|överskrid|overskred|ylitet|túllép|depășit',
  ],
  ['不足|用完|耗尽|超过|超出|达到|達し|超え|초과|부족'],
);

/** More at once, or sooner, than is allowed. */
const tooMuch = words(
  [
    'langsamer|ralenti|más despacio|más lent|mais devagar|più (?:lent|piano)|rallent|langzamer|wolniej|медленн|daha yavaş|pomaleji|långsammare',
    '(?:geschwindigkeit|sendegeschwindigkeit|vitesse|velocidad|velocità|snelheid|prędkość|скорост|gönderim hızı)',
    `zu (?:viele?|schnell|häufig|oft)${end}|trop (?:de|d['’]|nombreu|rapid|vite|souvent|fréquem)|demasiad|(?:muit[oa]s|excesso de) (?:mensage|conex|e-?mails|requisiç|envio|tentativ)|troppi|troppe|te (?:veel|snel|vaak)${end}`,
    'zbyt (?:wiele|dużo|szybko|często|duża)|za (?:dużo|szybko)|слишком (?:много|часто|быстро)|занадто (?:багато|часто)|çok (?:fazla|hızlı|sık)',
    'för (?:många|snabbt)|for (?:mange|hurtig|raskt)|liian (?:mont|paljon|nope)|příliš (?:mnoho|rychle|často)|túl (?:sok|gyors)|prea (?:mult|repede)|πάρα πολλ|terlalu (?:banyak|cepat)|quá (?:nhiều|nhanh)',
  ],
  ['过多|過多|过于频繁|频繁|頻繁|频率|太快|太多|间隔|間隔|慢一点|速度|多すぎ|速すぎ|너무 (?:많|빠)'],
);

const recipient = words(
  [
    'empfänger|destinatair|destinatari|destinatár|ontvanger|odbiorc|adresat|получател|адресат|alıcı|příjemc|mottagar|modtager|mottaker|vastaanottaj|címzett|παραλήπτ|recipient|addressee',
  ],
  ['收件|收信|对方|對方|接收|宛先|受信|수신'],
);

const mailbox = words(
  [
    `postfach|briefkasten|mailbox|bo[iî]te|messagerie|buz[oó]n|caixa (?:postal|de)|casella|postvak|skrzynk|(?:почтов\\S+ )?ящик|posta kutusu|schránk|brevlåd|postkass|postfiók|căsuț`,
  ],
  ['邮箱|郵箱|信箱|メールボックス|사서함|메일함'],
);

const room = words(
  [
    `speicher|plein|satur|llen[oa]|chei[oa]|pien[oa]|voll?${end}|przepełnion|pełn|переполнен|полон|dolu|plná|full|megtelt`,
  ],
  ['已满|已滿|满了|満杯|いっぱい|容量|가득'],
);

const absent = words(
  [
    `unbekannt|existiert nicht|nicht (?:gefunden|vorhanden|bekannt)|inconnu|n['’]existe|introuvable|inexistant|desconocid|no existe|inexistente|desconhecid|não (?:existe|encontrad)`,
    'sconosciut|inesistent|non esiste|onbekend|bestaat niet|nieznan|nie istnieje|не найден|не существ|неизвест|bulunama|mevcut değil|neznám|neexistuj|okänd|ukendt|ukjent|ismeretlen',
  ],
  ['不存在|无此|無此|查无|存在しません|見つかりません|존재하지'],
);

/** What is not accepted, or missing, when we sign in. */
const signIn = words(
  [
    'anmeldung|zugangsdaten|passwort|authentifi[sz]ier|authentification|identifiants|mot de passe|autenticaci[oó]n|autenticação|autenticazione|contraseña|senha|credenziali',
    'aanmelding|wachtwoord|uwierzytelni|hasło|авторизац|аутентификац|парол|kimlik doğrulama|şifre|parola',
  ],
  ['身份验证|认证失败|登录|登錄|密码|認証|パスワード|인증|비밀번호'],
);

const size = 'taille|größe|groß|tamaño|tamanho|dimension|grootte|rozmiar|размер|boyut|大小|サイズ|octets|bytes';
const sender =
  'absender|expéditeur|remitente|remetente|mittente|afzender|nadawc|отправител|gönder[ei]|odesílatel|发件|發件|寄件|发信|差出人|送信|발신|sender';

const rule = (source: string, means: Judgement, more: Partial<TextRule> = {}): TextRule => ({
  text: new RegExp(source, 'iu'),
  ...more,
  means,
});

/** Two classes of words within one sentence, in either order. */
const near = (one: string, other: string) => `(?:${one}.{0,60}?${other}|${other}.{0,40}?${one})`;
const without = (...classes: string[]) => `^(?!.*(?:${classes.join('|')}))`;

export const foreignRules: TextRule[] = [
  rule(
    `${near(mailbox, room)}|${near(mailbox, used)}|${near(recipient, room)}`,
    { bounce: 'soft', scope: 'recipient' },
    {
      stages: ['rcpt', 'data', 'dot'],
    },
  ),
  rule(`${without(recipient, mailbox, size)}.*?${near(allowance, used)}`, relayQuota),
  rule(`${without(mailbox, size)}.*?${tooMuch}`, tooFast),
  // An account that is the recipient's: not gone for good, as far as the words say.
  rule(
    `${recipient}.*?${near(ours, off)}|${near(ours, recipient)}.*?${off}`,
    { bounce: 'generic', scope: 'recipient' },
    {
      stages: ['rcpt', 'data', 'dot'],
    },
  ),
  rule(`${without(recipient)}.*?(?:${near(ours, off)}|${signIn})`, ourRelay),
  rule(
    `${without(sender)}.*?(?:${near(recipient, absent)}|${near(mailbox, absent)})`,
    { bounce: 'hard', scope: 'recipient', suppress: true },
    { code: /^55[0-4]/, stages: ['rcpt', 'data', 'dot'] },
  ),
];
