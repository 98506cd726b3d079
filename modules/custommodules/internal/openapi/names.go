package openapi

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"
)

// Named is a module by its name.
type Named struct {
	ID   uuid.UUID
	Name string
}

// name is what a module is called in a document: snake in ids of operations, pascal in those of types.
type name struct{ snake, pascal string }

// uniqueNames gives the modules of a company names that programs take. Where two would have the same, the
// first that was made has it, so that a module which comes changes the name of none that is there; the
// others, and those without a Latin letter, have the end of their id behind it.
func uniqueNames(all []Named) map[uuid.UUID]name {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Named) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	given, taken := map[uuid.UUID]name{}, map[string]bool{}
	for _, m := range all {
		made := newName(latinName(m.Name))
		if key := strings.ToLower(made.pascal); made.snake == "" || taken[key] {
			id := strings.ReplaceAll(m.ID.String(), "-", "")
			made = newName(strings.Trim(latinName(m.Name)+"_x"+id[len(id)-12:], "_"))
		}
		taken[strings.ToLower(made.pascal)] = true
		given[m.ID] = made
	}

	return given
}

// latinName is a name in lower case Latin letters and digits, with underscores between.
func latinName(text string) string {
	const most = 60
	var out strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch r = unicode.ToLower(r); {
		case unicode.Is(unicode.Mn, r):
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			out.WriteRune(r)
		default:
			out.WriteByte('_')
		}
	}
	words := strings.FieldsFunc(out.String(), func(r rune) bool { return r == '_' })
	made := strings.Join(words, "_")
	if made != "" && made[0] <= '9' {
		made = "module_" + made
	}

	return strings.TrimRight(made[:min(len(made), most)], "_")
}

func newName(snake string) name {
	var pascal strings.Builder
	for word := range strings.SplitSeq(snake, "_") {
		if word != "" {
			pascal.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}

	return name{snake, pascal.String()}
}
