package optout_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/sms/internal/optout"
)

// unless returns what a text is read as if that is not what is wanted.
func unless(want optout.Meaning, body string) []string {
	if got := optout.Read(body, nil); got != want {
		return []string{fmt.Sprintf("%q is %q, not %q", optout.Normalize(body), got, want)}
	}

	return nil
}

func TestRead_TakesAnyReasonableOptOut(t *testing.T) {
	t.Parallel()
	var misread []string
	for _, body := range []string{
		// the words of 47 CFR 64.1200(a)(10), and those of carriers
		"stop", "Quit", "END", "revoke", "opt out", "cancel", "unsubscribe", "STOPALL", "stop all", "OPTOUT",
		// ways to write them
		"OPT OUT", "opt-out", "“STOP”", "'stop'", "«stop»", "stop,", "STOP!!!", " stop. ", "(stop)", "*STOP*", "STOP 🛑", "🛑STOP🛑", "🛑 stop ✋🏽", "stop\u200b", "\u200bS\u2060T\u200dO\ufeffP",
		"ＳＴＯＰ", "ｓｔｏｐ", "𝐒𝐓𝐎𝐏", "Ⓢⓣⓞⓟ", "S T O P", "S.T.O.P.", "s-t-o-p", "STOPPP", "stop stop stop", "STOP\n\nSTOP", "sto\u00adp", "Stop\u00a0All", "stop\ufe0f",
		// politeness and signatures
		"please stop", "Stop please", "STOP, thank you", "Stop thx", "pls STOP now", "ok stop", "Hello, please stop. Thanks!", "STOP - John Smith", "STOP\nJohn",
		"Stop. Maria O'Neil", "STOP\n--\njohn smith, 12 main st", "stop\n\nSent from my iPhone", "opt-out – Bob", "STOP\nJ. Smith\nAcme Transport",
		// in so many words
		"stop texting me", "Stop texting me!!", "STOP FUCKING TEXTING ME", "please stop messaging us", "stop sending me messages", "Stop sending these texts to me", "quit texting me",
		"remove me", "Remove me from your list", "please remove my number from your system", "take me off your list", "Take me off this texting list please",
		"unsubscribe me", "opt me out", "I want to opt out", "I'd like to opt out, thanks", "don't text me", "Do not text me again", "never contact me again", "no more texts",
		"No more text messages please", "I revoke my consent", "stop all messages", "cancel texts", "Wrong number. Stop texting me.", "Who is this? Unsubscribe", "I don't want any more messages", "I'm at work. Stop texting me!",
		// Spanish, French, Portuguese, Chinese, Russian and others
		"ALTO", "PARAR", "basta", "¡Basta!", "Cancelar", "BAJA", "dar de baja", "No más", "no más mensajes por favor", "Pare, gracias", "Por favor no me envíe más mensajes",
		"ARRET", "ARRÊT", "arrêtez", "Arrêtez s'il vous plaît", "désabonner", "me désabonner", "ne m'écrivez plus", "arre\u0302t",
		"SAIR", "pare por favor", "Descadastrar", "não enviar mais",
		"停止", "退订", "退訂", "取消", "请停止", "停止！谢谢", "不要再发短信", "ＴＤ退订",
		"СТОП", "стоп!", "Отписаться", "не пишите мне", "Пожалуйста, отпишите меня", "STOPP", "abmelden", "수신거부", "중지", "TIGIL", "توقف", "ਬੰਦ ਕਰੋ", "बंद करो", "tama na",
	} {
		misread = append(misread, unless(optout.Stop, body)...)
	}
	require.Empty(t, misread)
}

func TestRead_LeavesChatAlone(t *testing.T) {
	t.Parallel()
	var misread []string
	for _, body := range []string{
		"", "ok", "No", "don't stop by before 5", "I'll stop by at 5", "Next stop is Dallas", "stop 2 done", "Stop #3 delivered", "At the truck stop", "non-stop drive",
		"First stop: 12 Main St", "I had to stop for fuel", "we can't stop here", "Can I stop at the Pilot?", "two stops left", "stopped at the scale", "It is at the end of the street",
		"the end", "weekend", "Please cancel load 5512", "cancel my pickup tomorrow", "cancelled", "Quitman, GA", "Remove the tarp first", "take the car off the trailer", "I will text you",
		"yes please", "starting now", "Help me find the gate", "call me", "Don't call before 8", "Where are you?", "On my way 🚚", "arrived 🛑 at gate", "Cancelar la carga 12", "La baja es mañana en Miami", "para mañana",
		"Carga para Laredo", "je suis à l'arrêt de camion", "parar em Miami", "已停在门口", "buenas tardes", "Full stop at the light", "Unload at the second stop", "Every stop needs a photo", "stop sign is down",
	} {
		misread = append(misread, unless("", body)...)
	}
	require.Empty(t, misread)
}

func TestRead_SuspectsWhatAPersonHasToDecide(t *testing.T) {
	t.Parallel()
	var misread []string
	for _, body := range []string{
		"🛑", "please cancel", "ok end", "Stop, I'm driving", "stop it", "STOP John", "please stop calling", "stop texting me after 8pm", "Don't text me while I drive", "You people need to stop",
		"My husband said to remove me from the list or he calls a lawyer", "this is harassment", "wrong number", "Cancel - John", "I keep asking you guys to stop!", "sotp", "fin", "no more", "STOP\nAT GATE",
		"deje de enviarme mensajes de carga", "Не пишите мне после 8", "请不要再发这种短信给我了", "arretez de m'envoyer les mêmes messages", "are you going to stop? unsubscribe me from the daily texts",
		"stop. " + strings.Repeat("and another thing ", 200),
	} {
		misread = append(misread, unless(optout.Suspected, body)...)
	}
	require.Empty(t, misread)
}

func TestRead_HasPeopleLookAtSlipsAndShortWords(t *testing.T) {
	t.Parallel()
	var misread []string
	for _, body := range []string{"ST0P", "st0p.", "5top", "DNC", "dnc please", "TD", "td", "Do not contact", "D.N.C."} {
		misread = append(misread, unless(optout.Suspected, body)...)
	}
	require.Empty(t, misread)
}

func TestRead_LeavesReactionsAlone(t *testing.T) {
	t.Parallel()
	var misread []string
	for _, body := range []string{
		"Liked “Your load is on its way. Reply STOP to opt out.”", "Loved “STOP”", "Disliked \"Reply STOP to end\"", "Laughed at “stop”", "Emphasized “Stop 2 is Dallas. Reply STOP to end”",
		"Questioned “Reply STOP”", "Removed a heart from “Reply STOP to opt out”", "Reacted 😂 to “Text STOP to unsubscribe”", "👍 to “ Reply STOP to end. ”", "\u200b❤️\u200b to “STOP”",
		"Le gustó “Responda STOP para cancelar”",
	} {
		misread = append(misread, unless("", body)...)
	}
	for _, body := range []string{"Stop", "I liked it. STOP", "Disliked “your truck”. Stop texting me"} {
		require.NotEmpty(t, optout.Read(body, nil), body)
	}
	require.Empty(t, misread)
}

func TestRead_KnowsStartAndHelpOnlyAsWholeMessages(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]optout.Meaning{
		"START": optout.Start, "“Unstop”": optout.Start, "yes!": optout.Start, "ＹＥＳ": optout.Start, "HELP": optout.Help, "info?": optout.Help,
		"start please": "", "yes I will be there": "", "help me": "", "don't start yet": "",
	} {
		require.Equal(t, want, optout.Read(body, nil), body)
	}
}

func TestRead_TakesAlsoTheWordsOfACompany(t *testing.T) {
	t.Parallel()
	own := []string{"No Loads!", "бросьте"}
	require.Equal(t, optout.Stop, optout.Read("no loads", own))
	require.Equal(t, optout.Stop, optout.Read("NO LOADS, please", own))
	require.Equal(t, optout.Stop, optout.Read("БРОСЬТЕ 🛑", own))
	require.Empty(t, optout.Read("no loads in Dallas", own))
	require.Empty(t, optout.Read("no loads", nil))
}

func FuzzRead(f *testing.F) {
	f.Add("STOP - John", "alto")
	f.Fuzz(func(t *testing.T, body, own string) {
		got := optout.Read(body, []string{own})
		require.Contains(t, []optout.Meaning{"", optout.Stop, optout.Start, optout.Help, optout.Suspected}, got)
	})
}
