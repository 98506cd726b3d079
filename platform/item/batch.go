package item

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

// group is the items of one type among some references, each once, in the order of first mention.
type group struct {
	typ string
	ids []uuid.UUID
}

// groupByType sorts references by type.
func groupByType(refs []Ref) []group {
	var all []group
	at := map[string]int{}
	seen := make(map[Ref]bool, len(refs))
	for _, ref := range refs {
		if seen[ref] {
			continue
		}
		seen[ref] = true
		i, known := at[ref.Type]
		if !known {
			i = len(all)
			at[ref.Type] = i
			all = append(all, group{typ: ref.Type})
		}
		all[i].ids = append(all[i].ids, ref.UUID)
	}

	return all
}

// inBatches asks a method of a type for some items, Batch of them at a time, and collects the answers
// to what was asked.
func inBatches[V any](
	ctx context.Context, k itemType, ids []uuid.UUID, ask func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]V, error),
) (map[uuid.UUID]V, error) {
	ctx = telemetry.WithArea(ctx, k.area)
	all := make(map[uuid.UUID]V, len(ids))
	for some := range slices.Chunk(ids, Batch) {
		got, err := ask(ctx, some)
		if err != nil {
			return nil, fmt.Errorf("items of type %s: %w", k.name, err)
		}
		maps.Copy(all, got)
	}

	return all, nil
}
