package connect

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/clock"
)

// longestText is how much of a text is read, in bytes: more than any field of the vendor's takes.
const longestText = 10_000

// object has the members of a JSON object; of nothing, and of what is no object, it has none.
type object map[string]gjson.Result

func openObject(r gjson.Result) object {
	if !r.IsObject() {
		return nil
	}
	o := object{}
	r.ForEach(func(key, value gjson.Result) bool {
		if _, twice := o[key.Str]; !twice {
			o[key.Str] = value
		}

		return true
	})

	return o
}

// text returns a scalar as text.
func (o object) text(key string) string { return textOf(o[key]) }

func textOf(r gjson.Result) string {
	switch r.Type {
	case gjson.String:
		return storableText(r.Str)
	case gjson.Number:
		return storableText(r.Raw)
	case gjson.True, gjson.False:
		return r.Raw
	case gjson.Null, gjson.JSON:
	}

	return ""
}

// storableText is a text that both databases can keep.
func storableText(text string) string {
	if len(text) > longestText {
		text = text[:longestText]
	}
	if strings.Contains(text, "\x00") {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}

	return text
}

// flag reads true and "true".
func (o object) flag(key string) bool {
	yes, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(o.text(key))))

	return err == nil && yes
}

// number reads 3 and "3"; what is negative or no number is 0.
func (o object) number(key string) int {
	const most = 1_000_000
	n, err := strconv.ParseFloat(strings.TrimSpace(o.text(key)), 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0
	}

	return int(min(n, most))
}

// time reads a time with up to nine digits of a second, as precise as databases keep it. What is none, or of another
// age, is the zero time.
func (o object) time(key string) time.Time { return timeOf(o.text(key)) }

func timeOf(text string) time.Time {
	const firstYear, lastYear = 1990, 2200
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		at, err := time.Parse(layout, text)
		if err == nil && at.Year() >= firstYear && at.Year() <= lastYear {
			return clock.Stamp(at)
		}
	}

	return time.Time{}
}

func (o object) object(key string) object { return openObject(o[key]) }

// list returns the objects of an array.
func (o object) list(key string) []object {
	value := o[key]
	if !value.IsArray() {
		return nil
	}
	const most = 5000 // more than the vendor has of anything
	var all []object
	value.ForEach(func(_, entry gjson.Result) bool {
		if one := openObject(entry); one != nil {
			all = append(all, one)
		}

		return len(all) < most
	})

	return all
}
