package exchange

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/memory"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/web/stream"
)

// Exporter answers with all rows of a collection that a query finds.
type Exporter struct {
	collections *collection.Registry
	names       names
}

// NewExporter returns an exporter of the collections of a registry.
func NewExporter(r *collection.Registry, items *item.Registry, users *identity.Service) *Exporter {
	return &Exporter{collections: r, names: names{items: items, users: users}}
}

// format is how an export is written.
type format string

const (
	asCSV   format = "csv"
	asLines format = "jsonl"
	asSheet format = "xlsx"
)

// ofReport is what the rows of a file are written as that were not taken.
func (f format) ofReport() format {
	if f == asSheet {
		return asCSV
	}

	return f
}

func (f format) media() string {
	switch f {
	case asLines:
		return mediaLines
	case asSheet:
		return mediaSheet
	case asCSV:
	}

	return mediaCSV + "; charset=utf-8"
}

// rowWriter writes records.
type rowWriter interface {
	// write writes a row, whose values are at these places; known is what the values of its page name.
	write(row collection.Row, values []int, known known) error
	flush() error
}

// Open answers with a collection as a file. It reads the first page, so that what is wrong with the query is said before
// anything is written. Errors: those of a list, of a view and of a collection that is not there,
// collection.fields_changed.
func (x *Exporter) Open(ctx context.Context, name collection.Name, in *Export) (*stream.Stream, error) {
	from, err := x.collections.Open(ctx, name, collection.Read)
	if err != nil {
		return nil, err
	}
	first, err := in.page(ctx, from, "")
	if err != nil {
		return nil, err
	}
	picked := in.pick(first.Page)
	file := stream.New(in.Format.media(), func(ctx context.Context, w io.Writer) error {
		out, err := in.writer(w, picked, first.Description)
		if err != nil {
			return err
		}

		return x.walk(ctx, in, from, first, picked, out)
	}).Closing(first)

	return file.Attachment(fileName(first.Description.Title) + "." + string(in.Format)), nil
}

// partPage is a page of an export, with the memory that it takes.
type partPage struct {
	collection.Page

	done func()
}

// Close implements io.Closer: it gives the memory back.
func (p partPage) Close() error {
	p.done()

	return nil
}

// walk writes page after page, each a read of its own.
func (x *Exporter) walk(ctx context.Context, in *Export, from collection.Collection, page partPage, picked []picked, out rowWriter) error {
	defer func() { page.done() }()
	for {
		places, err := placesOf(picked, page.Description)
		if err != nil {
			return err
		}
		var named known
		if in.Labels && in.Format != asLines {
			if named, err = x.names.load(ctx, page.Rows, picked, places); err != nil {
				return err
			}
		}
		for _, row := range page.Rows {
			if err := out.write(row, places, named); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return out.flush()
		}
		next := page.Next
		page.done()
		if page, err = in.page(ctx, from, next); err != nil {
			return fmt.Errorf("export of collection %s: %w", page.Description.Name, err)
		}
	}
}

const (
	// partBytes is how much of the records is read at a time: many exports may be open whose clients are slow.
	partBytes = 256 << 10
	// partWait is how long an export waits until there is memory for its next part.
	partWait = 20 * time.Second
)

// page reads a page of an export.
func (in *Export) page(ctx context.Context, from collection.Collection, cursor string) (partPage, error) {
	values := url.Values{}
	for name, texts := range in.query {
		if name != "format" && name != "bom" && name != "labels" {
			values[name] = texts
		}
	}
	values.Set("per_page", strconv.Itoa(list.MaxPerPage))
	if cursor != "" {
		values.Set("cursor", cursor)
	}
	asked := list.FromQuery(in.path, values)
	scoped, done := memory.WithAccount(ctx, partWait)
	read, err := from.Page(scoped, in.View, asked.UpTo(partBytes))
	if err != nil {
		done()
		done = func() {}
	}

	return partPage{read, sync.OnceFunc(done)}, err
}

// picked is a column of an export: what every record has, or a field.
type picked struct {
	// name is what the API calls the column, label what people do.
	name, label string
	// field is that of the collection, nil if the column is none.
	field *collection.Field
}

// The columns that every record has.
const (
	nameUUID    = "uuid"
	nameVersion = "version"
	nameCreated = "created_at"
	nameCreator = "created_by"
	nameUpdated = "updated_at"
	nameUpdater = "updated_by"
)

// pick returns the columns of an export, in the order of fields=, the id first unless it is for people.
func (in *Export) pick(page collection.Page) []picked {
	of := page.Description
	names := page.Keys
	forPeople := in.Labels && in.Format != asLines
	if forPeople && names == nil {
		names = []string{of.Under, nameCreated, nameUpdated}
	}
	if names == nil {
		names = []string{of.Under, nameVersion, nameCreated, nameUpdated}
	}
	var columns []picked
	if !forPeople {
		columns = append(columns, picked{name: nameUUID})
	}
	add := func(p picked) {
		if !slices.ContainsFunc(columns, func(c picked) bool { return c.name == p.name }) {
			columns = append(columns, p)
		}
	}
	for _, name := range names {
		key, all := keyOf(of, name)
		if key == "" && !all {
			add(picked{name: name, label: naming.Label(name)})

			continue
		}
		for i, c := range of.Fields {
			if all || c.Key == key {
				add(picked{name: c.Key, label: c.Label, field: &of.Fields[i]})
			}
		}
	}

	return columns
}

// placesOf returns where the values of picked columns are in the rows of a table, -1 for those that are no
// field. A field that has gone or become another meanwhile ends the export: half of it would be told apart
// from the other half by nobody.
func placesOf(columns []picked, t collection.Description) ([]int, error) {
	places := make([]int, len(columns))
	for i, p := range columns {
		places[i] = -1
		if p.field == nil {
			continue
		}
		places[i] = slices.IndexFunc(t.Fields, func(f collection.Field) bool { return sameField(*p.field, f) })
		if places[i] < 0 {
			return nil, ErrFieldsChanged.WithMessage("The field %s was changed during the export. Please export again.", p.name)
		}
	}

	return places, nil
}

// keyOf returns the key of the field that a name of fields= is for, "" for what is no field; all is true of what stands
// for every field.
func keyOf(of collection.Description, name string) (key string, all bool) {
	if of.Under != "" {
		key, _ = strings.CutPrefix(name, of.Under+".")
		if key == name {
			key = ""
		}

		return key, name == of.Under
	}
	if slices.ContainsFunc(of.Fields, func(f collection.Field) bool { return f.Key == name }) {
		key = name
	}

	return key, name == ""
}

// sameField reports whether two fields hold values of the same kind under the same name.
func sameField(a, b collection.Field) bool { return a.ID == b.ID && a.Key == b.Key && a.Type == b.Type }

// fileName makes a name for a file of the title of a collection.
func fileName(title string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}

		return r
	}, strings.TrimSpace(title))
	if name == "" {
		return "records"
	}

	return name
}

// systemCell is the cell of a column that is no field.
func systemCell(name string, row collection.Row, of collection.Description) string {
	switch name {
	case nameUUID:
		return row.UUID.String()
	case nameVersion:
		return strconv.FormatInt(row.Version, 10)
	case nameCreated:
		return row.CreatedAt.UTC().Format(timeLayout)
	case nameCreator:
		return idOrNothing(row.CreatedBy)
	case nameUpdater:
		return idOrNothing(row.UpdatedBy)
	case nameUpdated:
		return row.UpdatedAt.UTC().Format(timeLayout)
	case of.NameKey:
		return string(of.Name)
	}

	return ""
}

// Export is the input of an operation that exports. It has the query keys of a list that make sense for all of it.
type Export struct {
	Format format            `query:"format" default:"csv" enum:"csv,jsonl,xlsx" doc:"How records are written: CSV, JSON Lines with the exact payloads, or a workbook of a spreadsheet."`
	Labels bool              `query:"labels" doc:"Writes for people: labels of fields and options, titles of what references name, names of users. Without fields=, the uuid and version are left out. Not for JSON Lines."`
	BOM    bool              `query:"bom" doc:"Begins a CSV file with a byte order mark, by which Excel knows UTF-8."`
	Sort   string            `query:"sort" doc:"Keys to sort by, as in the list of records." example:"-price,pickup_date"`
	Filter map[string]string `query:"filter,deepObject,explode" doc:"Conditions, as in the list of records."`
	Fields string            `query:"fields" doc:"Columns, separated by commas, as in the list of records; the uuid always comes along." example:"payload.vin,payload.price"`
	View   uuid.UUID         `query:"view" doc:"A view of the module: its filter, sort and columns hold where the query says nothing else."`
	Q      string            `query:"q" doc:"Words to search for, as in the list of records."`

	path  string
	query url.Values
}

// Resolve implements huma.Resolver: it keeps the query as it was sent.
func (in *Export) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	in.path = u.EscapedPath()
	in.query = u.Query()

	return nil
}

func idOrNothing(id *uuid.UUID) string {
	if id == nil {
		return ""
	}

	return id.String()
}

// timeLayout is RFC 3339 with as many digits as a time needs.
const timeLayout = "2006-01-02T15:04:05.999999Z07:00"
