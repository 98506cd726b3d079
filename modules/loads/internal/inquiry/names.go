// Package inquiry names the fields of refusals as those know them who send inquiries.
package inquiry

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// Renamed is a refusal whose fields have the names that the caller knows, by its own code, or by that of another failure of its kind, nil for none.
func Renamed(err error, as *errs.Error, name func(at string) string) error {
	refusal, is := errors.AsType[*errs.Error](err)
	if !is || len(refusal.Fields) == 0 {
		return err
	}
	if as == nil || as.Kind != refusal.Kind {
		bare := *refusal
		bare.Fields = nil
		as = &bare
	}
	for at, texts := range refusal.Fields {
		for _, text := range texts {
			as = as.WithField(name(at), text)
		}
	}

	return as
}

// OfContact is the name that a field of a contact has where somebody is asked for one phone number and one e-mail address.
func OfContact(at string) string {
	switch {
	case strings.HasPrefix(at, "emails"):
		return "email"
	case strings.HasPrefix(at, "phones"):
		return "phone"
	}

	return "name"
}

// OfQuickLoad returns the names that the fields of a load have in a quick load, of which each vehicle comes from one of the texts; by a quote token, all
// places and vehicles are the token's.
func OfQuickLoad(token bool, texts []int) func(at string) string {
	return func(at string) string {
		part, rest, _ := strings.Cut(at, ".")
		number, _, _ := strings.Cut(rest, ".")
		i, err := strconv.Atoi(number)
		switch {
		case part != "stops" && part != "vehicles" || err != nil:
			return at
		case token:
			return "quote_token"
		case part == "stops" && i == 0:
			return "from"
		case part == "stops":
			return "to"
		case i < len(texts):
			return "vehicles." + strconv.Itoa(texts[i])
		}

		return at
	}
}
