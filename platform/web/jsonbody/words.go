package jsonbody

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/google/uuid"
)

// mark begins, inside a message from Huma, the name of the field that the message is about:
// mark + field + mark + what the field must be. Huma reports a missing key at its parent, and an
// error of a decoder at the whole body.
const mark = "\x00"

// unknownKey is what Huma says of a key that a schema does not have.
const unknownKey = mark + mark + "This key is not known."

// words guards variables of Huma that belong to the whole process. They are constants in all but name: they are set once, the same
// for everybody.
var words sync.Once

// SetWords has Huma check as this package reads, and say in our words what is wrong. It is called before anything is described or
// checked, and may be called often.
func SetWords() {
	words.Do(func() {
		huma.DefaultArrayNullable = false
		huma.ValidateStrictCasing = true
		setRuleWords()
		setFormatWords()
	})
}

// setRuleWords sets what Huma says of a rule that is broken. Each is what follows "The year".
func setRuleWords() {
	validation.MsgUnexpectedProperty = unknownKey
	validation.MsgExpectedRequiredProperty = mark + "%s" + mark + "is required."
	validation.MsgExpectedDependentRequiredProperty = mark + "%s" + mark + "is required when %s is given."
	validation.MsgExpectedMatchAtLeastOneSchema = "must have one of the documented forms."
	validation.MsgExpectedMatchExactlyOneSchema = "must have exactly one of the documented forms."
	validation.MsgExpectedNotMatchSchema = "has a form that is not allowed."
	validation.MsgExpectedPropertyNameInObject = "is required: it decides which form applies."
	validation.MsgExpectedBoolean = "must be true or false."
	validation.MsgExpectedDuration = "must be a duration such as 1h30m.%.0v"
	validation.MsgExpectedNumber = "must be a number."
	validation.MsgExpectedInteger = "must be an integer."
	validation.MsgExpectedString = "must be a string."
	validation.MsgExpectedBase64String = "must be text in base64."
	validation.MsgExpectedArray = "must be a list."
	validation.MsgExpectedObject = "must be an object."
	validation.MsgExpectedArrayItemsUnique = "must not have the same item twice."
	validation.MsgExpectedOneOf = "must be one of: %s."
	validation.MsgExpectedMinimumNumber = "must be at least %v."
	validation.MsgExpectedExclusiveMinimumNumber = "must be more than %v."
	validation.MsgExpectedMaximumNumber = "must be at most %v."
	validation.MsgExpectedExclusiveMaximumNumber = "must be less than %v."
	validation.MsgExpectedNumberBeMultipleOf = "must be a multiple of %v."
	validation.MsgExpectedMinLength = "must be at least %d characters long."
	validation.MsgExpectedMaxLength = "must be at most %d characters long."
	validation.MsgExpectedBePattern = "must be %s."
	validation.MsgExpectedMatchPattern = "must match the pattern %s."
	validation.MsgExpectedMinItems = "must have at least %d items."
	validation.MsgExpectedMaxItems = "must have at most %d items."
	validation.MsgExpectedMinProperties = "must have at least %d keys."
	validation.MsgExpectedMaxProperties = "must have at most %d keys."
}

// setFormatWords sets what Huma says of text in a wrong format. A verb with precision zero
// swallows the reason, which is Go's.
func setFormatWords() {
	validation.MsgExpectedRFC3339DateTime = "must be a time such as 2006-01-02T15:04:05Z."
	validation.MsgExpectedRFC1123DateTime = "must be a time such as Mon, 02 Jan 2006 15:04:05 GMT."
	validation.MsgExpectedRFC3339Date = "must be a date such as 2006-01-02."
	validation.MsgExpectedRFC3339Time = "must be a time of day such as 15:04:05."
	validation.MsgExpectedRFC5322Email = "must be an e-mail address.%.0v"
	validation.MsgExpectedRFC5890Hostname = "must be a host name."
	validation.MsgExpectedRFC2673IPv4 = "must be an IPv4 address."
	validation.MsgExpectedRFC2373IPv6 = "must be an IPv6 address."
	validation.MsgExpectedRFCIPAddr = "must be an IP address."
	validation.MsgExpectedRFC3986URI = "must be a URI.%.0v"
	validation.MsgExpectedRFC4122UUID = "must be a UUID.%.0v"
	validation.MsgExpectedRFC6570URITemplate = "must be a URI template."
	validation.MsgExpectedRFC6901JSONPointer = "must be a JSON pointer."
	validation.MsgExpectedRFC6901RelativeJSONPointer = "must be a relative JSON pointer."
	validation.MsgExpectedRegexp = "must be a regular expression.%.0v"
}

// predicate translates what Huma has no variable for.
func predicate(message string) string {
	switch message {
	case "required path parameter is missing", "required query parameter is missing",
		"required header parameter is missing", "required form parameter is missing":
		return "is required."
	case "invalid integer":
		return "must be an integer."
	case "invalid float", "invalid floating value":
		return "must be a number."
	case "invalid boolean":
		return "must be true or false."
	case fmt.Sprintf(validation.MsgExpectedMinLength, 1):
		return "must not be empty."
	case fmt.Sprintf(validation.MsgExpectedMinItems, 1):
		return "must have at least one entry."
	case fmt.Sprintf(validation.MsgExpectedMinProperties, 1):
		return "must have at least one key."
	case "expected value to match exactly one schema but matched multiple":
		return "must have exactly one of the documented forms."
	}
	switch {
	case strings.HasPrefix(message, "invalid value: ") && strings.Contains(message, "UUID"):
		return fmt.Sprintf(validation.MsgExpectedRFC4122UUID, "")
	case strings.HasPrefix(message, "invalid date/time"):
		return validation.MsgExpectedRFC3339DateTime
	case strings.HasPrefix(message, "invalid value: "), strings.HasPrefix(message, "cannot read multipart"),
		strings.HasPrefix(message, "invalid url"):
		return "is not valid."
	default:
		return strings.Replace(message, ", <nil>.", ".", 1) // of the words of an enumeration that may be null
	}
}

// patched is a member of a merge patch: a value, or none.
type patched interface{ ValueType() reflect.Type }

// expectation says what JSON a Go type is read from.
func expectation(t reflect.Type) string {
	if t == nil {
		return "is not valid."
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if sent, ok := reflect.TypeAssert[patched](reflect.Zero(t)); ok {
		return expectation(sent.ValueType())
	}
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		return fmt.Sprintf(validation.MsgExpectedRFC4122UUID, "")
	case reflect.TypeFor[time.Time]():
		return validation.MsgExpectedRFC3339DateTime
	}
	switch t.Kind() {
	case reflect.Bool:
		return validation.MsgExpectedBoolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("must be an integer of %d bits at most.", t.Bits())
	case reflect.Float32, reflect.Float64:
		return validation.MsgExpectedNumber
	case reflect.String:
		return validation.MsgExpectedString
	case reflect.Slice, reflect.Array:
		return validation.MsgExpectedArray
	case reflect.Struct, reflect.Map:
		return validation.MsgExpectedObject
	default:
		return "is not valid."
	}
}
