package port

import (
	"context"
	"reflect"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

type speaker interface{ speak() string }

type dog struct{ name string }

func (d dog) speak() string { return d.name }

type gate map[string]bool

func (g gate) Allows(_ context.Context, _ uuid.UUID, area string) (bool, error) { return g[area], nil }

func TestAll_ReturnsTheAdaptersOfTheAreasThatTheCompanyUses(t *testing.T) {
	t.Parallel()
	r := New(gate{"kennel": true})
	of := reflect.TypeFor[speaker]()
	require.NoError(t, r.add(adapter{of, "kennel", "rex", dog{"rex"}}))
	require.NoError(t, r.add(adapter{of, "kennel", "ace", dog{"ace"}}))
	require.NoError(t, r.add(adapter{of, "farm", "bo", dog{"bo"}}))
	require.NoError(t, r.add(adapter{reflect.TypeFor[error](), "kennel", "rex", context.Canceled}))
	all, err := All[speaker](t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, []Adapter[speaker]{{"ace", dog{"ace"}}, {"rex", dog{"rex"}}}, all)

	require.ErrorContains(t, r.add(adapter{of, "farm", "rex", dog{}}), "declared twice")
	require.ErrorContains(t, r.add(adapter{of, "farm", "Rex", dog{}}), "want a name")
}
