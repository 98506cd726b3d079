package field

import (
	"net/mail"
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

const errEmail = Error("must be an e-mail address, such as ann@example.com.")

const (
	// mostEmail is how long the path of an address may be (RFC 5321, 4.5.3.1.3) without its brackets,
	// mostMailbox what stands before the @ (4.5.3.1.1).
	mostEmail   = 254
	mostMailbox = 64
)

// emailPattern is a mailbox name without quotes and a domain of at least two labels, of any length.
var emailPattern = regexp.MustCompile(`^[!-?A-~]+@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$`)

// emailOptions is an e-mail address alone. It is kept in lower case, since mail providers take it in any, so
// that one address is one value.
type emailOptions struct{ stringCells }

func emailType() Type {
	return Type{
		Name:      "email",
		About:     "An e-mail address, kept in lower case.",
		Index:     TextIndex,
		Filter:    kind.Text,
		Operators: searchOperators(),
		Sortable:  true,
		New:       func() Values { return &emailOptions{} },
	}
}

// Check implements Values.
func (*emailOptions) Check() error { return nil }

// Parse implements Values.
func (*emailOptions) Parse(raw []byte) (Value, error) {
	given, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	if len(given) > mostEmail {
		return Value{}, Error("must not be longer than 254 characters.")
	}
	given = lowerASCII(given)
	parsed, err := mail.ParseAddress(given)
	if err != nil || parsed.Address != given || parsed.Name != "" || !emailPattern.MatchString(given) || !emailFits(given) {
		return Value{}, errEmail
	}

	return Value{JSON: rawjson.Quote(given), Key: given}, nil
}

func emailFits(address string) bool {
	mailbox, domain, _ := strings.Cut(address, "@")

	return len(mailbox) <= mostMailbox && labelsFit(domain)
}

// Comparable implements Values.
func (e *emailOptions) Comparable(text string) (any, error) { return e.Part(text) }

// Part implements PartSearcher.
func (*emailOptions) Part(text string) (string, error) { return ComparableText(lowerASCII(text)) }

// Schema implements Values.
func (*emailOptions) Schema() map[string]any {
	return map[string]any{
		"type": "string", "format": "email", "maxLength": mostEmail, "pattern": `^[!-?A-~]{1,64}@[A-Za-z0-9.-]+\.[A-Za-z0-9-]+$`,
	}
}

// lowerASCII leaves other letters alone: the lower case of the Kelvin sign is k.
func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}

		return r
	}, text)
}
