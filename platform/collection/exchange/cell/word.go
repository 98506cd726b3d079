package cell

import (
	"net/mail"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/dispatchd/dispatchd/platform/field"
)

// yes and no are the words for true and false, in English, German, Spanish, French and Italian, and the marks of lists.
var yes = []string{"true", "t", "yes", "y", "x", "1", "1.0", "on", "✓", "✔", "☑", "ja", "j", "wahr", "si", "sí", "s", "oui", "o", "vrai", "verdadero", "vero", "ok"}

var no = []string{"false", "f", "no", "n", "0", "0.0", "off", "✗", "✘", "☐", "nein", "falsch", "non", "faux", "falso", "none"}

func parseBool(text string) (string, error) {
	word := strings.ToLower(text)
	switch {
	case slices.Contains(yes, word):
		return "true", nil
	case slices.Contains(no, word):
		return "false", nil
	}

	return "", Error("is neither yes nor no; such as yes, no, x, true, 0")
}

// Mailbox takes the name off an e-mail address. What is none is returned as it is.
func Mailbox(text string) string {
	bare := text
	if len(text) > 7 && strings.EqualFold(text[:7], "mailto:") {
		bare = text[7:]
	}
	if address, err := mail.ParseAddress(bare); err == nil {
		return address.Address
	}

	return bare
}

// phone writes a number with its country. What is none is left to the field.
func (r Reader) phone(text string) string {
	text = field.PlainPhone(text)
	if strings.HasPrefix(text, "00") {
		text = "+" + text[2:]
	}
	region := string(r.format)
	if region == "" {
		region = r.locale.Country
	}
	if region == "" || strings.HasPrefix(text, "+") {
		return text
	}
	for _, letter := range text {
		if (letter < '0' || letter > '9') && !strings.ContainsRune(" ()./-", letter) {
			return text
		}
	}
	parsed, err := phonenumbers.Parse(text, region)
	if err != nil || !phonenumbers.IsValidNumber(parsed) {
		return text
	}

	return phonenumbers.Format(parsed, phonenumbers.E164)
}
