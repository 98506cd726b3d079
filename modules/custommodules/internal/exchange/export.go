package exchange

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Exporter answers with all records of a module that a query finds.
type Exporter struct{ reader Reader }

// NewExporter returns an exporter of what reader reads.
func NewExporter(reader Reader) *Exporter { return &Exporter{reader: reader} }

// format is how an export is written.
type format string

const (
	asCSV   format = "csv"
	asLines format = "jsonl"
)

func (f format) media() string {
	if f == asLines {
		return mediaLines
	}

	return mediaCSV + "; charset=utf-8"
}

// rowWriter writes records.
type rowWriter interface {
	write(row Row, values []int) error
	flush() error
}

// open reads the first page, so that what is wrong with the query is said before anything is written.
func (x *Exporter) open(ctx context.Context, in *exportInput) (*web.Stream, error) {
	first, err := x.page(ctx, in, "")
	if err != nil {
		return nil, err
	}
	picked := pick(first)
	stream := web.NewStream(in.Format.media(), func(ctx context.Context, w io.Writer) error {
		out, err := in.writer(w, picked)
		if err != nil {
			return err
		}

		return x.walk(ctx, in, first, picked, out)
	})

	return stream.Attachment(fileName(first.Table.Name) + "." + string(in.Format)), nil
}

// walk writes page after page, each a read of its own.
func (x *Exporter) walk(ctx context.Context, in *exportInput, page Page, picked []picked, out rowWriter) error {
	for {
		places, err := placesOf(picked, page.Table)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			if err := out.write(row, places); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return out.flush()
		}
		if page, err = x.page(ctx, in, page.Next); err != nil {
			return fmt.Errorf("export of module %s: %w", in.UUID, err)
		}
	}
}

// page reads a page of an export.
func (x *Exporter) page(ctx context.Context, in *exportInput, cursor string) (Page, error) {
	values := url.Values{}
	for name, texts := range in.query {
		if name != "format" && name != "bom" {
			values[name] = texts
		}
	}
	values.Set("per_page", strconv.Itoa(list.MaxPerPage))
	if cursor != "" {
		values.Set("cursor", cursor)
	}
	asked := list.FromQuery(in.path, values)

	return x.reader.Page(ctx, in.UUID, in.View, &asked)
}

// picked is a column of an export: what every record has, or a field.
type picked struct {
	// name is the head of the column.
	name string
	// field is that of the module, nil if the column is none.
	field *Column
}

// The columns that every record has.
const (
	nameUUID    = "uuid"
	nameModule  = "module_uuid"
	nameVersion = "version"
	nameCreated = "created_at"
	nameUpdated = "updated_at"
	namePayload = "payload"
)

// pick returns the columns of an export, in the order of fields=, the id first.
func pick(page Page) []picked {
	names := page.Fields
	if names == nil {
		names = []string{namePayload, nameVersion, nameCreated, nameUpdated}
	}
	columns := []picked{{name: nameUUID}}
	add := func(p picked) {
		if !slices.ContainsFunc(columns, func(c picked) bool { return c.name == p.name }) {
			columns = append(columns, p)
		}
	}
	for _, name := range names {
		key, ofField := strings.CutPrefix(name, namePayload+".")
		if !ofField && name != namePayload {
			add(picked{name: name})

			continue
		}
		for i, c := range page.Table.Columns {
			if !ofField || c.Key == key {
				add(picked{name: c.Key, field: &page.Table.Columns[i]})
			}
		}
	}

	return columns
}

// placesOf returns where the values of picked columns are in the rows of a table, -1 for those that are no
// field. A field that has gone or become another meanwhile ends the export: half of it would be told apart
// from the other half by nobody.
func placesOf(columns []picked, t Table) ([]int, error) {
	places := make([]int, len(columns))
	for i, p := range columns {
		places[i] = -1
		if p.field == nil {
			continue
		}
		places[i] = slices.IndexFunc(t.Columns, p.field.same)
		if places[i] < 0 {
			return nil, errFieldsChanged.WithMessage("The field %s was changed during the export. Please export again.", p.name)
		}
	}

	return places, nil
}

// fileName makes a name for a file of the name of a module.
func fileName(module string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}

		return r
	}, strings.TrimSpace(module))
	if name == "" {
		return "records"
	}

	return name
}

// systemCell is the cell of a column that is no field.
func systemCell(name string, row Row, module uuid.UUID) string {
	switch name {
	case nameUUID:
		return row.UUID.String()
	case nameModule:
		return module.String()
	case nameVersion:
		return strconv.FormatInt(row.Version, 10)
	case nameCreated:
		return row.CreatedAt.UTC().Format(timeLayout)
	case nameUpdated:
		return row.UpdatedAt.UTC().Format(timeLayout)
	}

	return ""
}

// timeLayout is RFC 3339 with as many digits as a time needs.
const timeLayout = "2006-01-02T15:04:05.999999Z07:00"
