// Package history is the versions of the rows of collections: what each changed, the row as it was, and the way back to
// it. A collection that keeps versions implements Versioned; how it keeps them is its own.
package history

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/telemetry"
	"github.com/dispatchd/dispatchd/platform/web"
)

// What Open, and the methods of Versioned, fail with.
var (
	// ErrVersionNotFound says that a row has no such version, or not any more; it may be the cause of an area's own error.
	ErrVersionNotFound = errs.New(errs.NotFound, "collection.version_not_found", "The row has no such version, or the version is no longer kept.")
	// ErrNotVersioned says that a collection keeps no versions.
	ErrNotVersioned = errs.New(errs.Conflict, "collection.not_versioned", "This collection does not keep versions of its rows.")
)

// Versioned is a collection whose rows keep their versions. What the caller does not see of rows, these do not show either.
type Versioned interface {
	// Versions returns a page of the versions of a row, or of one that is deleted, by a query that was parsed with List.
	Versions(ctx context.Context, row uuid.UUID, deleted bool, q list.Query) (list.Page[Version], error)
	// At returns a row that is not deleted as it was at a version.
	At(ctx context.Context, row uuid.UUID, version int64) (Snapshot, error)
	// GoBack gives the fields of some keys, without keys all that the caller sees, the values of an earlier version. That
	// is a change like any other, which makes a new version; fields that the service alone writes stay unchanged.
	GoBack(ctx context.Context, row uuid.UUID, to Revert, match web.IfMatch) (Snapshot, error)
}

// Revert says what a row goes back to.
type Revert struct {
	Version int64    `json:"version" minimum:"1" doc:"The version to restore the values of."`
	Fields  []string `json:"fields,omitempty" doc:"The keys of the fields to restore; all fields if omitted."`
}

// Snapshot is a row at one version, as the area answers with it.
type Snapshot struct {
	Version int64
	// Path is that of the row in the API.
	Path string
	JSON json.RawMessage
}

// Version is what a version of a row changed.
type Version struct {
	Stamp

	Changes map[string]ValueChange
	// Gone are the changes of fields that are deleted by now.
	Gone []GoneChange
}

// ValueChange is a value before and after, null for none.
type ValueChange struct {
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// GoneChange is a change of a field that is deleted by now.
type GoneChange struct {
	FieldUUID uuid.UUID       `json:"field_uuid"`
	Key       string          `json:"key" doc:"The former key of the field; another field may have it now."`
	Label     string          `json:"label"`
	Before    json.RawMessage `json:"before"`
	After     json.RawMessage `json:"after"`
}

// Stamp says who made a version, when, and by what. Rows of a history embed it: its fields are columns.
type Stamp struct {
	Version int64 `gorm:"primaryKey;autoIncrement:false"`
	// Verb is created, updated, deleted, restored, or a verb of the row's life.
	Verb string
	At   time.Time
	// ActorKind is a principal.Kind, "" for a first version that no user made.
	ActorKind string
	ActorID   *uuid.UUID
	RequestID string
	// Source is where the version came from, "" for a request for the row: import:<uuid>.
	Source string
}

// StampOf is the stamp of a version that the caller makes now.
func StampOf(ctx context.Context, version int64, verb string, at time.Time) Stamp {
	who, _ := principal.From(ctx)
	stamp := Stamp{
		Version: version, Verb: verb, At: at, ActorKind: string(who.Kind), RequestID: telemetry.RequestID(ctx), Source: SourceOf(ctx),
	}
	if who.User != uuid.Nil {
		stamp.ActorID = &who.User
	}

	return stamp
}

type sourceKey struct{}

// WithSource returns a context in which versions come from somewhere else than a request for the row: "import:<uuid>".
func WithSource(ctx context.Context, source string) context.Context {
	return context.WithValue(ctx, sourceKey{}, source)
}

// SourceOf returns where versions come from, "" for a request for the row.
func SourceOf(ctx context.Context) string {
	source, _ := ctx.Value(sourceKey{}).(string)

	return source
}

// Add adds the change of a field, unless the values are the same; nil is null. The values are JSON.
func (v *Version) Add(key string, before, after []byte) {
	if rawjson.Equal(before, after) {
		return
	}
	if v.Changes == nil {
		v.Changes = map[string]ValueChange{}
	}
	v.Changes[key] = ValueChange{Before: shown(before), After: shown(after)}
}

// AddGone is Add for a field that is deleted by now, whose values Before and After are.
func (v *Version) AddGone(gone GoneChange) {
	if !rawjson.Equal(gone.Before, gone.After) {
		gone.Before, gone.After = shown(gone.Before), shown(gone.After)
		v.Gone = append(v.Gone, gone)
	}
}

func shown(value []byte) []byte {
	if value == nil {
		return []byte("null")
	}

	return rawjson.AppendCompact(nil, value)
}

// List is what a list of versions can be asked for; keys are those of a version in the answer.
func List(keys []string) list.Schema {
	return list.Schema{
		ID:          list.Field{Name: "version", Expr: "version", Kind: kind.Integer, Filterable: true, Sortable: true},
		Fields:      []list.Field{{Name: "at", Expr: "at", Kind: kind.Time, Filterable: true}},
		DefaultSort: []string{"-version"},
		Keys:        keys,
	}
}

// Open returns the versions of a collection, for a caller with the scope that an access asks for. Errors: those of
// collection.Registry.Open, ErrNotVersioned.
func Open(ctx context.Context, all *collection.Registry, name collection.Name, access collection.Access) (Versioned, error) {
	c, err := all.Open(ctx, name, access)
	if err != nil {
		return nil, err
	}
	versioned, ok := c.(Versioned)
	if !ok {
		return nil, ErrNotVersioned
	}

	return versioned, nil
}
