// The words that exports have for the status of a contact and for yes and no: of other programs, in the languages of the public
// pages, and in further ones.
import type { ImportStatusWord } from '../plan.ts';

export const statusSpellings: Record<ImportStatusWord, string> = {
  subscribed: [
    'subscribed,resubscribed,re-subscribed,active,confirmed,enabled,opted in,opt-in,optin,opted-in,subscriber,verified,approved',
    'regular,premium,gifted,trialed,explicit,implied,express,implicit,granted,accepted,agreed,allowed,consented,given,double opt-in',
    'single opt-in,confirmed opt-in,subscribed weekly,subscribed monthly,abonniert,angemeldet,aktiv,bestätigt,eingewilligt,zugestimmt,abonné,abonnée,inscrit,inscrite,actif',
    'active,accepté,suscrito,suscrita,suscripto,activo,activa,aceptado,iscritto,iscritta,attivo,attiva,accettato,inscrito,inscrita,ativo',
    'ativa,assinante,aceito,ingeschreven,actief,tilmeldt,abonnerer,bekræftet,påmeldt,bekreftet,prenumererar,prenumerant,anmäld,bekräftad',
    'tilaaja,tilannut,tilattu,aktiivinen,vahvistettu,tellija,tellinud,aktiivne,kinnitatud,abonents,abonēts,aktīvs,apstiprināts',
    'prenumeratorius,užsiprenumeravo,užsiprenumeravęs,aktyvus,patvirtintas,zapisany,zapisana,subskrybent,aktywny,aktywna,potwierdzony',
    'подписан,подписана,подписчик,активен,активна,активный,подтвержден,подтверждён,согласен,согласна,已订阅,订阅,已訂閱,已激活,激活,有效,已确认',
    '購読中,購読,購読者,登録済み,配信中,有効,確認済み',
    'abone,abone oldu,aktif,etkin,onaylandı,onaylı,izinli,přihlášen,přihlášena,přihlášený,odebírá,odběratel,aktivní,potvrzen,potvrzeno,potvrzený,souhlasí',
    'prihlásený,prihlásená,odoberá,odberateľ,aktívny,aktívna,potvrdený,potvrdené,súhlasí,feliratkozott,feliratkozva,aktív,megerősített,megerősítve,hozzájárult',
    'εγγεγραμμένος,εγγεγραμμένη,ενεργός,ενεργή,ενεργό,επιβεβαιωμένος,επιβεβαιωμένη,συνδρομητής,підписаний,підписана,підписано,підписник,активний,активна',
    'підтверджено,підтверджений,згоден,згодна,abonat,abonată,înscris,înscrisă,activ,activă,confirmat,confirmată,абониран,абонирана,записан,записана,потвърден,съгласен',
    'pretplaćen,pretplaćena,pretplatnik,prijavljen,prijavljena,aktivan,aktivna,potvrđen,potvrđeno,naročen,naročena,naročnik,aktiven,potrjen,претплаћен,пријављен,активан',
    'потврђен,đã đăng ký,đăng ký,đang hoạt động,hoạt động,đã xác nhận,berlangganan,terkonfirmasi,dikonfirmasi,terdaftar,disetujui,구독,구독중,구독 중,구독자,활성,수신동의',
    '수신 동의,동의,확인됨,مشترك,مشتركة,نشط,نشطة,مؤكد,موافق,רשום,רשומה,מנוי,פעיל,פעילה,מאושר,מאושרת,สมัครแล้ว,สมัครรับ,ใช้งาน,ยืนยันแล้ว',
  ].join(),
  unsubscribed: [
    'unsubscribed,un-subscribed,in active,nicht aktiv,nicht abonniert,kündigung,pas abonné,pas abonnée,no activo,no activa,no suscrito,baja voluntaria,non iscritto,non iscritta,não inscrito,nieaktywny,nieaktywna,not granted,opted out,opt-out,optout,opted-out,removed,suppressed,blocked,complained,complaint,spam complaint,spam,rejected,denied',
    'declined,refused,withdrawn,excluded,temp hold,on hold,held,not set,no permission,no consent,not allowed,not sending,stale,archived,spammy,churned,left,expired,abgemeldet,ausgetragen',
    'widerrufen,abgelehnt,beschwerde,désabonné,désabonnée,désinscrit,désinscrite,résilié,refusé,plainte,baja,dado de baja,dada de baja',
    'cancelado,cancelada,rechazado,anulado,queja,disiscritto,disiscritta,cancellato,annullato,rifiutato,reclamo,descadastrado,descadastrada',
    'recusado,reclamação,removido,uitgeschreven,wypisany,wypisana,zrezygnował,zrezygnowała,odrzucony,skarga,afmeldt,frameldt,afvist,blokeret',
    'avmeldt,avregistrert,avvist,blokkert,avregistrerad,avslutad,avanmäld,avprenumererad,nekad,blockerad,peruutettu,peruttu,peruuttanut',
    'poistunut,estetty,kieltäytynyt,loobunud,tühistatud,lahkunud,blokeeritud,keeldunud,atteicies,atteicās,atrakstījies,noraidīts,bloķēts',
    'neaktīvs,atsisakė,atsisakęs,atsisakiusi,atmestas,užblokuotas,neaktyvus,отписан,отписана,отписался,отписалась,отказ,отказался,жалоба',
    'не согласен,已退订,退订,取消订阅,已取消订阅,已退訂,拒收,黑名单,拒绝,未订阅,購読解除,解除,解除済み,退会,退会済み,配信停止,停止,拒否,未購読',
    'former,lapsed,dormant,abonelikten çıktı,abonelikten ayrıldı,abonelikten çıkmış,ayrıldı,pasif,iptal,iptal edildi,reddetti,reddedildi,engellendi,engelli,abone değil,aktif değil,izinsiz,kara liste',
    'odhlášen,odhlášena,odhlášeno,odhlášený,neaktivní,zrušeno,zablokován,zablokováno,odmítl,nesouhlasí,neodebírá,odhlásený,odhlásená,neaktívny,neaktívna,zrušené,zablokovaný',
    'odmietol,nesúhlasí,leiratkozott,leiratkozva,inaktív,törölt,törölve,letiltva,letiltott,elutasította,visszavonta,απεγγεγραμμένος,διεγραμμένος,διαγραμμένος,ανενεργός',
    'ανενεργή,ανενεργό,αποκλεισμένος,απεγγραφή,διαγραφή,відписаний,відписана,відписано,відписався,відписалась,відписалася,неактивний,неактивна,заблокований,заблоковано,відмова',
    'відмовився,скарга,незгоден,dezabonat,dezabonată,dezînscris,inactiv,inactivă,blocat,blocată,refuzat,anulat,retras,отписан,неактивен,блокиран,отказал,odjavljen,odjavljena,otkazao',
    'otkazano,neaktivan,neaktivna,blokiran,blokirana,odbijen,odbio,neaktiven,zavrnil,одјављен,одјављена,неактиван,đã hủy đăng ký,hủy đăng ký,huỷ đăng ký,đã hủy,không hoạt động',
    'từ chối,bị chặn,đã chặn,berhenti berlangganan,tidak berlangganan,tidak aktif,nonaktif,dibatalkan,diblokir,ditolak,구독취소,구독 취소,구독해지,구독 해지,수신거부,수신 거부,거부,해지',
    '취소,탈퇴,비활성,차단,차단됨,미동의,غير مشترك,ألغى الاشتراك,إلغاء الاشتراك,ملغى,ملغي,غير نشط,محظور,مرفوض,הוסר,הוסרה,לא פעיל,לא פעילה,לא רשום,בוטל,חסום,חסומה,ביטל,סירב',
    'ยกเลิกการสมัคร,ยกเลิกแล้ว,ยกเลิก,ไม่ใช้งาน,เลิกติดตาม,ปฏิเสธ,บล็อก',
  ].join(),
  pending: [
    'pending,unconfirmed,waiting,not confirmed,awaiting confirmation,pending confirmation,awaiting,validating,unactivated,not activated',
    'unapproved,not approved,unverified,not verified,invitable,new,ausstehend,unbestätigt,wartend,offen,en attente,non confirmé,non confirmée',
    'pendiente,sin confirmar,in attesa,non confermato,pendente,não confirmado,in afwachting,oczekuje,oczekujący,oczekująca,niepotwierdzony',
    'afventer,ubekræftet,ikke bekræftet,venter,avventer,ubekreftet,ikke bekreftet,väntar,väntande,obekräftad,ej bekräftad,odottaa,odottava',
    'vahvistamaton,ootel,kinnitamata,gaida,neapstiprināts,laukia,laukiama,nepatvirtintas,ожидает,ожидание,не подтвержден,не подтверждён',
    'неподтвержден,неподтверждён,待确认,未确认,待定,待审核,確認待ち,未確認,仮登録,保留中',
    'beklemede,bekliyor,onaylanmadı,onay bekliyor,doğrulanmadı,čeká,čekající,čeká na potvrzení,nepotvrzen,nepotvrzeno,nepotvrzený,čaká,čaká na potvrdenie,nepotvrdený',
    'függőben,megerősítésre vár,nem megerősített,εκκρεμεί,σε εκκρεμότητα,σε αναμονή,μη επιβεβαιωμένος,очікує,не підтверджено,непідтверджений,не підтверджений,în așteptare',
    'neconfirmat,neconfirmată,чакащ,непотвърден,изчакващ,na čekanju,čeka,nepotvrđen,nepotvrđeno,nepotrjen,v čakanju,на чекању,непотврђен,chờ xác nhận,đang chờ,chưa xác nhận',
    'menunggu,menunggu konfirmasi,tertunda,belum dikonfirmasi,대기,대기중,대기 중,미확인,미인증,보류,قيد الانتظار,معلق,غير مؤكد,ממתין,ממתינה,בהמתנה,לא מאושר,รอดำเนินการ,รอยืนยัน,รอการยืนยัน,ยังไม่ยืนยัน',
  ].join(),
  bounced: [
    'bounced,cleaned,hard bounce,hardbounce,undeliverable,unreachable,undelivered,unzustellbar,gebounced,gebounct,nicht zustellbar',
    'rebond,rebondi,non distribuable,injoignable,rebotado,rebote,devuelto,rimbalzato,respinto,non recapitabile,devolvido,rejeitado',
    'ikke leveret,kan ikke leveres,returneret,returnert,studsad,studsat,returnerad,palautunut,palautettu,tagastatud,põrkunud,kohaletoimetamatu,atgriezts',
    'atlēcis,nepiegādāts,grąžintas,atšokęs,nepristatytas,odbity,odbita,zwrócony,niedostarczony,недоставлен,недоставлено,возврат,退信,退回,弹回',
    '无法投递,不達,バウンス,配信エラー,エラー,宛先不明',
    'geri döndü,ulaşılamadı,teslim edilemedi,geçersiz,nedoručeno,nedoručitelný,nedoručitelné,vráceno,neplatný,nedoručené,nedoručiteľné,vrátené,visszapattant,kézbesíthetetlen',
    'sikertelen kézbesítés,érvénytelen,ανεπίδοτο,μη έγκυρο,μη παραδοτέο,не доставлено,повернуто,недійсний,respins,returnat,nelivrat,nelivrabil,недоставено,върнат,невалиден',
    'nedostavljeno,nedostavljen,недостављено,vraćeno,nevažeći,vrnjeno,neveljaven,bị trả lại,không gửi được,không hợp lệ,terpental,gagal terkirim,tidak terkirim,tidak valid,반송,반송됨,바운스',
    '전송실패,발송실패,수신불가,مرتد,غير صالح,فشل التسليم,הוחזר,לא תקין,לא נמסר,ตีกลับ,ส่งไม่ได้,ส่งไม่สำเร็จ',
  ].join(),
};

export const yesWords =
  'yes,y,true,t,on,x,ja,oui,vrai,sí,si,sì,verdadero,vero,sim,verdadeiro,tak,prawda,kyllä,kyl,tosi,jah,tõene,jā,patiess,taip,tiesa,wahr,sand,sant,да,истина,はい,是,真,j,evet,doğru,ano,pravda,áno,igen,igaz,ναι,αληθές,так,істина,da,adevărat,вярно,тачно,có,đúng,ya,benar,예,네,نعم,כן,ใช่'.split(
    ',',
  );
export const noWords =
  'no,n,false,f,off,nein,falsch,non,faux,falso,não,nao,nee,nie,fałsz,nej,falsk,falskt,nei,usant,ei,epätosi,väär,nē,aplams,ne,netiesa,нет,ложь,いいえ,否,假,hayır,yanlış,nepravda,nem,hamis,όχι,ψευδές,ні,хибність,nu,fals,не,невярно,không,sai,tidak,salah,아니오,아니요,لا,לא,ไม่,ไม่ใช่'.split(
    ',',
  );
