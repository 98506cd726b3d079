package definition

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Searchable reports whether records are found by the words of any field: rows of an area are by an index of their own.
func (d *Definition) Searchable() bool {
	return d.Item() == "" && slices.ContainsFunc(d.Fields, func(f *ModuleField) bool { return f.Searchable })
}

const (
	// mostSearchWords is how many different words of a record are found, longestWord how many bytes of one.
	mostSearchWords = 2_000
	longestWord     = 100
)

// SearchWords splits a text into the words that it is found by, each once: in lower case, without accents,
// of letters and digits alone. What is written without spaces (Chinese, Japanese) is split into characters.
func SearchWords(text string) []string {
	text = database.FoldText(text)
	var words []string
	start := -1
	end := func(at int) {
		if start >= 0 {
			words = append(words, shortWord(text[start:at]))
		}
		start = -1
	}
	for at, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			end(at)
			words = append(words, string(r))
		case !unicode.In(r, unicode.L, unicode.N, unicode.Mc):
			end(at)
		case start < 0:
			start = at
		}
	}
	end(len(text))
	slices.Sort(words)

	return slices.Compact(words)
}

// shortWord cuts a word between characters.
func shortWord(word string) string {
	if len(word) <= longestWord {
		return word
	}
	end := longestWord
	for !utf8.RuneStart(word[end]) {
		end--
	}

	return word[:end]
}

// SearchMark is what stands before the words of a module's records. Two modules may have the same: what is
// found is of the right module by its row.
func SearchMark(module uuid.UUID) string {
	sum := sha256.Sum256(module[:])

	return strings.ToLower(base32.HexEncoding.EncodeToString(sum[:5]))
}

// Words returns the words of a document's searchable fields as they are kept, "" if there are none.
func (d *Definition) Words(document []byte) string {
	if !d.Searchable() {
		return ""
	}
	var text strings.Builder
	for name, raw := range rawjson.Members(document) {
		i, known := d.ByNumber[string(name)]
		if !known || !d.Fields[i].Searchable || raw[0] == 'n' {
			continue
		}
		if w, ok := d.Fields[i].Values.(field.Worded); ok {
			text.WriteString(w.Words(raw))
			text.WriteByte('\n')
		}
	}
	if text.Len() == 0 {
		return ""
	}
	words := SearchWords(text.String())

	return joinMarked(SearchMark(d.Module), words[:min(len(words), mostSearchWords)])
}

// joinMarked joins words, each behind the mark.
func joinMarked(mark string, words []string) string {
	var text strings.Builder
	for i, word := range words {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(mark)
		text.WriteString(word)
	}

	return text.String()
}
