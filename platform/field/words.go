package field

import (
	"strings"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Words implements Worded.
func (*TextOptions) Words(json []byte) string { return rawjson.Text(json) }

// Words implements Worded.
func (*LongTextOptions) Words(json []byte) string { return rawjson.Text(json) }

// Words implements Worded.
func (emailOptions) Words(json []byte) string { return rawjson.Text(json) }

// Words implements Worded.
func (usdotOptions) Words(json []byte) string { return rawjson.Text(json) }

// Words implements Worded.
func (scacOptions) Words(json []byte) string { return rawjson.Text(json) }

// Words has a number in one piece too.
func (mcOptions) Words(json []byte) string {
	number := rawjson.Text(json)

	return number + " " + strings.ReplaceAll(number, "-", "")
}

// Words has the ends of a VIN by which people know vehicles, of 8 and of 6 characters.
func (*vinOptions) Words(json []byte) string {
	number := rawjson.Text(json)
	for _, tail := range []int{8, 6} {
		if len(number) > tail {
			number += " " + rawjson.Text(json)[len(rawjson.Text(json))-tail:]
		}
	}

	return number
}

// Words has a number of ten digits as people group it, and every number with and without its country's
// code.
func (*phoneOptions) Words(json []byte) string {
	number := strings.TrimPrefix(rawjson.Text(json), "+")
	national, ok := strings.CutPrefix(number, "1")
	if !ok || len(national) != 10 {
		return number
	}

	return strings.Join([]string{number, national, national[:3], national[3:6], national[6:], national[3:]}, " ")
}

// Words implements Worded.
func (*addressOptions) Words(json []byte) string {
	var parts []string
	for name, part := range rawjson.Members(json) {
		if string(name) != "country" {
			parts = append(parts, rawjson.Text(part))
		}
	}

	return strings.Join(parts, " ")
}

// Worded is a Values whose values are found by their words.
type Worded interface {
	// Words is the text of a value, in its normal form and not null, that is split into words.
	Words(json []byte) string
}
