package rawjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
)

// Unquote returns the text of a valid JSON string. It reports false for what not every database
// can hold: the character U+0000, and half a surrogate pair.
func Unquote(quoted []byte) (string, bool) {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	var text string
	if !isStorable(inner) || json.Unmarshal(quoted, &text) != nil {
		return "", false
	}

	return text, true
}

// isStorable reports whether the escapes in a string name whole characters other than U+0000.
func isStorable(inner []byte) bool {
	for at := 0; at < len(inner); at++ {
		if inner[at] != '\\' {
			continue
		}
		at++
		unit, ok := codeUnit(inner, at)
		if !ok {
			continue
		}
		at += 4
		if unit == 0 {
			return false
		}
		if !utf16.IsSurrogate(unit) {
			continue
		}
		low, ok := codeUnit(inner, at+2)
		if !ok || inner[at+1] != '\\' || utf16.DecodeRune(unit, low) == '\uFFFD' {
			return false
		}
		at += 6
	}

	return true
}

// codeUnit reads uXXXX at a position.
func codeUnit(inner []byte, at int) (rune, bool) {
	if at+5 > len(inner) || inner[at] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(inner[at+1:at+5]), 16, 16)

	return rune(unit), err == nil
}

// Quote returns text, which is valid UTF-8, as a JSON string.
func Quote(text string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return []byte(`""`) // never: a string can be encoded
	}

	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
