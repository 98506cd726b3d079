package timeline_test

import (
	"context"
	"encoding/binary"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

var spot = item.Ref{Type: "yard.spot", UUID: numbered(1)}

// yard is an area that hides something, and has entries of which few are about what is there.
type yard struct {
	reads int
}

func newYard() *yard { return &yard{} }

// numbered is the id of a number, in the same order.
func numbered(n int) uuid.UUID {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[8:], uint64(n))

	return id
}

func (*yard) describe(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	if slices.Contains(ids, spot.UUID) {
		return map[uuid.UUID]item.Description{spot.UUID: {Title: "A1"}}, nil
	}

	return nil, nil
}

func (*yard) hidden(context.Context) ([]string, error) { return []string{"x"}, nil }

// many is how many entries there are, of the same time. Those whose number it divides are about the spot.
const (
	many  = 5000
	every = 1200
)

// entries ignores where the query begins, but for the number of the calls: each is for the next hundred.
func (y *yard) entries(context.Context, timeline.Query) ([]timeline.Entry, error) {
	const atOnce, overlap = 100, 1
	first := many - y.reads*(atOnce-overlap)
	y.reads++
	var all []timeline.Entry
	for n := first; n > max(first-atOnce, 0); n-- {
		e := timeline.Entry{ID: numbered(n), At: time.Unix(1, 0).UTC(), Kind: "check", Title: strconv.Itoa(n), Item: item.Ref{Type: "yard.spot", UUID: uuid.Max}}
		if n%every == 0 {
			e.Item = spot
		}
		all = append(all, e)
	}

	return all, nil
}

func yardArea(sources ...fx.Option) module.Module {
	return module.New("yard", "Yard", append([]fx.Option{
		fx.Provide(newYard, fx.Private),
		item.Type("yard.spot", "Spot", (*yard).describe, nil, nil),
		item.Hides((*yard).hidden),
	}, sources...)...)
}

// fill returns the registry with the sources of an area.
func fill(area module.Module) (*timeline.Registry, error) {
	var timelines *timeline.Registry
	items := item.New(nil)
	app := fx.New(fx.Supply(items, timeline.New(nil, items, []string{"yard"})), area.Options(), fx.Invoke(module.Fill),
		fx.Populate(&timelines), fx.NopLogger)

	return timelines, app.Err()
}

func TestPage_GoesOnBehindWhatIsLeftOutAndEndsEarly(t *testing.T) {
	t.Parallel()
	timelines, err := fill(yardArea(timeline.Source("yard", []string{"check"}, (*yard).entries)))
	require.NoError(t, err)
	ctx := principal.AsCompany(t.Context(), uuid.New())
	page := func(cursor string) list.Page[timeline.Entry] {
		in := list.FromQuery("/log", url.Values{"per_page": {"1"}, "cursor": {cursor}})
		q, err := in.Parse(ctx, timelines.LogSchema(nil))
		require.NoError(t, err)
		found, err := timelines.Page(ctx, q, item.Ref{})
		require.NoError(t, err)

		return found
	}
	first := page("")
	require.Len(t, first.Data, 1)
	require.Equal(t, strconv.Itoa(every*4), first.Data[0].Title)
	require.NotNil(t, first.Meta.NextCursor, "there is more behind what was looked at")
	next := page(*first.Meta.NextCursor)
	require.Len(t, next.Data, 1)
	require.Equal(t, strconv.Itoa(every*3), next.Data[0].Title)
}

func TestSource_IsRefusedWithANameOrAKindOfAnother(t *testing.T) {
	t.Parallel()
	source := func(name string, kinds ...string) fx.Option { return timeline.Source(name, kinds, (*yard).entries) }
	for want, sources := range map[string][]fx.Option{
		`"yard" is declared twice`:            {source("yard", "check"), source("yard", "look")},
		`the kind "check" belongs to another`: {source("yard", "check"), source("gate", "check")},
		`"Yard": want a name in lower case`:   {source("Yard", "check")},
		`"gate": want a name`:                 {source("gate")},
	} {
		_, err := fill(yardArea(sources...))
		require.ErrorContains(t, err, want)
	}
}
