package optout

import (
	"regexp"
	"strings"
)

// words is a list of words as Normalize writes them, which a test sees to: "|stop|opt out|".
type words string

func (w words) has(text string) bool { return strings.Contains(string(w), "|"+text+"|") }

// vendorWords are those to which vendors and carriers react, as whole messages.
const vendorWords words = "|" +
	"stop|stopall|stop all|unsubscribe|cancel|end|quit|revoke|optout|"

// exactWords are opt-outs as whole messages only: with a word more they may be about something else, such as a load.
const exactWords words = "|" +
	"cancel|end|quit|revoke|" +
	"cancelar|baja|no mas|" + // Spanish
	"annuler|fin des messages|" + // French
	"sair|chega|" + // Portuguese
	"取消|停|退出|解除|" + // Chinese, Japanese
	"отмена|отменить|хватит|отказ|" + // Russian
	"취소|그만|" // Korean

// clearWords are opt-outs also with politeness around them.
const clearWords words = "|" +
	"stop|stopall|stop all|stop it all|stopp|unsubscribe|unsuscribe|unsubcribe|unsubscribed|unsub|" +
	"optout|opt out|opted out|opting out|opt me out|remove|remove me|take me off|" +
	// Spanish
	"alto|parar|pare|paren|basta|detener|detenga|detengan|desuscribir|desuscribirme|dar de baja|" +
	"darme de baja|darse de baja|deme de baja|denme de baja|no mas mensajes|no mas textos|no mas sms|" +
	"no enviar mas|no enviar mas mensajes|no me envie mas mensajes|no me envien mas mensajes|no me mande mas mensajes|" +
	"no me manden mas mensajes|no me escriba mas|no me escriban mas|deje de escribirme|dejen de escribirme|" +
	"deje de enviarme mensajes|dejen de enviarme mensajes|quiteme de la lista|quitenme de la lista|" +
	// French
	"arret|arrete|arretez|arreter|desabonner|desabonnement|me desabonner|se desabonner|desabonnez moi|" +
	"desinscrire|desinscription|me desinscrire|desinscrivez moi|plus de messages|plus de textos|ne plus recevoir|" +
	"ne mecrivez plus|ne me textez plus|ne me contactez plus|arretez de mecrire|arretez de me texter|retirez moi|" +
	"retirez moi de votre liste|retirez moi de la liste|enlevez moi de la liste|enlevez moi de votre liste|" +
	// Portuguese
	"parem|descadastrar|descadastre|desinscrever|remover|nao enviar|nao enviar mais|nao quero mais mensagens|" +
	"nao me envie mais mensagens|nao me mande mais mensagens|parem de me mandar mensagens|pare de me mandar mensagens|" +
	// Chinese, simplified and traditional
	"停止|退订|退訂|取消订阅|取消訂閱|停止发送|停止發送|停止发短信|不要再发|不要再发了|不要再發|不要再發了|" +
	"不要再发短信|不要再发短信给我|不要再發短信|不要再發簡訊|别发了|别再发了|別發了|別再發了|拒收|td退订|" +
	// Russian and Ukrainian
	"стоп|отписаться|отписка|отпишите|отпишите меня|отписать|прекратить|прекратите|не пишите|" +
	"не пишите мне|больше не пишите|не пишите мне больше|удалите меня|удалите мои номер|припиніть|відписатися|" +
	"зупиніть|" +
	// German, Italian, Polish, Romanian
	"abmelden|abbestellen|keine sms mehr|keine nachrichten mehr|disiscrivi|disiscrivimi|wypisz mnie|dezabonare|" +
	// Korean, Japanese
	"중지|중단|정지|수신거부|수신 거부|그만 보내세요|配信停止|" +
	// Tagalog, Vietnamese, Haitian Creole, Somali
	"itigil|tigil|ihinto|hinto|tama na|dung lai|ngung|ngung nhan tin|sispann|jooji|" +
	// Arabic
	"قف|توقف|إيقاف|ايقاف|إلغاء|الغاء|إلغاء الاشتراك|الغاء الاشتراك|" +
	// Punjabi, Hindi
	"ਬੰਦ ਕਰੋ|ਰੋਕੋ|बंद करो|बंद करें|रोको|"

// weakWords are messages that may be opt-outs, or chat, or slips of the thumb.
const weakWords words = "|" +
	"sotp|stpo|tsop|stp|para|fin|salir|terminar|eliminar|quitar|borrar|ende|koniec|конец|huy|" + //nolint:misspell // slips of the thumb
	"dung|td|t|dnc|dncl|dnt|do not contact|do not call|do not text|dont call|dont contact|no more|enough|go away|not interested|basta ya|encerrar|delete|block|blocked|wrong number|"

const (
	startWords words = "|start|unstop|yes|"
	helpWords  words = "|help|info|"
	curses     words = "|fucking|fuckin|freaking|goddamn|damn|"
)

// politeWords are what people say around what they want.
const politeWords = "" +
	"please|pls|plz|kindly|thanks|thank you|thank u|thx|ty|ok|okay|hi|hello|hey|sorry|now|" +
	"immediately|asap|already|right now|sir|maam|guys|just|again|anymore|any more|forever|" +
	"i said|you must|you need to|can you|could you|would you|will you|i want to|i would like to|id like to|i wish to|" +
	"i want you to|i am|im|i|wrong number|enough|" +
	"por favor|gracias|hola|ya|favor de|svp|sil vous plait|sil te plait|merci|bonjour|obrigado|obrigada|" +
	"ola|пожалуиста|спасибо|здравствуите|bitte|danke|hallo"

const (
	whom     = `(?:me|us|this number|this phone|my phone|my number|my cell|my cell phone|my phone number|our number)`
	what     = `(?:(?:these|those|the|any|more|all|your|further|such) )*(?:text messages|texts|text|messages|message|msgs|sms|notifications|alerts|anything)`
	lists    = `(?: (?:from|of|off)?(?: ?(?:your|the|this|that|all|any|these|text|texting|sms|contact|mailing|message|messaging|call|marketing))* ?(?:list|lists|system|database|contacts|texts|messages|notifications|records|service))?`
	writing  = `(?:texting|messaging|contacting|writing|writing to|spamming|bothering|harassing|messaging and calling|texting and calling|calling and texting|texting or calling|calling or texting|contacting or texting)`
	toWrite  = `(?:text|message|contact|write|write to|sms|bother|spam|text or call|call or text|contact or text)`
	everWord = `(?: (?:anymore|any more|again|ever|ever again|at all|now|please))*`
)

// politeFirst and politeLast are polite words at the ends of a text.
var (
	politeFirst = regexp.MustCompile(`^(?:(?:` + politeWords + `) |请|請|谢谢|謝謝)`)
	politeLast  = regexp.MustCompile(`(?: (?:` + politeWords + `)|请|請|谢谢|謝謝)$`)
)

// phrases are wishes to be left alone that can mean nothing else.
var phrases = regexp.MustCompile(`^(?:` +
	`(?:stop|quit|cease) ` + writing + `(?: ` + whom + `)?` +
	`|(?:stop|quit) sending (?:` + whom + ` )?` + what + `(?: to ` + whom + `)?` +
	`|(?:stop|quit|end|cancel|no more|unsubscribe from) (?:all )?(?:the |these |your |my )?(?:text messages|texts|messages|sms|msgs|sms messages|text subscription)` +
	`|(?:remove|delete|unsubscribe|drop|opt out) ` + whom + lists +
	`|take ` + whom + ` off` + lists +
	`|opt ` + whom + ` out` + lists +
	`|opt out of ` + what +
	`|unsubscribe` + lists +
	`|(?:do not|dont|never) ` + toWrite + ` ` + whom +
	`|(?:do not|dont) (?:send|want|want to get|want to receive|wish to receive) (?:` + whom + ` )?` + what + `(?: from you)?` +
	`|(?:i )?(?:revoke|withdraw)(?: my| all)* consent|consent (?:is )?(?:revoked|withdrawn)` +
	`|lose my number|leave me alone` +
	`)` + everWord + `$`)

// hints are what a text says that may be an opt-out among other things.
var hints = regexp.MustCompile(`(?:^| )(?:` +
	`dnc|do not contact list|unsubscribe|unsuscribe|unsub|optout|opt out|opting out|opt (?:me|us) out|revoke|tcpa|spam|spamming|harass|harassing|harassment|wrong number|wrong person` +
	`|remove (?:me|us|my|this number)|take (?:me|us|my number|this number) off|delete my number|lose my number|leave (?:me|us) alone` +
	`|no more (?:texts|text|messages|sms|msgs)|(?:stop|quit|cease) (?:` + writing + `|calling|sending|it|this|now|please|all|already|these|your)` +
	`|(?:do not|dont|never) (?:text|message|contact|sms)|(?:ask|asked|asking|tell|told|telling|want|wanted) you (?:people |guys |all )?to stop|you (?:people |guys |all )?(?:need to|must|have to|better|should) stop(?: now| it)?$|(?:do not|dont) want (?:any|more|your|these|to (?:get|receive))` +
	`|desuscribir|desuscribirme|dar(?:me)? de baja|no me (?:envie|envien|mande|manden|escriba|escriban)|dejen? de (?:enviar|enviarme|mandar|mandarme|escribir|escribirme)` +
	`|desabonner|desabonnement|desinscrire|ne (?:me )?(?:mecrivez|envoyez|textez|contactez) plus|arretez de` +
	`|descadastrar|nao (?:me )?(?:envie|mande|enviem|mandem)` +
	`|стоп|отписаться|отпишите|отписать|прекратите|не пишите|не присылаите|abmelden|abbestellen` +
	`)(?: |$)|退订|退訂|取消订阅|取消訂閱|停止发|停止發|不要再发|不要再發|别发|別發|别再发|別再發|拒收|骚扰|騷擾|수신거부|수신 거부`)

// footers are what programs put below a text.
var footers = regexp.MustCompile(`^(?:sent from|sent via|get outlook|enviado desde|enviado do|envoye de|envoye depuis|gesendet von)(?: |$)`)

// beforeStop and afterStop are words between which a stop is a place on a route, or somebody's own plan.
const (
	beforeStop words = "|" +
		"a|an|the|next|last|first|second|third|fourth|1st|2nd|3rd|4th|5th|final|truck|bus|rest|pit|" +
		"fuel|gas|lunch|food|one|two|another|each|every|this|that|my|our|your|his|her|their|per|" +
		"extra|only|to|dont|didnt|doesnt|cant|cannot|wont|not|never|must|will|can|could|should|would|gotta|gonna|i|ill|we|well|" +
		"he|she|they|it|non|full|quick|short|added|add|at|pickup|delivery|drop|weigh|border|scale|complete|" +
		"single|multi|same|previous|current|which|what|any|no|in|on|after|before|between|and|"
	afterStop words = "|" +
		"by|at|in|on|for|over|here|there|off|sign|signs|light|lights|number|no|to|and|is|was|" +
		"along|near|before|after|time|times|payment|one|two|three|four|five|six|seven|eight|nine|ten|" +
		"done|complete|completed|location|address|has|will|with|from|next|until|till|when|if|en|a|b|c|"
)
