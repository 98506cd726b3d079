package regulator

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

	"github.com/dispatchd/dispatchd/modules/carriers/internal/regulator/feed"
	"github.com/dispatchd/dispatchd/platform/database"
)

// Snapshot is what was known of a carrier at a time. It never changes.
type Snapshot struct {
	ID      uuid.UUID `json:"uuid"`
	USDOT   int64     `json:"usdot"`
	Number  int64     `json:"number" doc:"Which snapshot of the carrier it is, from 1 on."`
	TakenAt time.Time `json:"taken_at"`
	Facts   Facts     `json:"facts"`
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

// Keep stores facts as a snapshot, unless the last one says the same: of when the sources are does not count. It returns the facts with
// the snapshot that has them, and whether that is new.
func (r *Registry) Keep(ctx context.Context, f Facts) (Facts, bool, error) {
	flat, err := flatten(f)
	if err != nil {
		return f, false, err
	}
	digest := digestOf(flat)
	body, err := json.Marshal(f)
	if err != nil {
		return f, false, err
	}
	for {
		last, err := r.repository.snapshots(ctx, f.USDOT, 1)
		if err != nil {
			return f, false, err
		}
		s := snapshotRow{ID: database.NewID(), USDOT: f.USDOT, Number: 1, TakenAt: r.clock.Now(), Digest: digest, Body: string(body)}
		if len(last) > 0 {
			if last[0].Digest == digest {
				f.Snapshot, f.SnapshotAt = last[0].ID, &last[0].TakenAt

				return f, false, nil
			}
			s.Number = last[0].Number + 1
		}
		stored := false
		err = r.repository.db.InTx(ctx, func(ctx context.Context) (err error) {
			stored, err = r.repository.addSnapshot(ctx, &s)

			return err
		})
		if err != nil {
			return f, false, err
		}
		if stored {
			f.Snapshot, f.SnapshotAt = s.ID, &s.TakenAt

			return f, true, nil
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
			var before Facts
			if err := json.Unmarshal([]byte(rows[i+1].Body), &before); err != nil {
				return nil, fmt.Errorf("snapshot %s: %w", rows[i+1].ID, err)
			}
			if s.Changes, err = changesBetween(before, s.Facts); err != nil {
				return nil, err
			}
		}
		all = append(all, s)
	}

	return all, nil
}

// changesBetween returns the facts that differ, by their fields.
func changesBetween(before, after Facts) ([]FieldChange, error) {
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
func flatten(f Facts) (map[string]string, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	for _, key := range []string{"sources", "snapshot_uuid", "snapshot_at"} {
		delete(tree, key)
	}
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
