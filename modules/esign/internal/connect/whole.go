package connect

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

const (
	// mostKept is how much of an envelope is kept, longestKept how long a text in it may be, deepest how deep it is.
	mostKept    = 1 << 20
	longestKept = 64 << 10
	deepest     = 40
)

// compactEnvelope returns an envelope without the bytes of documents, as JSON that both databases can keep. What is too large even
// so goes without tabs, and then with nothing but what is said of the envelope itself; nil if that is no object.
func compactEnvelope(r gjson.Result) json.RawMessage {
	if !r.IsObject() {
		return nil
	}
	for _, k := range []keeper{
		{without: []string{}, deepest: deepest},
		{without: []string{"tabs"}, deepest: deepest},
		{without: []string{"tabs", "envelopedocuments", "folders", "recipients"}, deepest: 3},
	} {
		if k.value(r, 0) && k.size() <= mostKept {
			return json.RawMessage(k.out.String())
		}
	}

	return nil
}

// keeper writes what is kept.
type keeper struct {
	without []string
	deepest int
	out     strings.Builder
}

func (k *keeper) size() int { return k.out.Len() }

// value writes a value, and reports whether it is kept.
func (k *keeper) value(r gjson.Result, depth int) bool {
	switch {
	case k.out.Len() > mostKept || depth > k.deepest || len(r.Raw) > longestKept && r.Type == gjson.String:
		return false
	case r.IsObject():
		k.members(r, depth)
	case r.IsArray():
		k.entries(r, depth)
	case r.Type == gjson.String:
		k.text(r)
	case r.Type == gjson.Number:
		k.number(r.Raw)
	default:
		k.out.WriteString(r.Raw)
	}

	return true
}

func (k *keeper) members(r gjson.Result, depth int) {
	const longestName = 1000
	k.out.WriteByte('{')
	open := k.out.Len()
	r.ForEach(func(key, value gjson.Result) bool {
		if len(key.Raw) > longestName || k.drops(key.Str) || k.tooMuch(value, depth+1) {
			return k.out.Len() <= mostKept
		}
		if k.out.Len() > open {
			k.out.WriteByte(',')
		}
		k.text(key)
		k.out.WriteByte(':')
		k.value(value, depth+1)

		return k.out.Len() <= mostKept
	})
	k.out.WriteByte('}')
}

func (k *keeper) entries(r gjson.Result, depth int) {
	k.out.WriteByte('[')
	open := k.out.Len()
	r.ForEach(func(_, value gjson.Result) bool {
		if k.tooMuch(value, depth+1) {
			return true
		}
		if k.out.Len() > open {
			k.out.WriteByte(',')
		}
		k.value(value, depth+1)

		return k.out.Len() <= mostKept
	})
	k.out.WriteByte(']')
}

// tooMuch reports whether a value is left out.
func (k *keeper) tooMuch(r gjson.Result, depth int) bool {
	return depth > k.deepest || r.Type == gjson.String && len(r.Raw) > longestKept
}

// drops reports whether a member is left out: documents' bytes always are.
func (k *keeper) drops(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "pdfbytes", "documentbase64", "documentpdfbytes":
		return true
	}

	return slices.Contains(k.without, name)
}

// text writes a string as it came, or, where a database could not keep that, without what is in the way.
func (k *keeper) text(r gjson.Result) {
	if utf8.ValidString(r.Raw) && !strings.Contains(r.Raw, `\u`) {
		k.out.WriteString(r.Raw)

		return
	}
	text, err := json.Marshal(storableText(r.Str))
	if err != nil {
		text = []byte(`""`)
	}
	k.out.Write(text)
}

// number writes a number; one that is beyond what people count is a text.
func (k *keeper) number(raw string) {
	const digits = 30
	if len(raw) > digits || strings.ContainsAny(raw, "eE") {
		raw = `"` + raw + `"`
	}
	k.out.WriteString(raw)
}
