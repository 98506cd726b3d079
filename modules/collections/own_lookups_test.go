package collections_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOwnFields_AreNoLookups(t *testing.T) {
	t.Parallel()
	eachExtended(t, func(t *testing.T, y yard) {
		t.Helper()
		dealers := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Dealers", "fields": []object{{"key": "name", "type": "text"}}}).OK(t)
		y.addOwnField(t, object{"key": "dealer", "type": "reference", "options": object{"module_uuid": dealers.Get("uuid").String()}})
		refused := y.Call(t, y.Owner.Token, http.MethodPost, ownFields, object{
			"key": "dealer_name", "type": "lookup", "options": object{"reference": "dealer", "field": "name"},
		})
		invalid(t, refused, "custom_modules.invalid_definition", "type")
		require.Contains(t, refused.Get("errors.type.0").String(), "cannot be a lookup")
	})
}
