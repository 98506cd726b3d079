// Package phone reads phone numbers by the rules of libphonenumber, and says which can be sent to.
package phone

import (
	"regexp"
	"slices"

	"github.com/nyaruka/phonenumbers"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
)

// Why a number cannot be sent to.
var (
	ErrNotANumber = errs.New(errs.Invalid, "sms.not_a_number", "This is not a phone number.")
	ErrLandline   = errs.New(errs.Invalid, "sms.landline", "This is a landline number, which cannot receive text messages.")
	ErrPremium    = errs.New(errs.Invalid, "sms.premium_number", "This is a premium-rate number. Messages are not sent to it.")
	ErrShortCode  = errs.New(errs.Invalid, "sms.short_code", "This is a short code. Use a phone number.")
)

// shortCode is digits that no country has numbers of.
var shortCode = regexp.MustCompile(`^[0-9]{3,6}$`)

// maxLength is longer than any number is written.
const maxLength = 40

// Parse returns the number that a text means, as E.164. The region, ISO 3166-1 alpha-2, is whose national
// form is understood. Errors: ErrNotANumber, ErrShortCode.
func Parse(text, region string) (string, error) {
	number, err := parse(text, region)
	if err != nil {
		return "", err
	}

	return phonenumbers.Format(number, phonenumbers.E164), nil
}

// Recipient is Parse, and refuses what cannot, or must not, be sent to. In regions whose numbers do not tell,
// such as the United States and Canada, a landline is found by the provider alone.
func Recipient(text, region string) (string, error) {
	number, err := parse(text, region)
	if err != nil {
		return "", err
	}
	//nolint:exhaustive // the others are sent to
	switch phonenumbers.GetNumberType(number) {
	case phonenumbers.FIXED_LINE, phonenumbers.UAN, phonenumbers.VOICEMAIL:
		return "", ErrLandline
	case phonenumbers.PREMIUM_RATE, phonenumbers.SHARED_COST:
		return "", ErrPremium
	}

	return phonenumbers.Format(number, phonenumbers.E164), nil
}

func parse(text, region string) (*phonenumbers.PhoneNumber, error) {
	text = field.PlainPhone(text)
	if shortCode.MatchString(text) {
		return nil, ErrShortCode
	}
	if len(text) > maxLength {
		return nil, ErrNotANumber
	}
	number, err := phonenumbers.Parse(text, region)
	if err != nil || number.GetExtension() != "" || !phonenumbers.IsValidNumber(number) {
		return nil, ErrNotANumber
	}

	return number, nil
}

// Region returns the region of an E.164 number, "" if it has none.
func Region(e164 string) string {
	number, err := phonenumbers.Parse(e164, "")
	if err != nil {
		return ""
	}

	return phonenumbers.GetRegionCodeForNumber(number)
}

// IsRegion reports whether numbers of a region are known.
func IsRegion(region string) bool { return phonenumbers.GetSupportedRegions()[region] }

// IsTollFree reports whether an E.164 number is free to call.
func IsTollFree(e164 string) bool {
	number, err := phonenumbers.Parse(e164, "")

	return err == nil && phonenumbers.GetNumberType(number) == phonenumbers.TOLL_FREE
}

// unknownZone is what libphonenumber has for numbers that are nowhere.
const unknownZone = "Etc/Unknown"

// Zones returns the time zones, by their IANA names, that the owner of an E.164 number may be in; none if the
// number does not tell.
func Zones(e164 string) []string {
	number, err := phonenumbers.Parse(e164, "")
	if err != nil {
		return nil
	}
	zones, err := phonenumbers.GetTimezonesForNumber(number)
	if err != nil {
		return nil
	}

	return slices.DeleteFunc(zones, func(zone string) bool { return zone == unknownZone })
}
