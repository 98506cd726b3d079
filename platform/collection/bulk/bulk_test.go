package bulk

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/collection"
)

func TestRoom_LeavesTheMessageOfAnErrorWhenTheAnswerIsFull(t *testing.T) {
	t.Parallel()
	left := room(100)
	refusal := ErrInvalid.WithField("payload.a", strings.Repeat("x", 70))
	first := left.fit(Outcome{Outcome: collection.Outcome{Err: refusal}})
	second := left.fit(Outcome{Outcome: collection.Outcome{Err: refusal}})
	require.Equal(t, error(refusal), first.Err)
	require.ErrorIs(t, second.Err, ErrInvalid)
	result := resultOf[string, names](second)
	require.Empty(t, result.Error.Errors)
	require.NotEmpty(t, result.Error.Message)
	require.NotEmpty(t, refusal.Fields)
}

func TestRoom_LeavesTheVersionOfARowThatIsTooLarge(t *testing.T) {
	t.Parallel()
	left := room(100)
	row := func(size int) Done {
		return left.fit(Outcome{
			Outcome: collection.Outcome{Written: collection.Written{Before: 3}}, Size: size,
			Show: func() (any, int) { return "row", size },
		})
	}
	shown, brief := resultOf[string, names](row(90)), resultOf[string, names](row(20))
	require.Equal(t, "row", *shown.Record)
	require.Nil(t, brief.Record)
	require.Equal(t, int64(3), brief.Brief.Version, "nothing has changed")
}

func TestFace_Check(t *testing.T) {
	t.Parallel()
	one := func(i Item) Body { return Body{Items: []Item{i}} }
	face := Face{Items: 2, Invalid: ErrInvalid}
	for path, body := range map[string]Body{
		"items":           {},
		"items.0.do":      one(Item{Do: Put}),
		"items.0.uuid":    one(Item{Do: Delete}),
		"items.0.by":      one(Item{Do: Create, By: "vin", Payload: []byte(`{}`)}),
		"items.0.payload": one(Item{Do: Upsert, By: "vin", Payload: []byte(`[]`)}),
		"items.0.version": one(Item{Do: Create, Version: 1, Payload: []byte(`{}`)}),
	} {
		require.Contains(t, face.Check(body).Fields, path)
	}
	require.Nil(t, face.Check(one(Item{Do: Create, Payload: []byte(`{}`)})))

	alone := one(Item{Do: Delete})
	alone.Atomic = new(bool)
	require.Nil(t, face.Check(alone))
	require.ErrorIs(t, alone.Items[0].Wrong, ErrInvalid)
}

type names struct{}

func (names) Prefix() string { return "Test" }
