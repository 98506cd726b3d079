package papers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/platform/resource"
)

func TestFreshOf_AreTheCertificatesThatChanged(t *testing.T) {
	t.Parallel()
	one, two := store.Policy{Kind: "cargo", Number: "C-1"}, store.Policy{Kind: "cargo", Number: "C-2"}
	verified := one
	verified.Verified = "2026-06-01"
	row := func(policies ...store.Policy) *store.Carrier {
		c := &store.Carrier{}
		c.Insurance.V = policies

		return c
	}
	for name, of := range map[string]struct {
		before, after *store.Carrier
		want          []string
	}{
		"of a new carrier": {nil, row(one, two), []string{"insurance.0", "insurance.1"}},
		"as they were":     {row(one, two), row(two, one), nil},
		"one more":         {row(one), row(two, one), []string{"insurance.0"}},
		"one was verified": {row(one, two), row(two, verified), []string{"insurance.1"}},
		"one less":         {row(one, two), row(two), nil},
	} {
		var at []string
		for _, f := range freshOf(&resource.Change[store.Carrier]{Before: of.before, After: of.after}) {
			at = append(at, f.at)
		}
		require.Equal(t, of.want, at, name)
	}
}
