package custommodules

import (
	"net/mail"
	"regexp"
	"strings"

	"github.com/dispatchd/dispatchd/platform/list"
)

const errEmail = valueError("must be an e-mail address, such as ann@example.com.")

const (
	// mostEmail is how long the path of an address may be (RFC 5321, 4.5.3.1.3) without its brackets,
	// mostMailbox what stands before the @ (4.5.3.1.1).
	mostEmail   = 254
	mostMailbox = 64
)

// emailPattern is a mailbox name without quotes and a domain of at least two labels, of any length.
var emailPattern = regexp.MustCompile(`^[!-?A-~]+@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$`)

// email is an e-mail address alone. It is kept in lower case, since mail providers take it in any, so
// that one address is one value.
type email struct{ stringCells }

func emailType() fieldType {
	return fieldType{
		name:      "email",
		about:     "An e-mail address, kept in lower case.",
		slot:      textSlot,
		filter:    list.Text,
		operators: searched(),
		sortable:  true,
		options:   func() valueType { return &email{} },
	}
}

func (*email) check() error { return nil }

func (*email) parse(raw []byte) (value, error) {
	given, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	if len(given) > mostEmail {
		return value{}, valueError("must not be longer than 254 characters.")
	}
	given = lowerASCII(given)
	parsed, err := mail.ParseAddress(given)
	if err != nil || parsed.Address != given || parsed.Name != "" || !emailPattern.MatchString(given) || !emailFits(given) {
		return value{}, errEmail
	}

	return value{json: quote(given), key: given}, nil
}

func emailFits(address string) bool {
	mailbox, domain, _ := strings.Cut(address, "@")

	return len(mailbox) <= mostMailbox && labelsFit(domain)
}

func (e *email) comparable(text string) (any, error) { return e.part(text) }

func (*email) part(text string) (string, error) { return comparableText(lowerASCII(text)) }

func (*email) schema() map[string]any {
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
