package share

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
)

// ErrTooMany is for messages that people without an account send by a link, beyond what the thing, the recipient or the company may be used for.
var ErrTooMany = errs.New(errs.TooMany, "share.too_many", "Too many messages were sent by this link.")

// OutsiderErrors are the failures of AllowOutsider, for the documentation of public operations.
var OutsiderErrors = []*errs.Error{ErrRecipient, ErrTooMany}

// Outsider is how somebody without an account, who has a link of the company, may have messages sent at the company's cost.
type Outsider struct {
	// Thing names what the messages are about, such as the stage of a bill of lading: its messages are counted together.
	Thing string
	// PerHour and PerDay are how many messages it may cause; 0 is 5 and 10.
	PerHour, PerDay int64
	// Known are phone numbers (E.164) and e-mail addresses that may always be written to, such as those of the contacts of a stop.
	Known []string
	// Countries are those whose other phone numbers may be written to, as ISO 3166 codes. Those of the US and of Canada always may.
	Countries []string
}

const (
	thingPerHour, thingPerDay         = 5, 10
	recipientPerHour, recipientPerDay = 5, 10
	companyPerHour, companyPerDay     = 200, 1000
)

// AllowOutsider counts messages of somebody without an account to recipients, and refuses numbers that have nothing to do with the thing. It joins the caller's
// transaction, which takes the count back if it fails. Errors: ErrRecipient, ErrTooMany.
func (s *Service) AllowOutsider(ctx context.Context, o Outsider, to []Recipient) error {
	wrong := ErrRecipient
	for i, one := range to {
		if rule := o.refusal(one); rule != "" {
			wrong = wrong.WithField("to."+strconv.Itoa(i)+".address", rule)
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		for _, one := range to {
			for _, q := range []struct {
				key             string
				perHour, perDay int64
			}{
				{"company", companyPerHour, companyPerDay},
				{"thing " + o.Thing, cmp.Or(o.PerHour, thingPerHour), cmp.Or(o.PerDay, thingPerDay)},
				{"to " + one.Channel + " " + strings.ToLower(one.Address), recipientPerHour, recipientPerDay},
			} {
				if err := s.quotas.both(ctx, q.key, 1, q.perHour, q.perDay, ErrTooMany); err != nil {
					return err
				}
			}
		}

		return nil
	})
}

// AllowEntries counts what callers without an account add to a thing by a link: rows, links, files. It joins the caller's transaction, which takes the
// count back if it fails. Error: link.ErrTooOften.
func (s *Service) AllowEntries(ctx context.Context, thing string, n, perHour, perDay int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		return s.quotas.both(ctx, "entries of "+thing, n, perHour, perDay, link.ErrTooOften)
	})
}

// refusal says why a recipient cannot be chosen, "" if it can.
func (o Outsider) refusal(to Recipient) string {
	if to.Channel != notify.SMS || slices.Contains(o.Known, to.Address) {
		return ""
	}
	countries := []string{"US", "CA"}
	for _, c := range o.Countries {
		if !slices.Contains(countries, c) && c != "" {
			countries = append(countries, c)
		}
	}
	number, err := phonenumbers.Parse(field.PlainPhone(to.Address), "US")
	if err != nil {
		return "The address must be a phone number, such as +12145550143."
	}
	region := phonenumbers.GetRegionCodeForNumber(number)
	if region == "" || region == "ZZ" {
		region = phonenumbers.GetRegionCodeForCountryCode(int(number.GetCountryCode()))
	}
	if !slices.Contains(countries, region) || phonenumbers.GetNumberType(number) == phonenumbers.PREMIUM_RATE {
		return "`address` must be the number of a contact of the stop, or an ordinary number of one of these countries: " + strings.Join(countries, ", ") + "."
	}

	return ""
}

// digest is a key as it is stored: numbers and addresses are not.
func digest(key string) string {
	sum := sha256.Sum256([]byte(key))

	return hex.EncodeToString(sum[:])
}
