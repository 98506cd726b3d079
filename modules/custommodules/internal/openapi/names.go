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
	given, taken := map[uuid.UUID]name{}, []string{}
	for _, m := range all {
		made := newName(latinName(m.Name))
		if made.snake == "" || slices.ContainsFunc(taken, made.clashes) {
			id := strings.ReplaceAll(m.ID.String(), "-", "")
			made = newName(strings.Trim(latinName(m.Name)+"_x"+id[len(id)-12:], "_"))
		}
		taken = append(taken, strings.ToLower(made.pascal))
		given[m.ID] = made
	}

	return given
}

// endings are those of the names of a module's types, in lower case.
var endings = [...]string{"payload", "record", "listed", "page", "create", "update"}

// clashes reports whether generated clients could take types of a module for those of another, whose name is in lower case: the payload of
// CarRecord, which they call CarRecordPayload, for the CarRecordPayload of a module CarRecord.
func (n name) clashes(other string) bool {
	mine := strings.ToLower(n.pascal)

	return mine == other || endsLikeType(mine, other) || endsLikeType(other, mine)
}

// endsLikeType reports whether a name is another with the ending of a type behind it.
func endsLikeType(long, short string) bool {
	rest, longer := strings.CutPrefix(long, short)

	return longer && slices.ContainsFunc(endings[:], func(ending string) bool { return strings.HasPrefix(rest, ending) })
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
