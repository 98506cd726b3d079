package exchange

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/web"
)

// base is where the operations of the area are.
const base = "/custom_modules/api/v1"

// importBody is an import as answers show it.
type importBody struct {
	UUID       uuid.UUID    `json:"uuid"`
	ModuleUUID uuid.UUID    `json:"module_uuid"`
	State      status       `json:"state" enum:"ready,checking,running,completed,cancelled,stopped,undoing,undone,undo_stopped"`
	Problem    string       `json:"problem" doc:"Why it stopped, or the last dry run did; empty if it did not."`
	FileName   string       `json:"file_name"`
	Encoding   encoding     `json:"encoding" enum:"utf-8,utf-16,windows-1252"`
	Format     format       `json:"format" enum:"csv,jsonl"`
	Delimiter  string       `json:"delimiter" doc:"What stands between values; empty for JSON Lines."`
	Bytes      int64        `json:"bytes"`
	Rows       int64        `json:"rows" doc:"Rows of the file, without the names of columns."`
	Mode       mode         `json:"mode" enum:"create,upsert"`
	By         *string      `json:"by" doc:"What an upsert goes by."`
	EmptyCells string       `json:"empty_cells" enum:"clear,keep"`
	Columns    []columnBody `json:"columns" nullable:"false"`
	Warnings   []string     `json:"warnings" nullable:"false"`
	Progress   progressBody `json:"progress"`
	DryRun     *dryRunBody  `json:"dry_run"`
	Version    int64        `json:"version"`
	CreatedAt  time.Time    `json:"created_at"`
	CreatedBy  *uuid.UUID   `json:"created_by"`
	UpdatedAt  time.Time    `json:"updated_at"`
}

// SchemaName implements web's naming.
func (importBody) SchemaName() string { return "Import" }

// columnBody is a column of the file.
type columnBody struct {
	Name     string       `json:"name"`
	Field    *string      `json:"field" doc:"The key of the field that the values go to, uuid, version, or null."`
	Type     string       `json:"type" doc:"The type of the field."`
	Coercion string       `json:"coercion" doc:"What the values are, and become."`
	Samples  []sampleBody `json:"samples" nullable:"false"`
	Wrong    int64        `json:"wrong" doc:"How many rows the column kept from being taken, in the last dry run."`
}

// sampleBody is a cell of the first rows, and what becomes of it.
type sampleBody struct {
	Cell    string          `json:"cell"`
	Value   json.RawMessage `json:"value,omitempty"`
	Problem string          `json:"problem,omitempty"`
}

// progressBody is how far an import is.
type progressBody struct {
	State     status `json:"state" enum:"ready,checking,running,completed,cancelled,stopped,undoing,undone,undo_stopped"`
	Problem   string `json:"problem"`
	Rows      int64  `json:"rows"`
	Done      int64  `json:"done" doc:"Rows that are done: of the run, or of the dry run at work."`
	Created   int64  `json:"created"`
	Updated   int64  `json:"updated"`
	Unchanged int64  `json:"unchanged"`
	Failed    int64  `json:"failed"`
	Undone    int64  `json:"undone" doc:"Records that an undo has taken back."`
	Kept      int64  `json:"kept" doc:"Records that an undo left, since they were changed after the import."`
}

// dryRunBody is what the last dry run found.
type dryRunBody struct {
	Done      bool  `json:"done" doc:"Whether it went through all rows."`
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Failed    int64 `json:"failed"`
}

func (t tally) rows() int64 { return t.Created + t.Updated + t.Unchanged + t.Failed }

func (row importRow) progress() progressBody {
	t := row.Tally
	if row.State == checking && row.Trial != nil {
		t = row.Trial.Tally
	}

	return progressBody{
		State: row.State, Problem: row.Problem, Rows: row.Rows, Done: t.rows(),
		Created: t.Created, Updated: t.Updated, Unchanged: t.Unchanged, Failed: t.Failed, Undone: t.Undone, Kept: t.Kept,
	}
}

func (row importRow) resource(t Table) *web.Resource[importBody] {
	return web.NewResource(row.body(t), row.Version, base+"/imports/"+row.ID.String())
}

func (row importRow) body(t Table) importBody {
	body := importBody{
		UUID: row.ID, ModuleUUID: row.ModuleID, State: row.State, Problem: row.Problem, FileName: row.FileName,
		Encoding: row.Encoding, Format: row.format(), Delimiter: row.Delimiter, Bytes: row.Bytes, Rows: row.Rows, Mode: row.Mode,
		By: t.name(row.MatchBy), EmptyCells: "clear", Columns: make([]columnBody, len(row.Header)),
		Warnings: row.warnings(t), Progress: row.progress(), Version: row.Version,
		CreatedAt: row.CreatedAt, CreatedBy: row.CreatedBy, UpdatedAt: row.UpdatedAt,
	}
	if row.KeepEmpty {
		body.EmptyCells = "keep"
	}
	if row.Trial != nil {
		found := row.Trial.Tally
		body.DryRun = &dryRunBody{
			Done: row.Trial.Done, Created: found.Created, Updated: found.Updated, Unchanged: found.Unchanged, Failed: found.Failed,
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

func (row importRow) columnBody(i int, t Table) columnBody {
	to := row.Mapping[i]
	body := columnBody{Name: row.Header[i], Field: t.name(to), Samples: []sampleBody{}}
	column := t.column(to)
	switch {
	case column != nil:
		body.Type, body.Coercion = column.Type, column.About
	case to == byUUID:
		body.Coercion = "The uuid of the record that the row changes, or makes. Without one, a new record gets its own."
	case to == atVersion:
		body.Coercion = "The version that the record must have. Without one, any."
	}
	if row.Trial != nil {
		body.Wrong = row.Trial.Wrong[i]
	}
	for _, cells := range row.Samples {
		if i < len(cells) {
			body.Samples = append(body.Samples, row.sample(cells[i], column))
		}
	}

	return body
}

// sample shows what becomes of a cell.
func (row *importRow) sample(cell string, column *Column) sampleBody {
	shown := sampleBody{Cell: cell}
	text, value := row.cell(cell)
	switch {
	case column == nil:
		return shown
	case !value:
		shown.Value = json.RawMessage("null")

		return shown
	case len([]rune(cell)) >= longestSample:
		return shown // it was cut
	}
	raw, err := row.json(column, text)
	if err == nil {
		raw, err = column.Check(raw)
	}
	if err != nil {
		shown.Problem = "The value " + err.Error()

		return shown
	}
	shown.Value = column.Append(nil, raw)

	return shown
}
