package identity

import (
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/platform/errs"
)

const (
	// nameLength is the longest name of a company, user or token, in characters.
	nameLength = 200
	// emailLength is the longest e-mail address, in bytes (RFC 5321, 4.5.3.1.3, less the brackets).
	emailLength = 254
)

// complaints collects what is wrong with an input.
type complaints struct{ err *errs.Error }

func (c *complaints) add(field, message string) {
	if c.err == nil {
		c.err = ErrInvalid
	}
	c.err = c.err.WithField(field, message)
}

// result returns what was collected, nil if nothing was.
func (c *complaints) result() error {
	if c.err == nil {
		return nil
	}

	return c.err
}

// name returns the name without space around it.
func (c *complaints) name(name string) string {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		c.add("name", "The name is required.")
	case utf8.RuneCountInString(name) > nameLength:
		c.add("name", "The name must be at most 200 characters.")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		c.add("name", "The name must be one line of text.")
	}

	return name
}

// email returns the address in lower case.
func (c *complaints) email(email string) string {
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > emailLength {
		c.add("email", "The email must be an address such as anna@example.com.")
	}

	return normalEmail(email)
}

// normalEmail is an address as it is stored.
func normalEmail(email string) string { return strings.ToLower(email) }

// scopes checks what scopes look like.
func (c *complaints) scopes(scopes []string) {
	if len(scopes) == 0 {
		c.add("scopes", "At least one scope is required.")
	}
	for _, scope := range scopes {
		if !scopeSyntax.MatchString(scope) {
			c.add("scopes", "A scope must have the form area:read, area:*, *:read or *.")

			return
		}
	}
}

// added checks that there are scopes which somebody is to have from now on; known says which there are, and
// nil that any may be.
func (c *complaints) added(scopes []string, known func(area, action string) bool) {
	if known == nil {
		return
	}
	for _, scope := range scopes {
		if area, action := splitScope(scope); scopeSyntax.MatchString(scope) && !known(area, action) {
			c.add("scopes", fmt.Sprintf("There is no scope %s.", scope))
		}
	}
}

// expiry checks when a token expires; nil is never.
func (c *complaints) expiry(at *time.Time, now time.Time) {
	if at != nil && !at.After(now) {
		c.add("expires_at", "The token must expire in the future.")
	}
}
