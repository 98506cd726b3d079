// Package optout reads what somebody's text says about being written to: whether it revokes consent, gives it, or asks for
// help.
//
// 47 CFR 64.1200(a)(10) lets people revoke consent "in any reasonable manner", and names the words stop, quit, end, revoke,
// opt out, cancel and unsubscribe. Reading too much into a text is wrong as well: dispatchers and drivers write of stops all
// day. So a text is Stop where it says nothing else, and Suspected, which a person decides, where it may say more.
package optout

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Meaning is what a text says; "" is nothing of the kind.
type Meaning string

// The meanings.
const (
	Stop  Meaning = "stop"
	Start Meaning = "start"
	Help  Meaning = "help"
	// Suspected is a text that may be an opt-out.
	Suspected Meaning = "suspected"
)

// longest is how many bytes of a text are looked at. An opt-out is short, or begins with what it wants.
const longest = 2000

// Read returns what a text says. The own words are a company's, beside those that are known here.
func Read(body string, own []string) Meaning {
	if len(body) > longest {
		body = strings.ToValidUTF8(body[:longest], "")
	}
	if isReaction(body) {
		return ""
	}
	text := Normalize(body)
	if text == "" {
		if strings.ContainsAny(body, "🛑🚫⛔") {
			return Suspected
		}

		return ""
	}
	switch {
	case startWords.has(text):
		return Start
	case helpWords.has(text):
		return Help
	}
	mine := make([]string, 0, len(own))
	for _, word := range own {
		mine = append(mine, Normalize(word))
	}
	switch {
	case saysStop(text, mine), isSignedOptOut(body, mine), asksToStop(body):
		return Stop
	case maybeOptOut(body, text):
		return Suspected
	default:
		return ""
	}
}

// reaction is what a phone sends for a reaction to a text, in place of the emoji, with the text in quotation marks: Liked “Reply STOP to end.”,
// 👍 to “See you at the next stop”.
var reaction = regexp.MustCompile(`(?is)^\W*(?:(?:` +
	`liked|loved|disliked|laughed at|emphasi[sz]ed|questioned|reacted\s.{1,20}\sto|removed an?\s.{1,40}\sfrom|` +
	`(?:no )?(?:me |le )?(?:gustó|encantó)|se rio de|enfatizó|cuestionó|a aimé|a adoré|n.a pas aimé` +
	`)|[^\pL\pN]{1,20}\s*to)\s*[“"«„].*[”"»“]\s*$`)

// isReaction reports whether a text is a tapback. The quoted text is not a request of its sender.
func isReaction(body string) bool { return reaction.MatchString(strings.TrimSpace(body)) }

// unleet reads digits among letters as the letters that they look like: st0p, 5top.
func unleet(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			words[i] = strings.NewReplacer("0", "o", "5", "s", "7", "t", "1", "i", "3", "e").Replace(word)
		}
	}

	return strings.Join(words, " ")
}

// IsYes reports whether a text that is Start is an answer to a question as well.
func IsYes(body string) bool { return Normalize(body) == "yes" }

// VendorOptOut reports whether vendors of text messages take a text for an opt-out, or its end, and answer it themselves.
func VendorOptOut(body string) bool {
	text := Normalize(body)

	return vendorWords.has(text) || startWords.has(text) || helpWords.has(text)
}

// saysStop reports whether a text is nothing but a wish to be left alone, and politeness.
func saysStop(text string, own []string) bool {
	return exactWords.has(text) || isOptOut(text, own)
}

// isOptOut reports whether a text is an opt-out, whatever politeness is around it.
func isOptOut(text string, own []string) bool {
	return slices.ContainsFunc([]string{text, trimPolite(text)}, func(text string) bool {
		return slices.Contains(own, text) || clearWords.has(text) || clearWords.has(trimRepeats(text)) || phrases.MatchString(text)
	})
}

// trimRepeats is "stop" for "stoppp": a text without the repeats of its last letter.
func trimRepeats(text string) string {
	last, size := utf8.DecodeLastRuneInString(text)
	for strings.HasSuffix(text[:len(text)-size], string(last)) {
		text = text[:len(text)-size]
	}

	return text
}

// asksToStop reports whether one of the sentences of a text asks for it in so many words: "Stop texting me. I am at work."
func asksToStop(body string) bool {
	return slices.ContainsFunc(sentences(body), func(s string) bool { return phrases.MatchString(trimPolite(Normalize(s))) })
}

func sentences(body string) []string {
	body = strings.ReplaceAll(body, " - ", "\n")

	return strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(".!?;,:\n\r–—。！？；，：", r) })
}

// isSignedOptOut reports whether a text is an opt-out and somebody's name: "STOP - John Smith", or what phones and mail
// programs put below a text.
func isSignedOptOut(body string, own []string) bool {
	for i, r := range body {
		if i > 80 {
			return false
		}
		if !strings.ContainsRune("\n\r-–—,.;:!~/|", r) || !isOptOut(Normalize(body[:i]), own) {
			continue
		}
		if isSignature(body[i:]) {
			return true
		}
	}

	return false
}

// isSignature reports whether a text, from the character before it on, is one.
func isSignature(text string) bool {
	if strings.HasPrefix(strings.TrimLeft(text, "\r\n \t"), "--") || footers.MatchString(Normalize(text)) {
		return true
	}
	names := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\'' && r != '’' })

	return len(names) > 0 && len(names) <= 6 && !slices.ContainsFunc(names, func(name string) bool { return !isName(name) })
}

// isName reports whether a word is written as a name: with a capital, and small letters if any.
func isName(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) || strings.ContainsFunc(word, unicode.IsNumber) {
		return false
	}
	rest := word[size:]

	return rest == "" || strings.ContainsFunc(rest, unicode.IsLower)
}

// maybeOptOut reports whether a text may be an opt-out among other things.
func maybeOptOut(body, text string) bool {
	if plain := unleet(text); plain != text && saysStop(plain, nil) {
		return true
	}
	if weakWords.has(text) || hints.MatchString(text) || exactWords.has(trimPolite(text)) {
		return true
	}
	if slices.ContainsFunc(sentences(body), func(s string) bool { return saysStop(Normalize(s), nil) }) {
		return true
	}

	return bareStop(strings.Fields(text))
}

// bareStop reports whether "stop" is said of no place on a route, and of nobody's own plans: not "next stop", "stop 2",
// "stop by", "I will stop".
func bareStop(words []string) bool {
	for i, word := range words {
		if word != "stop" {
			continue
		}
		if i > 0 && beforeStop.has(words[i-1]) {
			continue
		}
		if i+1 < len(words) && (afterStop.has(words[i+1]) || strings.ContainsFunc(words[i+1], unicode.IsNumber)) {
			continue
		}

		return true
	}

	return false
}
