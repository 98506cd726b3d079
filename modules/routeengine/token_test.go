package routeengine_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/companies"
	"github.com/dispatchd/dispatchd/modules/contacts"
	"github.com/dispatchd/dispatchd/modules/loads"
	"github.com/dispatchd/dispatchd/modules/vehicles"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

func TestQuoteToken_IsRefusedByWhoeverRedeemsIt(t *testing.T) {
	t.Parallel()
	all := append(modules(), attachments.Module, companies.Module, contacts.Module, loads.Module, vehicles.Module)
	moduletest.BootEach(t, all, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		refused := a.Call(t, a.Owner.Token, http.MethodPost, "/loads/api/v1/quick_loads", map[string]any{
			"quote_token": "made up", "customer": map[string]any{"name": "Bo", "phone": "214 555 0144"},
		}).Refused(t, http.StatusUnprocessableEntity, "route_engine.invalid_quote_token")
		require.NotEmpty(t, refused.Get("errors.quote_token.0").String())
		require.Empty(t, a.EventNames(t, a.Owner, "loads.load.", "contacts.contact.created"))
	})
}
