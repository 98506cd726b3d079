package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Snapshot is what was known of a carrier at a time. It never changes.
type Snapshot struct {
	ID      uuid.UUID `json:"uuid"`
	USDOT   int64     `json:"usdot"`
	Number  int64     `json:"number" doc:"Which snapshot of the carrier it is, from 1 on."`
	TakenAt time.Time `json:"taken_at"`
	Facts   Record    `json:"facts"`
	// Changes are those since the snapshot before, by their fields; none for the first.
	Changes []FieldChange `json:"changes"`
}

// FieldChange is a fact that changed.
type FieldChange struct {
	Field string `json:"field" example:"identity.phone"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// mostSnapshots is how many snapshots are read at once.
const mostSnapshots = 100

// Record is all that is known of a carrier, with its newest snapshot.
type Record struct {
	regulatorapi.Facts

	// Snapshot is the newest stored one; the zero UUID if there is none yet.
	Snapshot   uuid.UUID  `json:"snapshot_uuid"`
	SnapshotAt *time.Time `json:"snapshot_at"`
}

// SchemaName implements web.SchemaNamer.
func (Record) SchemaName() string { return "CarriersFacts" }

// recordOf returns facts with the newest snapshot of a carrier, if it has any.
func recordOf(f regulatorapi.Facts, newest []snapshotRow) Record {
	made := Record{Facts: f}
	if len(newest) > 0 {
		made.Snapshot, made.SnapshotAt = newest[0].ID, &newest[0].TakenAt
	}

	return made
}

// Record adds the newest snapshot of a carrier to facts about it.
func (r *Registry) Record(ctx context.Context, f regulatorapi.Facts) (Record, error) {
	newest, err := r.repository.snapshots(ctx, f.USDOT, 1)

	return recordOf(f, newest), err
}

// keep stores facts as a snapshot, unless the last one says the same: of when the sources are does not count.
func (r *Registry) keep(ctx context.Context, f regulatorapi.Facts) error {
	flat, err := flatten(f)
	if err != nil {
		return err
	}
	digest := digestOf(flat)
	for {
		last, err := r.repository.snapshots(ctx, f.USDOT, 1)
		if err != nil || len(last) > 0 && last[0].Digest == digest {
			return err
		}
		body, err := json.Marshal(recordOf(f, last))
		if err != nil {
			return err
		}
		s := snapshotRow{ID: database.NewID(), USDOT: f.USDOT, Number: 1, TakenAt: r.clock.Now(), Digest: digest, Body: string(body)}
		if len(last) > 0 {
			s.Number = last[0].Number + 1
		}
		if stored, err := r.repository.addSnapshot(ctx, &s); err != nil || stored {
			return err
		}
	}
}

// Snapshots returns the newest snapshots of a carrier, the newest first, up to limit and 100.
func (r *Registry) Snapshots(ctx context.Context, usdot int64, limit int) ([]Snapshot, error) {
	limit = min(max(limit, 1), mostSnapshots)
	rows, err := r.repository.snapshots(ctx, usdot, limit+1)
	if err != nil {
		return nil, err
	}
	all := make([]Snapshot, 0, len(rows))
	for i, row := range rows[:min(len(rows), limit)] {
		s := Snapshot{ID: row.ID, USDOT: row.USDOT, Number: row.Number, TakenAt: row.TakenAt.UTC(), Changes: []FieldChange{}}
		if err := json.Unmarshal([]byte(row.Body), &s.Facts); err != nil {
			return nil, fmt.Errorf("snapshot %s: %w", row.ID, err)
		}
		if i+1 < len(rows) {
			var before Record
			if err := json.Unmarshal([]byte(rows[i+1].Body), &before); err != nil {
				return nil, fmt.Errorf("snapshot %s: %w", rows[i+1].ID, err)
			}
			if s.Changes, err = changesBetween(before.Facts, s.Facts.Facts); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}

	return all, nil
}

// changesBetween returns the facts that differ, by their fields.
func changesBetween(before, after regulatorapi.Facts) ([]FieldChange, error) {
	from, err := flatten(before)
	if err != nil {
		return nil, err
	}
	to, err := flatten(after)
	if err != nil {
		return nil, err
	}
	both := maps.Clone(from)
	maps.Copy(both, to)
	changes := []FieldChange{}
	for _, field := range slices.Sorted(maps.Keys(both)) {
		if from[field] != to[field] {
			changes = append(changes, FieldChange{Field: field, From: from[field], To: to[field]})
		}
	}

	return changes, nil
}

// flatten returns facts as texts by the paths of their fields, without what says of when they are.
func flatten(f regulatorapi.Facts) (map[string]string, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	delete(tree, "sources")
	flat := map[string]string{}
	flattenInto(flat, "", tree)

	return flat, nil
}

func flattenInto(flat map[string]string, path string, value any) {
	switch v := value.(type) {
	case nil:
	case map[string]any:
		for key, inner := range v {
			if _, isSource := inner.(map[string]any); key == "source" && isSource || key == "other_sources" {
				continue
			}
			flattenInto(flat, strings.TrimPrefix(path+"."+key, "."), inner)
		}
	case []any:
		for i, inner := range v {
			flattenInto(flat, path+"."+strconv.Itoa(i), inner)
		}
	default:
		if text := fmt.Sprint(v); text != "" {
			flat[path] = text
		}
	}
}

func digestOf(flat map[string]string) int64 {
	parts := make([]string, 0, 2*len(flat)) //nolint:mnd // a name and a value each
	for _, key := range slices.Sorted(maps.Keys(flat)) {
		parts = append(parts, key, flat[key])
	}

	return feed.Hashed(parts...)
}
