package exchange

import (
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/guess"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/readers"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// mode is what an import does with a row.
type mode string

const (
	creates mode = "create"
	upserts mode = "upsert"
)

// target is where the values of a column go: a field by its id, or what every row has by its name; ""
// is nowhere.
type target string

// importRow is a row of collection_imports.
type importRow struct {
	database.Tenant

	ID uuid.UUID `gorm:"primaryKey"`
	// Area is that which keeps the collection.
	Area       string
	Collection collection.Name
	// Part is what the description of the collection calls so.
	Part string
	// Whole is false while the file arrives.
	Whole    bool
	FileName string
	State    Status
	Encoding readers.Encoding
	Format   format
	// Delimiter is one character, "" for what is not CSV.
	Delimiter string
	// Header are the names of the columns, Mapping where each goes.
	Header  []string `gorm:"serializer:json"`
	Mapping []target `gorm:"serializer:json"`
	// Rules are how the cells of each column are read, Seen what was counted in them when the file came.
	Rules []rule       `gorm:"serializer:json"`
	Seen  []guess.Seen `gorm:"serializer:json"`
	// Samples are the first rows.
	Samples [][]string `gorm:"serializer:json"`
	Mode    mode
	// MatchBy is the column that an upsert goes by.
	MatchBy target
	// KeepEmpty says that an empty cell leaves a value as it is.
	KeepEmpty bool
	Bytes     int64
	Rows      int64
	// Chunks is how many there are, Next the first that is not done by what is at work: a dry run, the
	// run; UndoNext, counting down, that of an undo.
	Chunks, Next, UndoNext int
	// Tally is of the run, Trial of the last dry run.
	Tally tally  `gorm:"serializer:json"`
	Trial *trial `gorm:"serializer:json"`
	// TrialNext is Next of the dry run.
	TrialNext int
	// Problem is why it stopped.
	Problem string
	// Actor is who has it done.
	Actor actor `gorm:"serializer:json"`
	// Runner is the worker that has it; Claims how many had it since it last came on; Beat when it last did.
	Runner    uuid.UUID
	Claims    int
	Beat      time.Time
	Version   int64
	CreatedAt time.Time
	CreatedBy *uuid.UUID
	UpdatedAt time.Time
}

// TableName implements gorm's Tabler.
func (importRow) TableName() string { return "collection_imports" }

// tally counts what became of rows.
type tally struct {
	Created   int64 `json:"created"`
	Updated   int64 `json:"updated"`
	Unchanged int64 `json:"unchanged"`
	Failed    int64 `json:"failed"`
	// LeftEmpty are cells that were no value of their field, in rows that were taken all the same.
	LeftEmpty int64 `json:"left_empty,omitempty"`
	// Undone and Kept are of an undo: taken back, and left since they were changed meanwhile.
	Undone int64 `json:"undone"`
	Kept   int64 `json:"kept"`
}

// trial is what a dry run found.
type trial struct {
	Tally tally `json:"tally"`
	// Wrong counts the rows that a column kept from being taken, by its place.
	Wrong map[int]int64 `json:"wrong,omitempty"`
	// Left counts the cells of a column that were left empty.
	Left map[int]int64 `json:"left,omitempty"`
	// Problems are the first ones.
	Problems []cellProblem `json:"problems,omitempty"`
	Done     bool          `json:"done"`
}

// actor is who has an import done, as he was when he started it.
type actor struct {
	Kind   principal.Kind `json:"kind"`
	User   uuid.UUID      `json:"user"`
	Token  uuid.UUID      `json:"token"`
	Role   string         `json:"role"`
	Scopes []string       `json:"scopes"`
}

// chunkRow is a row of collection_import_chunks: some rows of the file, and what became of them.
type chunkRow struct {
	database.Tenant

	ImportID uuid.UUID `gorm:"primaryKey"`
	Seq      int       `gorm:"primaryKey;autoIncrement:false"`
	// FirstRow counts the rows of the file from 1, without the header.
	FirstRow int64
	Rows     []sourceRow `gorm:"serializer:json"`
	// Outcomes are those of the run, in the order of the rows; nil before it. Trials are the failures of the
	// last dry run.
	Outcomes []outcome `gorm:"serializer:json"`
	Trials   []outcome `gorm:"serializer:json"`
	// Failed, TrialFailed and Kept count the rows that the three reports have of the chunk.
	Failed, TrialFailed, Kept int
	// Noted counts the rows with cells that were left empty, in the run or else in the last dry run.
	Noted int
}

// TableName implements gorm's Tabler.
func (chunkRow) TableName() string { return "collection_import_chunks" }

// keyRow is a row of collection_import_keys.
type keyRow struct {
	database.Tenant

	ImportID uuid.UUID `gorm:"primaryKey"`
	Hash     string    `gorm:"primaryKey"`
	FirstRow int64
}

// TableName implements gorm's Tabler.
func (keyRow) TableName() string { return "collection_import_keys" }

// sourceRow is a row of the file.
type sourceRow struct {
	Line int `json:"l"`
	// Row is its number as a spreadsheet shows it, where the first row is 1; that of its line in JSON Lines.
	Row   int      `json:"r,omitempty"`
	Cells []string `json:"c"`
}

// outcome is what became of a row.
type outcome struct {
	// Index is the place of the row in its chunk.
	Index  int       `json:"i"`
	Record uuid.UUID `json:"r,omitzero"`
	// Before and After are those of Written.
	Before int64 `json:"b,omitempty"`
	After  int64 `json:"a,omitempty"`
	// Problem is why the row failed, "" if it did not.
	Problem string `json:"p,omitempty"`
	// Note says which cells were left empty.
	Note string `json:"n,omitempty"`
	// Kept is why an undo left the record.
	Kept string `json:"k,omitempty"`
}
