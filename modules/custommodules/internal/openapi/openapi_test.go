package openapi

import (
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNames_AreReadableWhereTheyCanBe(t *testing.T) {
	t.Parallel()
	ids := make([]uuid.UUID, 6)
	for i := range ids {
		ids[i] = uuid.UUID{0: byte(i), 15: 0xb0 + byte(i)}
	}
	given := uniqueNames([]Named{
		{ids[3], "a 1"}, {ids[0], "Fahrzeug-Prüfung (neu)"}, {ids[1], "грузовики"}, {ids[2], "A1"}, {ids[4], "2nd yard"}, {ids[5], "delete"},
	})
	require.Equal(t, map[uuid.UUID]name{
		ids[0]: {"fahrzeug_prufung_neu", "FahrzeugPrufungNeu"},
		ids[1]: {"x0000000000b1", "X0000000000b1"},
		ids[2]: {"a1", "A1"},
		ids[3]: {"a_1_x0000000000b3", "A1X0000000000b3"}, // types would have the same name
		ids[4]: {"module_2nd_yard", "Module2ndYard"},
		ids[5]: {"delete", "Delete"},
	}, given)
}

func TestNames_OfTypesAreNotThoseOfPropertiesOfOthers(t *testing.T) {
	t.Parallel()
	ids := make([]uuid.UUID, 4)
	for i := range ids {
		ids[i] = uuid.UUID{0: byte(i), 15: 0xb0 + byte(i)}
	}
	given := uniqueNames([]Named{{ids[0], "Car record"}, {ids[1], "Car"}, {ids[2], "Car wash"}, {ids[3], "Car wash page"}})
	require.Equal(t, map[uuid.UUID]name{
		ids[0]: {"car_record", "CarRecord"},
		ids[1]: {"car_x0000000000b1", "CarX0000000000b1"},
		ids[2]: {"car_wash", "CarWash"},
		ids[3]: {"car_wash_page_x0000000000b3", "CarWashPageX0000000000b3"},
	}, given)
}

func TestNames_AreDistinctIdentifiersAndStayWhenModulesCome(t *testing.T) {
	t.Parallel()
	rule := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	rapid.Check(t, func(t *rapid.T) {
		var all []Named
		for i, text := range rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("aA1_ -é漢Я")), 1, 6, -1), 1, 30).Draw(t, "names") {
			all = append(all, Named{uuid.UUID{0: byte(i), 15: byte(i)}, text})
		}
		given, before := uniqueNames(all), uniqueNames(all[:len(all)-1])
		seen := map[string]bool{}
		for id, n := range given {
			if !rule.MatchString(n.snake) || seen[n.snake] || seen[n.pascal] {
				t.Fatalf("%q of %v", n, all)
			}
			seen[n.snake], seen[n.pascal] = true, true
			if old, was := before[id]; was && old != n {
				t.Fatalf("%q became %q", old, n)
			}
		}
	})
}
