package custommodules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
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
		got := definition.CheckKey(definition.NormalKey(key), 12)
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

func TestSlots_AreGroupedByKind(t *testing.T) {
	t.Parallel()
	counts := map[field.Index]int{}
	for i, s := range definition.AllSlots() {
		require.Equal(t, i, s.Position())
		counts[s.Kind()]++
	}
	require.Equal(t, map[field.Index]int{field.TextIndex: 8, field.NumericIndex: 6, field.TimeIndex: 4, field.BoolIndex: 4, field.UUIDIndex: 4}, counts)
	require.Equal(t, -1, definition.Slot("").Position())
}

func TestSettings_NameEveryValueThatCannotWork(t *testing.T) {
	t.Parallel()
	require.NoError(t, definition.Defaults().Validate())
	err := definition.Settings{MaxModules: 1, MaxFields: 1001, MaxNameLength: 1, MaxKeyLength: 1, MaxPayload: 1 << 10, MaxDepth: 2}.Validate()
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
