package list

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// Field is something a list may be filtered or sorted by.
type Field struct {
	// Name is what requests call the field. It has no brackets, no comma and no leading hyphen.
	Name string
	// Expr is the SQL expression of the field, usually a column. It goes into statements as it is,
	// so it is never made of what a caller sent. A Text field's is of a text type.
	Expr string
	Kind kind.Kind
	// Nullable says that a row may have no value. A field that says no must always have one:
	// sorting and paging rely on it.
	Nullable bool
	// Sortable says that sort= may name the field. Cursors carry the values of the sort keys, so
	// the values of a sortable Text field are short (see MaxCursor).
	Sortable bool
	// Filterable says that filter[…] may name the field.
	Filterable bool
	// Operators narrows what the field can be compared by; nil is all that its Kind allows.
	Operators []Operator
	// NamesUser says that the values are ids of users, so that a filter may say me for the one who is calling.
	NamesUser bool
	// Words are the values that a Text field can have, if they are few: a filter by another is refused, as what is misspelt
	// would find nothing.
	Words []string
	// Encode turns the text of a request or cursor into the value that is bound, where that is not
	// what the Kind says: a decimal kept as order-preserving text, say. It is called with what a
	// stranger sent, any UTF-8 but a byte 0. Its error refuses that and is shown: it says what the
	// value must be ("must be a weight in pounds"). Like and Starts take the text as it is, or as
	// EncodePart says.
	Encode func(text string) (any, error)
	// EncodePart brings what Like and Starts look for into the form in which the values are kept,
	// where that is not the text as it is. It is called, and refuses, as Encode does.
	EncodePart func(text string) (string, error)
	// Decode turns the value that a row has for the field into the text that Encode understands,
	// nil for no value. Nil understands what database/sql scans into.
	Decode func(value any) (*string, error)
	// Summable says that sum= may name the field, which is a number, though filters may not.
	Summable bool
	// SumParts are, for a field of the kind Decimal or Integer that the database cannot add up exactly as it is, parts that it
	// can. Nil is for what PostgreSQL can cast to numeric, and for an integer or the plain text of a decimal ("-12.50") on SQLite.
	SumParts []SumPart
	// Currency is the field with the currency of the values, nil for values that are no amounts of money. Sums over several
	// currencies are refused.
	Currency *Field
	// Scale is how many digits after the point a sum of the field has at least.
	Scale int
	// Shown turns the text that Expr has in the database into that of answers, for groups. Nil is for the same.
	Shown func(text string) string
	// Beside says where the field is kept if not in the table of the list, nil for there.
	Beside *Beside
	// Held says where the field is kept if a row can have several values, nil for one at most.
	Held *Held
}

// Schema says what a list may be asked for. Areas have a function that returns theirs.
type Schema struct {
	// Fields are what the list can be filtered and sorted by. Names are unique.
	Fields []Field
	// ID tells rows apart, and ends every sort. It is unique among the rows of the list.
	ID Field
	// DefaultSort is the sort of a request that names none, in its form ("-created_at"). Without
	// it rows come by ID.
	DefaultSort []string
	// Keys are the keys of an item that fields= may name; "payload.vin" names a key inside
	// another. Nil is the names of Fields. See KeysOf.
	Keys []string
	// Expand are the references that expand= may name. The area embeds them: Query.Expands.
	Expand []string
	// Search are the SQL expressions, of a text type, that q= looks into: every word of q is
	// contained in one of them, as Like compares.
	Search []string
	// Within adds the conditions that every row of the list meets, where how they are said depends on the
	// query: led says that the index of another table gives the order (see Beside), and that no index of the
	// list's own table can help. Nil is for a statement that has them already.
	Within func(tx *gorm.DB, led bool) *gorm.DB
	// Withheld are fields that the caller may not use, with the scopes that they require.
	Withheld map[string]string
	// Searchable allows q= without Search: the area itself applies Query.Text.
	Searchable bool

	known *known  // by Prepared, else nil
	more  []Field // by Extended
}

// known are the fields by name, or what is wrong with them.
type known struct {
	byName map[string]*Field
	wrong  error
}

// index finds fields by name: those that are the same for each request, and the few that this one has beside them.
type index struct {
	byName map[string]*Field
	more   []Field
}

func (i index) field(name string) (*Field, bool) {
	if at := slices.IndexFunc(i.more, func(f Field) bool { return f.Name == name }); at >= 0 {
		return &i.more[at], true
	}
	field, known := i.byName[name]

	return field, known
}

// Prepared returns the schema for many requests: what is the same for each is done now. It is not changed afterwards.
func (s Schema) Prepared() Schema {
	byName, err := s.byName()
	s.known = &known{byName, err}

	return s
}

// Extended returns the schema with more fields and keys of items.
func (s Schema) Extended(fields []Field, keys []string) Schema {
	s.more, s.Keys = slices.Concat(s.more, fields), slices.Concat(s.Keys, keys)

	return s
}

// index returns the fields by name, and reports what is wrong with the schema: a defect of ours, not of
// the request.
func (s Schema) index() (index, error) {
	byName, err := s.byName()
	i := index{byName: byName}
	for _, field := range s.more {
		if _, twice := i.field(field.Name); twice {
			return i, fmt.Errorf("list: two fields are named %q", field.Name)
		}
		if !field.valid() {
			return i, invalidField(field)
		}
		i.more = append(i.more, field)
	}

	return i, err
}

func invalidField(f Field) error {
	return fmt.Errorf("list: field %q needs a name that is valid in a query, an Expr and a Kind", f.Name)
}

// byName maps names to the fields that are not more.
func (s Schema) byName() (map[string]*Field, error) {
	if s.known != nil {
		return s.known.byName, s.known.wrong
	}
	if s.ID.Nullable || s.ID.Name == "" {
		return nil, fmt.Errorf("list: the id field %q needs a name and a value in every row", s.ID.Name)
	}
	all := s.fixed()
	byName := make(map[string]*Field, len(all))
	for i := range all {
		field := &all[i]
		if _, twice := byName[field.Name]; twice {
			return nil, fmt.Errorf("list: two fields are named %q", field.Name)
		}
		if !field.valid() {
			return nil, invalidField(*field)
		}
		byName[field.Name] = field
	}

	return byName, nil
}

// all returns the fields and the id.
func (s Schema) all() []Field { return slices.Concat(s.fixed(), s.more) }

// fixed returns the fields that are not more, and the id, which may be among them.
func (s Schema) fixed() []Field {
	if slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Name == s.ID.Name }) {
		return s.Fields
	}

	return append(slices.Clip(s.Fields), s.ID)
}

func (s Schema) names(which func(Field) bool) []string {
	var names []string
	for _, field := range s.all() {
		if which(field) {
			names = append(names, field.Name)
		}
	}

	return names
}

func (s Schema) filterable() []string {
	return s.names(func(f Field) bool { return f.Filterable })
}

// sortable names the id always: a list can be sorted by what ends every sort.
func (s Schema) sortable() []string {
	return s.names(func(f Field) bool { return f.Sortable || f.Name == s.ID.Name })
}

func (s Schema) keys() []string {
	if s.Keys != nil {
		return s.Keys
	}

	return s.names(func(Field) bool { return true })
}

func (f Field) valid() bool {
	return f.Name != "" && !strings.ContainsAny(f.Name, "[],") && f.Name[0] != '-' &&
		f.Expr != "" && f.Kind.Comparable()
}

// operators returns what the field can be compared by; null only where there can be none.
func (f Field) operators() []Operator {
	if f.Held != nil {
		return heldBy
	}
	operators := f.Operators
	if operators == nil {
		operators = operatorsOf[f.Kind]
	}
	if f.Nullable && !slices.Contains(operators, Null) {
		operators = append(slices.Clip(operators), Null)
	}

	return operators
}

func (f Field) encode(text string) (any, error) {
	if f.Encode == nil {
		return f.Kind.Encode(text)
	}
	if _, err := kind.Text.Encode(text); err != nil {
		return nil, err
	}

	return f.Encode(text)
}

// part is the field as Like and Starts look into it.
func (f Field) part() Field {
	part := Field{Kind: kind.Text}
	if f.EncodePart != nil {
		part.Encode = func(text string) (any, error) { return f.EncodePart(text) }
	}

	return part
}

func (f Field) decode(value any) (*string, error) {
	if f.Decode != nil {
		return f.Decode(value)
	}

	return f.Kind.Decode(value)
}

var plainColumn = regexp.MustCompile(`^[A-Za-z_"][A-Za-z0-9_."]*$`)

// operand is an expression ready to stand beside an operator. The collation makes texts compare the
// same on both databases, whatever the column was declared with.
func operand(expr string, collate bool) string {
	if !plainColumn.MatchString(expr) {
		expr = "(" + expr + ")"
	}
	if collate {
		expr += ` COLLATE "C"`
	}

	return expr
}
