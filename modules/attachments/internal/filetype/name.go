package filetype

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// longestName is how many bytes the name of a file has, which is what file systems take.
	longestName = 255
	// longestEnding is how many bytes of a name that is cut are kept for what says the type.
	longestEnding = 20
	nameless      = "file"
)

// CleanName makes a name that can be shown and saved of what a client calls a file: without folders,
// control characters, and characters that cannot be seen or turn the direction of text, which make
// "exe.gpj" look like "jpg.exe".
func CleanName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == utf8.RuneError:
			return -1
		case unicode.IsSpace(r):
			return ' '
		default:
			return r
		}
	}, name)
	name = strings.TrimLeft(strings.TrimSpace(norm.NFC.String(name)), ".")
	if name = shorten(strings.TrimRight(name, ". ")); name == "" {
		return nameless
	}

	return name
}

// shorten cuts a name in front of its ending.
func shorten(name string) string {
	if len(name) <= longestName {
		return name
	}
	ending := path.Ext(name)
	if len(ending) > longestEnding {
		ending = ""
	}
	cut := longestName - len(ending)
	for !utf8.RuneStart(name[cut]) {
		cut--
	}

	return name[:cut] + ending
}

// FieldName is a name of a field that a stranger has sent, as an answer may repeat it.
func FieldName(name string) string {
	if name = CleanName(name); len(name) > 60 {
		return "field"
	}

	return name
}
