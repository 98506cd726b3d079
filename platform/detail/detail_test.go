package detail

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// lengths is a service of an area: it says how long values are, and nothing of "none".
type lengths struct{ asked [][]string }

func (l *lengths) long(_ context.Context, values []string) ([]any, error) {
	l.asked = append(l.asked, values)
	all := make([]any, len(values))
	for i, v := range values {
		switch v {
		case "none":
		case "broken":
			return nil, errors.New("the data is damaged")
		case "unfit":
			all[i] = func() {}
		case "short":
			return all[:0], nil
		default:
			all[i] = len(v)
		}
	}

	return all, nil
}

// gate lets companies use areas whose names it has.
type gate []string

func (g gate) Allows(_ context.Context, _ uuid.UUID, area string) (bool, error) {
	if area == "failing" {
		return false, errors.New("the database is away")
	}
	return slices.Contains(g, area), nil
}

// declared is a registry of details of areas, which l reads.
func declared(t *testing.T, l *lengths, g Gate, all ...detail) *Registry {
	t.Helper()
	r := New(g)
	for _, d := range all {
		d.read = l.long
		require.NoError(t, r.add(d))
	}

	return r
}

func TestRead_AsksOnceForEachValue(t *testing.T) {
	t.Parallel()
	l := &lengths{}
	r := declared(t, l, nil, detail{area: "sizes", of: "vin", name: "length"})
	a := &Asked{Type: "vin", Name: "length"}
	for _, value := range []string{"abc", "", "none", "abc", "a"} {
		a.Add(value)
	}
	require.NoError(t, r.Read(t.Context(), a))
	require.Equal(t, [][]string{{"a", "abc", "none"}}, l.asked)
	text, ok := a.Of("abc")
	require.True(t, ok)
	require.JSONEq(t, "3", string(text))
	for _, value := range []string{"none", "", "other"} {
		_, ok = a.Of(value)
		require.False(t, ok, value)
	}
	require.NoError(t, r.Read(t.Context(), &Asked{Type: "vin", Name: "length"}), "of no values")
	require.Len(t, l.asked, 1, "nothing is asked about no values")
}

func TestRead_FailsOnABrokenDetail(t *testing.T) {
	t.Parallel()
	r := declared(t, &lengths{}, nil, detail{area: "sizes", of: "vin", name: "length"})
	for _, value := range []string{"broken", "short", "unfit"} {
		a := &Asked{Type: "vin", Name: "length"}
		a.Add(value)
		require.ErrorContains(t, r.Read(t.Context(), a), "detail length of vin", value)
	}
}

func TestNames_AreThoseOfTheAreasThatACompanyUses(t *testing.T) {
	t.Parallel()
	all := []detail{
		{area: "sizes", of: "vin", name: "length"},
		{area: "sizes", of: "text", name: "size"},
		{area: "others", of: "vin", name: "decoded"},
		{area: "others", of: "vin", name: "age"},
	}
	names, err := declared(t, &lengths{}, nil, all...).Names(t.Context(), "vin")
	require.NoError(t, err)
	require.Equal(t, []string{"age", "decoded", "length"}, names)
	r := declared(t, &lengths{}, gate{"sizes"}, all...)
	names, err = r.Names(t.Context(), "vin")
	require.NoError(t, err)
	require.Equal(t, []string{"length"}, names)
	names, err = r.Names(t.Context(), "money")
	require.NoError(t, err)
	require.Empty(t, names)
	_, err = declared(t, &lengths{}, gate{}, detail{area: "failing", of: "vin", name: "length"}).Names(t.Context(), "vin")
	require.ErrorContains(t, err, "the database is away")
}

func TestAdd_RefusesBadNamesAndDuplicates(t *testing.T) {
	t.Parallel()
	r := New(nil)
	for _, name := range []string{"", "Decoded", "de.coded", "1st", strings.Repeat("a", 41)} {
		require.ErrorContains(t, r.add(detail{area: "sizes", of: "vin", name: name}), "want a name", name)
	}
	require.NoError(t, r.add(detail{area: "sizes", of: "vin", name: "length"}))
	require.NoError(t, r.add(detail{area: "sizes", of: "text", name: "length"}))
	require.ErrorContains(t, r.add(detail{area: "others", of: "vin", name: "length"}), "declared twice")
}

func TestShown_KeepsDetailsOfSeveralFields(t *testing.T) {
	t.Parallel()
	var shown Shown
	shown = shown.With("vin", "decoded", []byte("1")).With("vin", "age", []byte("2")).With("other", "age", []byte("3"))
	require.Len(t, shown["vin"], 2)
	require.JSONEq(t, "3", string(shown["other"]["age"]))
	require.Equal(t, []string{"payload.expanded", "payload.expanded.vin", "payload.expanded.vin.decoded"}, Keys("payload.", "vin", "decoded"))
	require.Equal(t, "vin.decoded", Path("vin", "decoded"))
}
