package modeling

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
)

func TestGiveSlot_TakesTheFirstFreeOneOfItsKind(t *testing.T) {
	t.Parallel()
	s := &Service{settings: definition.Defaults(), definitions: &store.Definitions{Types: definition.NewTypes(definition.Defaults())}}
	var others []definition.FieldRow
	module := definition.ModuleRow{Revision: 7}
	give := func(typ definition.TypeName, asked bool) (*definition.Slot, string) {
		row := definition.FieldRow{Type: typ, Number: len(others) + 1}
		problem := s.giveSlot(&row, &module, asked, others)
		require.Equal(t, row.Slot == nil, row.SlotSince == nil)
		others = append(others, row)

		return row.Slot, problem
	}
	for _, want := range []definition.Slot{"uuid_1", "uuid_2", "uuid_3", "uuid_4"} {
		got, problem := give("reference", false)
		require.Empty(t, problem)
		require.Equal(t, want, *got)
	}
	got, problem := give("reference", false)
	require.Empty(t, problem)
	require.Equal(t, definition.Slot("uuid_index_5"), *got)
	require.Equal(t, field.UUIDIndex, got.Kind())
	require.True(t, got.Overflows())
	_, problem = give("long_text", true)
	require.Equal(t, "A field of the type long_text cannot be indexed. With searchable: true, q= finds records by its words.", problem)
	for _, typ := range []definition.TypeName{"text", "vin"} {
		got, _ = give(typ, true)
		require.True(t, strings.HasPrefix(string(*got), "text_"))
	}
	require.Equal(t, definition.Slot("text_2"), *got)
	require.False(t, got.Overflows())
	got, _ = give("text", false)
	require.Nil(t, got)
	s.settings.MaxIndexed = 7
	got, problem = give("reference", false)
	require.Nil(t, got)
	require.Empty(t, problem, "nobody asked for it")
	_, problem = give("reference", true)
	require.Equal(t, "The module has 7 indexed fields, the maximum.", problem)
}
