package kind

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

var (
	errIllFormed = errors.New("is not well-formed")
	errKind      = errors.New("unknown kind")

	decimalText = regexp.MustCompile(`^-?[0-9]{1,60}(\.[0-9]{1,40})?$`)
)

// Encode turns the text of a request or cursor into the value that is bound. It lets nothing
// through that a database would answer with an error: a byte 0, a year 0, half a rune.
func (k Kind) Encode(text string) (any, error) {
	switch k {
	case Text:
		return text, wellFormed(utf8.ValidString(text) && !strings.ContainsRune(text, 0))
	case Integer:
		return strconv.ParseInt(text, 10, 64)
	case Decimal:
		return text, wellFormed(decimalText.MatchString(text))
	case Boolean:
		return encodeBoolean(text)
	case Date:
		return text, inLayout(time.DateOnly, text)
	case LocalTime:
		return text, inLayout(time.DateTime, text)
	case Time:
		return encodeTime(text)
	case UUID:
		return encodeUUID(text)
	default:
		return nil, errKind
	}
}

func wellFormed(ok bool) error {
	if !ok {
		return errIllFormed
	}

	return nil
}

func encodeBoolean(text string) (any, error) {
	switch text {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}

	return nil, errIllFormed
}

// inLayout accepts only the text that the layout itself would print, so that texts compare as the
// times do, and not the year 0, which PostgreSQL does not have.
func inLayout(layout, text string) error {
	t, err := time.Parse(layout, text)
	if err != nil {
		return err
	}

	return wellFormed(t.Year() > 0 && t.Format(layout) == text)
}

// encodeTime refuses what is finer than the databases keep: cut off, it would compare wrongly.
func encodeTime(text string) (any, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, err
	}
	t = t.UTC()

	return t, wellFormed(t.Year() > 0 && t.Year() < 10000 && t.Truncate(time.Microsecond).Equal(t))
}

// encodeUUID accepts the form with hyphens alone, and binds it in lower case, as it is stored.
func encodeUUID(text string) (any, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, err
	}

	return id.String(), wellFormed(strings.EqualFold(id.String(), text))
}
