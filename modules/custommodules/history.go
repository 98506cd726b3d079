package custommodules

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// changeText is how the history keeps the change of a field, under the field's number.
type changeText struct {
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// encodeChanges writes changes for the history.
func encodeChanges(changes []fieldChange) rawjson.Object {
	out := []byte{'{'}
	for i, c := range changes {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, c.field.stored...)
		out = append(out, '{')
		if c.before != nil {
			out = append(append(out, `"before":`...), c.before...)
		}
		if c.before != nil && c.after != nil {
			out = append(out, ',')
		}
		if c.after != nil {
			out = append(append(out, `"after":`...), c.after...)
		}
		out = append(out, '}')
	}

	return append(out, '}')
}

// undone returns a document as it was before the changes of a version, which the history keeps. It keeps what
// the document had of fields that others have replaced by now. Where the version changed such a field, those that
// came after it had nothing, unless it changed them as well: not even null, which would hide what was there.
func (d *definition) undone(document []byte, changes rawjson.Object) ([]byte, error) {
	var texts map[string]changeText
	if err := json.Unmarshal(changes, &texts); err != nil {
		return nil, err
	}
	values := d.values(document)
	formers := d.formerValues(document)
	for number := range texts {
		i, was, replaced := d.formerOf(number)
		if !replaced {
			continue
		}
		values[i] = nil
		for later := was.next; later != nil; later = later.next {
			delete(formers, later.field.number)
		}
	}
	for number, c := range texts {
		if i, ok := d.byNumber[number]; ok {
			values[i] = c.Before
		} else if _, _, replaced := d.formerOf(number); replaced {
			formers[number] = c.Before
		}
	}
	out := []byte{'{'}
	for i, raw := range values {
		if raw == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, d.fields[i].stored...), raw...)
	}
	for number, raw := range formers {
		if raw == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, `"`+number+`":`...), raw...)
	}

	return append(out, '}'), nil
}

// undoneTo returns a document as it was at a version, before what came later. Later has the latest version first.
func (d *definition) undoneTo(document []byte, later []historyRow, version int64) (was []byte, err error) {
	for _, row := range later {
		if row.Version <= version {
			break
		}
		if document, err = d.undone(document, row.Changes); err != nil {
			return nil, fmt.Errorf("version %d: %w", row.Version, err)
		}
	}

	return document, nil
}

// formerValues are what a document has of fields that others have replaced, by number.
func (d *definition) formerValues(document []byte) map[string][]byte {
	values := map[string][]byte{}
	if !d.replacing {
		return values
	}
	for name, raw := range rawjson.Members(document) {
		if _, _, replaced := d.formerOf(string(name)); replaced {
			values[string(name)] = raw
		}
	}

	return values
}

// asOf returns a record as it was at a version, or errVersionNotFound. Fields that are gone by now, and
// what they held, are not shown.
func (s *service) asOf(ctx context.Context, id uuid.UUID, version int64) (stored, error) {
	read, err := s.readRecord(ctx, id)
	if err != nil || version == read.Version {
		return read, err
	}
	if version > read.Version {
		return stored{}, errVersionNotFound.WithMessage("The record has %s.", quantity(read.Version, "version")).
			WithDetail("current_version", read.Version)
	}
	later, err := s.repo.historyAfter(ctx, id, version)
	if err != nil {
		return stored{}, fmt.Errorf("record %s: %w", id, err)
	}
	if read.Data, err = read.definition.undoneTo(read.Data, later, version); err != nil {
		return stored{}, fmt.Errorf("record %s: %w", id, err)
	}
	if len(later) > 0 {
		read.Version = later[len(later)-1].Version - 1
	}

	return read, s.dated(ctx, &read)
}

// dated sets when a version came to be.
func (s *service) dated(ctx context.Context, r *stored) error {
	if r.Version == 1 {
		r.UpdatedAt, r.UpdatedBy = r.CreatedAt, r.CreatedBy

		return nil
	}
	row, err := s.repo.historyOf(ctx, r.ID, r.Version)
	r.UpdatedAt, r.UpdatedBy = row.At, row.ActorID

	return err
}

// versionAt returns the version that a record had at a time, or errVersionNotFound before it was made.
func (s *service) versionAt(ctx context.Context, id uuid.UUID, at time.Time) (int64, error) {
	row, err := s.readRecord(ctx, id)
	if err != nil {
		return 0, err
	}
	if at.Before(row.CreatedAt) {
		return 0, errVersionNotFound.WithMessage("The record was created at %s.", row.CreatedAt.Format(time.RFC3339Nano)).
			WithDetail("current_version", row.Version)
	}

	return s.repo.versionAt(ctx, id, at)
}
