package exchange

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/guess"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
)

// Import is an import as answers show it, but for the name of its collection.
type Import struct {
	collection collection.Name

	UUID       uuid.UUID        `json:"uuid"`
	State      Status           `json:"state" enum:"ready,checking,running,completed,cancelled,stopped,undoing,undone,undo_stopped"`
	Problem    string           `json:"problem" doc:"Why it stopped, or the last dry run did; empty if it did not."`
	FileName   string           `json:"file_name"`
	Encoding   readers.Encoding `json:"encoding" enum:"utf-8,utf-16,windows-1252"`
	Format     format           `json:"format" enum:"csv,jsonl,xlsx"`
	Delimiter  string           `json:"delimiter" doc:"What stands between values; empty for what is not CSV."`
	Bytes      int64            `json:"bytes"`
	Rows       int64            `json:"rows" doc:"Rows of the file, without the names of columns."`
	Mode       mode             `json:"mode" enum:"create,upsert"`
	By         *string          `json:"by" doc:"What an upsert goes by."`
	EmptyCells string           `json:"empty_cells" enum:"clear,keep"`
	Columns    []columnBody     `json:"columns" nullable:"false"`
	Warnings   []string         `json:"warnings" nullable:"false"`
	// Proposed are fields that could be added.
	Proposed  []proposedField `json:"proposed_fields" nullable:"false" doc:"Fields for the columns that go nowhere, by what their cells are, if fields can be added to the collection. Add those that you want with their field as the body, then map the columns to them."`
	Progress  ProgressBody    `json:"progress"`
	DryRun    *dryRunBody     `json:"dry_run"`
	Version   int64           `json:"version"`
	CreatedAt time.Time       `json:"created_at"`
	CreatedBy *uuid.UUID      `json:"created_by"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Collection is the collection that the file is imported into.
func (i Import) Collection() collection.Name { return i.collection }

// columnBody is a column of the file.
type columnBody struct {
	Name      string       `json:"name"`
	Field     *string      `json:"field" doc:"The key of the field that the values go to, uuid, version, or null."`
	Type      string       `json:"type" doc:"The type of the field."`
	Coercion  string       `json:"coercion" doc:"What the values are, and become."`
	Format    *cell.Format `json:"format" doc:"How cells write what can be read in more than one way; null for a column that does not, or of which only what is clear is taken."`
	Formats   []cell.Fit   `json:"formats" nullable:"false" doc:"What there is to choose from, by what the cells of the file say."`
	Note      string       `json:"note" doc:"What cannot be told from the name of the column or its cells; empty if all can."`
	Empty     emptyCell    `json:"empty" enum:"clear,keep,refuse" doc:"What an empty cell does."`
	Bad       badCell      `json:"bad" enum:"refuse,leave_empty" doc:"What a cell does that is no value of the field."`
	Samples   []sampleBody `json:"samples" nullable:"false"`
	Wrong     int64        `json:"wrong" doc:"How many rows the column kept from being taken, in the last dry run."`
	LeftEmpty int64        `json:"left_empty" doc:"How many cells were no value and left empty, in the last dry run."`
}

// sampleBody is a cell of the first rows, and what becomes of it.
type sampleBody struct {
	Cell    string          `json:"cell"`
	Value   json.RawMessage `json:"value,omitempty"`
	Problem string          `json:"problem,omitempty"`
}

// ProgressBody is how far an import is.
type ProgressBody struct {
	State     Status `json:"state" enum:"ready,checking,running,completed,cancelled,stopped,undoing,undone,undo_stopped"`
	Problem   string `json:"problem"`
	Rows      int64  `json:"rows"`
	Done      int64  `json:"done" doc:"Rows that are done: of the run, or of the dry run at work."`
	Created   int64  `json:"created"`
	Updated   int64  `json:"updated"`
	Unchanged int64  `json:"unchanged"`
	Failed    int64  `json:"failed"`
	LeftEmpty int64  `json:"left_empty" doc:"Cells that were no value of their field and left empty."`
	Undone    int64  `json:"undone" doc:"Records that an undo has taken back."`
	Kept      int64  `json:"kept" doc:"Records that an undo left, since they were changed after the import."`
}

// dryRunBody is what the last dry run found.
type dryRunBody struct {
	Done      bool          `json:"done" doc:"Whether it went through all rows."`
	Created   int64         `json:"created"`
	Updated   int64         `json:"updated"`
	Unchanged int64         `json:"unchanged"`
	Failed    int64         `json:"failed"`
	LeftEmpty int64         `json:"left_empty" doc:"Cells that were no value of their field and left empty."`
	Problems  []cellProblem `json:"problems" nullable:"false" doc:"The first 20 problems; the file of errors has all."`
}

func (t tally) rows() int64 { return t.Created + t.Updated + t.Unchanged + t.Failed }

func (row importRow) progress() ProgressBody {
	t := row.Tally
	if row.State == checking && row.Trial != nil {
		t = row.Trial.Tally
	}

	return ProgressBody{
		State: row.State, Problem: row.Problem, Rows: row.Rows, Done: t.rows(),
		Created: t.Created, Updated: t.Updated, Unchanged: t.Unchanged, Failed: t.Failed, LeftEmpty: t.LeftEmpty, Undone: t.Undone, Kept: t.Kept,
	}
}

func (row importRow) shown(t described) Import {
	body := Import{
		collection: row.Collection, UUID: row.ID, State: row.State, Problem: row.Problem, FileName: row.FileName,
		Encoding: row.Encoding, Format: row.Format, Delimiter: row.Delimiter, Bytes: row.Bytes, Rows: row.Rows, Mode: row.Mode,
		By: t.name(row.MatchBy), EmptyCells: "clear", Columns: make([]columnBody, len(row.Header)),
		Warnings: row.warnings(t), Proposed: row.proposedFields(t), Progress: row.progress(), Version: row.Version,
		CreatedAt: row.CreatedAt, CreatedBy: row.CreatedBy, UpdatedAt: row.UpdatedAt,
	}
	if row.KeepEmpty {
		body.EmptyCells = "keep"
	}
	if row.Trial != nil {
		found := row.Trial.Tally
		body.DryRun = &dryRunBody{
			Done: row.Trial.Done, Created: found.Created, Updated: found.Updated, Unchanged: found.Unchanged, Failed: found.Failed,
			LeftEmpty: found.LeftEmpty, Problems: slices.Concat([]cellProblem{}, row.Trial.Problems),
		}
	}
	if body.Warnings == nil {
		body.Warnings = []string{}
	}
	for i := range row.Header {
		body.Columns[i] = row.columnBody(i, t)
	}

	return body
}

func (row importRow) columnBody(i int, t described) columnBody {
	to := row.Mapping[i]
	body := columnBody{Name: row.Header[i], Field: t.name(to), Samples: []sampleBody{}, Formats: []cell.Fit{}}
	rule := row.rule(i)
	body.Empty, body.Bad, body.Note = rule.Empty, rule.Bad, rule.Doubt
	if rule.Format != cell.Any {
		body.Format = &rule.Format
	}
	column := t.column(to)
	switch {
	case column != nil:
		body.Type, body.Coercion = column.Type, coercionNote(column)
		p := row.proposal(i, t)
		body.Note, body.Formats = p.Note, append(body.Formats, p.Fits...)
	case to == byUUID:
		body.Coercion = "The uuid of the record that the row changes, or makes. Without one, a new record gets its own."
	case to == atVersion:
		body.Coercion = "The version that the record must have. Without one, any."
	}
	if row.Trial != nil {
		body.Wrong, body.LeftEmpty = row.Trial.Wrong[i], row.Trial.Left[i]
	}
	var reader cell.Reader
	if column != nil {
		reader = readerOf(column, rule.Format, t.locale)
	}
	for _, cells := range row.Samples {
		if i < len(cells) {
			body.Samples = append(body.Samples, row.sample(cells[i], column, reader))
		}
	}

	return body
}

// coercionNote says what cells may have for the values of a field.
func coercionNote(c *collection.Field) string {
	switch {
	case c.User:
		return c.About + " An e-mail address or the name of exactly one user does too."
	case c.Refers != "":
		return c.About + " A unique value, the title, the e-mail address or the phone number of exactly one does too."
	default:
		return c.About
	}
}

// sample shows what becomes of a cell.
func (row *importRow) sample(sent string, column *collection.Field, reader cell.Reader) sampleBody {
	shown := sampleBody{Cell: sent}
	text, value := row.cell(sent)
	switch {
	case column == nil:
		return shown
	case !value:
		shown.Value = json.RawMessage("null")

		return shown
	case len([]rune(sent)) >= guess.LongestSample:
		return shown // it was cut
	case column.User || column.Refers != "":
		return shown // what it names is looked up in the dry run
	}
	raw, err := row.json(column, reader, text)
	if err == nil {
		raw, err = column.Check(raw)
	}
	if err != nil {
		shown.Problem = `"` + readers.Shorten(text) + `" ` + err.Error()

		return shown
	}
	shown.Value = column.Append(nil, raw)

	return shown
}
