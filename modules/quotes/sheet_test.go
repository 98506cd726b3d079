package quotes_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/paper/papertest"
)

func TestRateSheet_SaysWhatIsOfferedAndNotWhatACarrierGets(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		t.Helper()
		load := d.post(t, "/loads/api/v1/quick_loads", object{
			"from": "75201", "to": "33101", "vehicles": []string{"2012 BMW X6"}, "customer": object{"name": "Ann Lee", "phone": "214 555 0143"}, "tariff": "1100.00", "carrier_pay": "871.00",
		}).OK(t).Get("load.uuid").String()
		quote := d.post(t, quotesPath, object{"load_uuid": load, "options": []object{{"key": "standard"}, {"key": "priority", "label": "Priority pickup", "surcharge": "150.00"}}}).OK(t).Get("uuid").String()
		d.post(t, quotesPath+"/"+quote+"/send", object{"tariff": "1100.00"}).OK(t)
		text := strings.Join(strings.Fields(papertest.Text(t, d.call(t, http.MethodGet, quotesPath+"/"+quote+"/pdf", nil).OK(t).Body)), " ")
		for _, want := range []string{"Rate sheet", "Valid until", "2012 BMW X6", "Dallas", "Miami", "About", "miles", "$1,100.00", "Priority pickup", "$1,250.00", "Due at booking", "estimates until the transport is booked"} {
			require.Contains(t, text, want)
		}
		require.NotContains(t, text, "Carrier pay")
		few := d.Token(t, d.Owner, "quotes:read")
		d.Call(t, few, http.MethodGet, quotesPath+"/"+quote+"/pdf", nil).Refused(t, http.StatusForbidden, "web.scope_missing")
	})
}
