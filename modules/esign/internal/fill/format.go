package fill

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// formatValue returns a value as a tab shows it, "" for none. The error is for people.
func formatValue(value json.RawMessage, of kind.Kind, f Format, zone *time.Location) (string, error) {
	var read any
	if len(value) > 0 {
		decoder := json.NewDecoder(strings.NewReader(string(value)))
		decoder.UseNumber() // a float would change long numbers
		if err := decoder.Decode(&read); err != nil {
			return "", fmt.Errorf("reading the value: %w", err)
		}
	}
	var text string
	switch v := read.(type) {
	case nil:
		return "", nil
	case string:
		text = v
	case json.Number:
		text = v.String()
	case bool:
		if text = "No"; v {
			text = "Yes"
		}
	default:
		return "", errObject
	}
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	var err error
	switch {
	case of.Dated():
		text, err = writeDate(text, of, f.Date, zone)
	case f.Money != nil:
		text, err = f.Money.write(text)
	}

	return f.cased(text), err
}

var errObject = errors.New("the value is an object, which a tab cannot show")

// layouts are the named layouts of dates.
func layout(name string, of kind.Kind) string {
	const clock = "15:04"
	if name == "" {
		if name = "iso_time"; of == kind.Date {
			name = "iso"
		}
	}
	days, timed := strings.CutSuffix(name, "_time")
	date := map[string]string{"iso": "2006-01-02", "us": "01/02/2006", "long": "January 2, 2006"}[days]
	switch {
	case !timed || of == kind.Date:
		return date
	case days == "iso":
		return date + " " + clock
	default:
		return date + " 3:04 PM"
	}
}

func writeDate(text string, of kind.Kind, name string, zone *time.Location) (string, error) {
	var when time.Time
	var err error
	switch of {
	case kind.Date:
		when, err = time.Parse(time.DateOnly, text)
	case kind.LocalTime:
		when, err = time.Parse(time.DateTime, text)
	default:
		when, err = time.Parse(time.RFC3339, text)
		when = when.In(zone)
	}
	if err != nil {
		return "", fmt.Errorf("%q is not a date", text)
	}

	return when.Format(layout(name, of)), nil
}

// write returns an amount: "$1,234.50".
func (m Money) write(text string) (string, error) {
	amount, ok := new(big.Rat).SetString(text)
	if !ok || len(text) > 60 || strings.ContainsAny(text, "eE/") {
		return "", fmt.Errorf("%q is no amount", text)
	}
	decimals := 2
	if m.Decimals != nil {
		decimals = *m.Decimals
	}
	digits := new(big.Rat).Abs(amount).FloatString(decimals)
	whole, fraction, _ := strings.Cut(digits, ".")
	var out strings.Builder
	if amount.Sign() < 0 && strings.Trim(digits, "0.") != "" {
		out.WriteByte('-')
	}
	out.WriteString(symbol(m.Currency))
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(digit)
	}
	if fraction != "" {
		out.WriteString("." + fraction)
	}

	return out.String(), nil
}

// symbol precedes an amount.
func symbol(currency string) string {
	switch currency {
	case "":
		return ""
	case "USD":
		return "$"
	case "CAD":
		return "CA$"
	case "MXN":
		return "MX$"
	case "EUR":
		return "€"
	case "GBP":
		return "£"
	default:
		return currency + " "
	}
}

func (f Format) cased(text string) string {
	switch f.Case {
	case "upper":
		return strings.ToUpper(text)
	case "lower":
		return strings.ToLower(text)
	case "title":
		start := true

		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' {
				start = true

				return r
			}
			if start {
				start = false

				return unicode.ToTitle(r)
			}

			return unicode.ToLower(r)
		}, text)
	default:
		return text
	}
}

// checked says whether a box is checked for a text.
func (f Format) checked(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if len(f.Checked) > 0 {
		return slices.ContainsFunc(f.Checked, func(c string) bool { return strings.ToLower(strings.TrimSpace(c)) == text })
	}
	if number, ok := new(big.Rat).SetString(text); ok && len(text) <= 60 && !strings.ContainsAny(text, "e/") {
		return number.Sign() != 0
	}

	return slices.Contains([]string{"true", "yes", "y", "on", "x"}, text)
}
