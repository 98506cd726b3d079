package numbering

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestFamily_MembersCountApartFromTheirTemplates(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		t.Helper()
		ctx := o.company(t)
		a, b := Member("loads.field", uuid.New()), Member("loads.field", uuid.New())
		_, err := o.takeNumbers(ctx, a, 1, WithTemplate("A{seq:1}"))
		require.ErrorContains(t, err, "is not declared")
		o.families["loads.field"] = true

		given, err := o.takeNumbers(ctx, a, 2, WithTemplate("A{seq:1}"))
		require.NoError(t, err)
		require.Equal(t, []string{"A1", "A2"}, given)
		given, err = o.takeNumbers(ctx, b, 1, WithTemplate("B-{seq:3}"))
		require.NoError(t, err)
		require.Equal(t, []string{"B-001"}, given)

		given, err = o.takeNumbers(ctx, a, 1, WithTemplate("C{seq:1}"))
		require.NoError(t, err)
		require.Equal(t, []string{"A3"}, given, "From is for the first number")
		require.NoError(t, o.SetTemplate(ctx, a, "C{seq:1}"))
		given, err = o.takeNumbers(ctx, a, 1, WithTemplate("C{seq:1}"))
		require.NoError(t, err)
		require.Equal(t, []string{"C1"}, given)
		_, err = o.takeNumbers(ctx, b+"x", 1)
		require.Error(t, err, "a member needs a template")
	})
}
