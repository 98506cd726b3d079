package store

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// ChangesReference reports whether the reference of a lookup is another one than that of the record as it is.
func (w *Writing) ChangesReference(l definition.LookedAt) bool {
	if w.Verb == definition.Created || w.Verb == definition.Restored {
		return true
	}
	number := w.Definition.Fields[l.Reference].Number

	return !rawjson.Equal(rawjson.Member(w.Before.Data, number), rawjson.Member(w.Made.Document, number))
}

// Words returns the words of a record as they are now, and whether what is kept of them has to change.
func (w *Writing) Words() (string, bool) {
	// The job that follows a change of the definition passes over what is written by the new one.
	stale := w.Verb == definition.Updated && w.Before.SchemaRevision < w.Definition.Revision
	if !w.Definition.Searchable() && !stale {
		return "", false
	}
	if w.Verb == definition.Deleted {
		return "", true
	}
	changed := stale || w.Verb == definition.Restored
	for _, c := range w.Changes {
		changed = changed || c.Field.Searchable
	}
	if !changed {
		return "", false
	}
	words := w.Definition.Words(w.Row.Data)

	return words, words != "" || w.Verb != definition.Created
}

// Writing is a record on the way from one version to the next.
type Writing struct {
	Verb       definition.Verb
	Definition *definition.Definition
	// before is the record as it is; its Version is 0 for a new one.
	Before definition.RecordRow
	// row is the record as it will be.
	Row  definition.RecordRow
	Made definition.Draft
	// seen says that nobody holds the record: it is stored if it is still what before says.
	Seen    bool
	Changes []definition.FieldChange
	// unlinked says that the references are stored later.
	Unlinked bool
	// read are records that it refers to and that are held, as far as they were read with others.
	Read map[uuid.UUID]rawjson.Object
}

// Amend applies what hooks set.
func (w *Writing) Amend(amendment map[string]any) error {
	if len(amendment) == 0 {
		return nil
	}
	patch, err := json.Marshal(amendment)
	if err != nil {
		return fmt.Errorf("amendment of a hook: %w", err)
	}
	made, found := w.Definition.Amend(w.Made.Document, patch, true)
	if err := found.ErrorAs(definition.ErrInvalidPayload, "payload"); err != nil {
		return err
	}
	warnings := w.Made.Warnings
	w.Made = w.Definition.Reread(made.Document)
	w.Made.Warnings = warnings

	return nil
}
