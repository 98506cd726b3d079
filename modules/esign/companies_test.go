package esign_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestMapping_FillsFromTheCompanyItself(t *testing.T) {
	t.Parallel()
	eachOffice(t, func(t *testing.T, o office) {
		t.Helper()
		o.ask(t, http.MethodPatch, "/companies/api/v1/company", object{
			"dba": "Blue Ridge", "address": object{"street": "1 Main St", "city": "Tulsa", "state": "OK", "postal_code": "74103", "country": "US"},
		}).OK(t)
		made := post(t, o.App, "/mappings", object{
			"name": "Who we are", "template_uuid": o.template, "item_type": "companies.company", "rules": []object{
				{"role": "Carrier", "label": "carrier_name", "field": "dba", "format": object{"case": "upper"}},
				{"role": "Shipper", "label": "pickup_address", "text": "{{ item.address.street }}, {{ item.address.city }}"},
			},
		}).OK(t)
		preview := "/mappings/" + made.Get("uuid").String() + "/preview"
		got := string(post(t, o.App, preview, object{"item_uuid": o.Owner.ID}).OK(t).Body)
		require.Contains(t, got, "BLUE RIDGE")
		require.Contains(t, got, "1 Main St, Tulsa")
		post(t, o.App, preview, object{"item_uuid": uuid.New()}).Refused(t, http.StatusUnprocessableEntity, "esign.invalid")
	})
}
