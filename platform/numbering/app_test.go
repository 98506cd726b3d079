package numbering_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/principal"
)

func TestService_HasTheSeriesOfItsAreasAndRecordsTheirChanges(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		var numbers *numbering.Numbers
		loads := module.New("loads", "Loads", numbering.Series("loads.load", "L-{seq:5}"))
		a := moduletest.Boot(t, url, []module.Module{loads}, moduletest.With(fx.Populate(&numbers)))
		ctx := principal.With(t.Context(), principal.ForCompany(a.Owner.ID))
		require.NoError(t, numbers.SetTemplate(ctx, "loads.load", "X-{seq:3}"))
		require.NoError(t, a.DB.InTx(ctx, func(ctx context.Context) error {
			number, err := numbers.Next(ctx, "loads.load")
			require.Equal(t, "X-001", number)

			return err
		}))

		var action, changes string
		require.NoError(t, a.DB.Raw(ctx, "test").
			Raw("SELECT action, changes FROM audit_entries WHERE company_id = ?", a.Owner.ID).Row().Scan(&action, &changes))
		require.Equal(t, "numbering.template_changed", action)
		require.JSONEq(t, `{"loads.load":{"after":"X-{seq:3}","before":"L-{seq:5}"}}`, changes)
	})
}
