package custommodules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/naming"
)

func TestCheckKey_TakesSnakeCaseInAnyScript(t *testing.T) {
	t.Parallel()
	for key, problem := range map[string]string{
		"vin":           "",
		"pickup_date":   "",
		"axle2":         "",
		"Pickup_Date":   "", // normalised
		"gro\u0308ße":   "",
		"車両":            "",
		"":              "is required",
		"_vin":          "snake_case",
		"2nd":           "snake_case",
		"pickup-date":   "snake_case",
		"a.b":           "snake_case",
		"a b":           "snake_case",
		"a\u200db":      "snake_case",
		"a[b]":          "snake_case",
		"UUID":          "reserved",
		"created_at":    "reserved",
		"or":            "reserved",
		"abcdefghijklm": "longer than 12",
	} {
		got := checkKey(normalKey(key), 12)
		if problem == "" {
			require.Emptyf(t, got, "key %q", key)
		} else {
			require.Containsf(t, got, problem, "key %q", key)
		}
	}
}

func TestFoldName_IsOneForNamesThatPeopleTakeForTheSame(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"Vehicles", "VEHICLES"}, {"Straße", "STRASSE"}, {"é", "e\u0301"}, {"ς", "σ"}} {
		require.Equal(t, naming.Fold(naming.Normal(pair[0])), naming.Fold(naming.Normal(pair[1])))
	}
	require.NotEqual(t, naming.Fold("Vehicle"), naming.Fold("Vehicles"))
}

func TestLabelOf_ReadsAsWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Pickup date", naming.Label("pickup_date"))
	require.Equal(t, "Äxle", naming.Label("äxle"))
}

func TestGiveSlot_TakesTheFirstFreeOneOfItsKind(t *testing.T) {
	t.Parallel()
	s := &service{settings: defaults(), definitions: &definitions{types: newTypes(defaults())}}
	var others []fieldRow
	module := moduleRow{Revision: 7}
	give := func(typ typeName, asked bool) (*slot, string) {
		row := fieldRow{Type: typ, Number: len(others) + 1}
		problem := s.giveSlot(&row, &module, asked, others)
		require.Equal(t, row.Slot == nil, row.SlotSince == nil)
		others = append(others, row)

		return row.Slot, problem
	}
	for _, want := range []slot{"uuid_1", "uuid_2", "uuid_3", "uuid_4"} {
		got, problem := give("reference", false)
		require.Empty(t, problem)
		require.Equal(t, want, *got)
	}
	got, problem := give("reference", false)
	require.Empty(t, problem)
	require.Equal(t, slot("uuid_index_5"), *got)
	require.Equal(t, field.UUIDIndex, got.kind())
	require.True(t, got.overflows())
	_, problem = give("long_text", true)
	require.Equal(t, "A field of the type long_text cannot be indexed. With searchable: true, q= finds records by its words.", problem)
	for _, typ := range []typeName{"text", "vin"} {
		got, _ = give(typ, true)
		require.True(t, strings.HasPrefix(string(*got), "text_"))
	}
	require.Equal(t, slot("text_2"), *got)
	require.False(t, got.overflows())
	got, _ = give("text", false)
	require.Nil(t, got)
	s.settings.MaxIndexed = 7
	got, problem = give("reference", false)
	require.Nil(t, got)
	require.Empty(t, problem, "nobody asked for it")
	_, problem = give("reference", true)
	require.Equal(t, "The module has 7 indexed fields; more are not allowed.", problem)
}

func TestSlots_AreGroupedByKind(t *testing.T) {
	t.Parallel()
	counts := map[field.Index]int{}
	for i, s := range slots() {
		require.Equal(t, i, s.position())
		counts[s.kind()]++
	}
	require.Equal(t, map[field.Index]int{field.TextIndex: 8, field.NumericIndex: 6, field.TimeIndex: 4, field.BoolIndex: 4, field.UUIDIndex: 4}, counts)
	require.Equal(t, -1, slot("").position())
}

func TestSettings_NameEveryValueThatCannotWork(t *testing.T) {
	t.Parallel()
	require.NoError(t, defaults().Validate())
	err := settings{MaxModules: 1, MaxFields: 1001, MaxNameLength: 1, MaxKeyLength: 1, MaxPayload: 1 << 10, MaxDepth: 2}.Validate()
	for _, key := range []string{"max_fields", "max_text_length", "definition_cache"} {
		require.ErrorContains(t, err, key)
	}
	require.NotContains(t, err.Error(), "max_depth")
}

func TestNearest_IsOfUseOnlyWhenNear(t *testing.T) {
	t.Parallel()
	keys := []string{"vin", "year", "pickup_date", "pickup_time"}
	for key, want := range map[string]string{
		"vim": "vin", "yeaar": "year", "pickupdate": "pickup_date", "colour": "", strings.Repeat("pickup_date", 100): "",
	} {
		require.Equalf(t, want, naming.Nearest(key, keys), "key %q", key)
	}
}
