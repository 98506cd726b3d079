package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// nameable is a column or a field as its names say.
type nameable struct {
	names []heading
	// unit is that of the values, "" for none.
	unit string
	// field is nil for a column.
	field *collection.Field
}

// heading is a name, and what it says.
type heading struct {
	naming.Heading

	// joined are the words: people write "drop off" and "dropoff".
	name, folded, joined string
	// key says that it is the key of a field.
	key bool
}

func readHeading(name string) heading {
	said := naming.ReadHeading(name)

	return heading{Heading: said, name: name, folded: foldName(name), joined: said.Joined()}
}

func columnNamed(name string) nameable {
	h := readHeading(name)

	return nameable{names: []heading{h}, unit: h.Unit}
}

func fieldNamed(f *collection.Field) nameable {
	key, label := readHeading(f.Key), readHeading(f.Label)
	key.key = true

	return nameable{names: []heading{key, label}, unit: cmp.Or(unitOf(f), key.Unit, label.Unit), field: f}
}

// likenesses are what a column may have in common with the field that it goes to, the nearest first: the key or the label as it
// is; either whatever its case, spaces and underscores; its words and its unit; its words; and its words without a last one
// that only says what kind of value there is ("VIN number", "Driver name").
var likenesses = []func(column heading, kinds []string, of heading) bool{
	func(column heading, _ []string, of heading) bool { return of.key && column.name == of.name },
	func(column heading, _ []string, of heading) bool { return column.name == of.name },
	func(column heading, _ []string, of heading) bool { return column.folded == of.folded },
	func(column heading, _ []string, of heading) bool {
		return column.joined == of.joined && column.Unit == of.Unit
	},
	func(column heading, _ []string, of heading) bool { return column.joined == of.joined },
	func(column heading, kinds []string, of heading) bool {
		shorter, is := column.Without(kinds)
		less, does := of.Without(kinds)

		return is && shorter.Joined() == of.joined || does && less.Joined() == column.joined
	},
}

// kindWords are the words that say no more of values than their type does.
var kindWords = map[string][]string{
	"text": {"number", "name", "code"}, "integer": {"number"}, "select": {"code"}, "vin": {"number"}, "usdot": {"number"}, "mc": {"number"},
	"scac": {"code"}, "phone": {"number", "phone"}, "email": {"email", "address"}, "address": {"address"}, "url": {"url", "link"},
	"date": {"date"}, "local_datetime": {"date", "time"}, "datetime": {"date", "time"}, "time": {"time"},
	"user": {"name", "email"}, "reference": {"name", "number", "email", "phone"},
}

// unitOf is the unit of a number without one, "" for a field whose values have none.
func unitOf(f *collection.Field) string {
	if f.Type != "weight" && f.Type != "length" {
		return ""
	}
	raw, err := f.Read("1")
	if err == nil {
		raw, err = f.Check(raw)
	}
	if err != nil {
		return ""
	}

	return naming.ReadHeading("1, " + f.Cell(raw)).Unit
}

// differs says why the values of a column cannot go to a field as they are, "" if they can.
func (c nameable) differs(of nameable) string {
	switch {
	case c.unit == "" || c.unit == of.unit:
		return ""
	case of.unit != "":
		return fmt.Sprintf("The column is in %s, and the field %s in %s. Map it if its cells name their unit.", c.unit, of.field.Key, of.unit)
	case !slices.Contains([]string{"integer", "decimal", "text"}, of.field.Type):
		return fmt.Sprintf("The column is in %s, and the field %s has no unit. Map it if it is meant all the same.", c.unit, of.field.Key)
	default:
		return ""
	}
}

// propose maps the columns by the keys and labels of fields. A file with a column uuid is one that was exported: it
// changes the rows that it names. A column that may go to several fields, or a field to which several columns may go,
// stays out: the rule of the column says so.
func (row *importRow) propose(t described) {
	row.Rules = make([]rule, len(row.Header))
	if i := slices.IndexFunc(row.Header, func(name string) bool { return foldName(name) == nameUUID }); i >= 0 {
		row.Mapping[i], row.Mode, row.MatchBy = byUUID, upserts, byUUID
	}
	var fields []nameable
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Settable && t.parts[f.ID].list == nil {
			fields = append(fields, fieldNamed(f))
		}
	}
	columns, claimed := make([]nameable, len(row.Header)), map[string]bool{}
	for i, name := range row.Header {
		columns[i] = columnNamed(name)
	}
	for _, alike := range likenesses {
		row.proposeBy(columns, fields, alike, claimed)
	}
}

// proposeBy maps the columns that are left. Fields that are claimed go to no other column.
func (row *importRow) proposeBy(columns, fields []nameable, alike func(heading, []string, heading) bool, claimed map[string]bool) {
	wants, claims := make([][]*collection.Field, len(columns)), map[string][]string{}
	for i, c := range columns {
		if row.Mapping[i] != "" || row.Rules[i].Doubt != "" {
			continue
		}
		for _, of := range fields {
			if !slices.ContainsFunc(of.names, func(h heading) bool { return alike(c.names[0], kindWords[of.field.Type], h) }) {
				continue
			}
			if row.Rules[i].Doubt = c.differs(of); row.Rules[i].Doubt == "" {
				wants[i] = append(wants[i], of.field)
				claims[of.field.ID] = append(claims[of.field.ID], row.Header[i])
			}
		}
	}
	for i, fields := range wants {
		if len(fields) > 0 {
			row.Rules[i].Doubt = ""
			row.mapColumn(i, fields, claims, claimed)
		}
	}
	for id := range claims {
		claimed[id] = true
	}
}

// quoteNames names columns.
func quoteNames(columns []string) string {
	var all []string
	for _, name := range columns[:min(len(columns), mostNames)] {
		all = append(all, strconv.Quote(readers.Shorten(name)))
	}

	return strings.Join(all, " and ")
}

// mapColumn maps a column to the one field that it may go to, or says why it goes nowhere.
func (row *importRow) mapColumn(i int, fields []*collection.Field, claims map[string][]string, claimed map[string]bool) {
	only := fields[0]
	switch {
	case len(fields) > 1:
		var keys []string
		for _, f := range fields {
			keys = append(keys, f.Key)
		}
		row.Rules[i].Doubt = "The column is ambiguous: it may go to " + strings.Join(keys, " or ") + ". Say which."
	case claimed[only.ID]:
		row.Rules[i].Doubt = "The column may go to " + only.Key + ", which another column is nearer to."
	case len(claims[only.ID]) > 1:
		row.Rules[i].Doubt = fmt.Sprintf("The column is ambiguous: %s may go to %s. Say which.", quoteNames(claims[only.ID]), only.Key)
	default:
		row.Mapping[i] = target(only.ID)
	}
}
