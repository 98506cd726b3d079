package loads_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReport_CountsWhatBecameOfLoads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		user := o.colleague(t, "=ann")
		body := o.sold(car("1100.10", "900.00"))
		body["assigned_user_uuid"] = user
		body["stops"] = stops()
		for i, s := range body["stops"].([]object) {
			s["window"] = object{"from": day(i), "to": day(i + 1), "kind": "estimated"}
		}
		o.step(t, o.made(t, body), "book", "clear", "cover", "pick_up", "deliver")
		for range 2 {
			body["vehicles"] = []object{car("500.25", "600.35")}
			o.step(t, o.made(t, body), "book")
		}
		o.post(t, o.made(t, body)+"/lose", object{"reason": "price"}).OK(t)
		o.post(t, o.made(t, o.sold(car("7.00", "1.00")))+"/cancel", object{"reason": "customer"}).Refused(t, http.StatusConflict, "state.not_allowed")
		gone := o.made(t, o.sold(car("7.00", "1.00")))
		o.step(t, gone, "book")
		o.post(t, gone+"/cancel", object{"reason": "customer"}).OK(t)

		report := func(name string) (row func(i int, keys ...string) []string) {
			got := o.get(t, base+"/reports/"+name).Get("data")

			return func(i int, keys ...string) (values []string) {
				for _, key := range keys {
					values = append(values, got.Array()[i].Get(key).String())
				}

				return values
			}
		}
		require.Equal(t, []string{user, "=ann", "USD", "4", "3", "1", "75.0", "2100.60", "-0.10", "0.0"},
			report("sales_by_user")(0, "assigned_user_uuid", "assigned_user_name", "currency", "leads", "booked", "lost", "conversion", "tariff", "broker_fee", "days_to_book"))
		require.Equal(t, []string{"", "6", "4"}, report("lead_sources")(0, "source_name", "leads", "booked"))
		require.Equal(t, []string{"752", "331", "4", "4", "2107.60", "2101.70"}, report("lanes")(0, "origin_zip3", "destination_zip3", "loads", "vehicles", "tariff", "carrier_pay"))
		require.Regexp(t, `^0\.\d{4}$`, report("lanes")(0, "tariff_per_mile")[0])
		require.Equal(t, []string{"Ann Lee", "3", "-0.10", "0.0"}, report("margin_by_customer")(0, "customer_name", "loads", "broker_fee", "margin"))
		require.Equal(t, []string{"Haul Co", "1", "0", "100.0", "100.0"}, report("on_time")(0, "carrier_name", "loads", "delivered_late", "picked_up_in_time", "delivered_in_time"))
		require.Equal(t, []string{"customer", "customer", "1"}, report("cancelled_by_reason")(0, "reason", "cancelled_by", "loads"))
		require.Equal(t, []string{"price", "1"}, report("lost_by_reason")(0, "reason", "loads"))
		require.Equal(t, []string{"TX", "6", "0", "0.0"}, report("inop_share")(0, "origin_state", "vehicles", "inoperable", "share"))
		require.Equal(t, []string{"booked", "2", "2", "0", "0.0"}, report("aging_by_state")(0, "state", "loads", "days_0_2", "days_31", "average_days"))
		require.Equal(t, []string{"Ann Lee", "1", "1100.10", "0.0"}, report("unbilled_delivered")(0, "customer_name", "loads", "tariff", "oldest_days"))

		file := o.call(t, http.MethodGet, base+"/reports/sales_by_user/csv", nil).OK(t)
		lines := strings.Split(string(file.Body), "\n")
		require.Equal(t, "assigned_user_uuid,assigned_user_name,currency,leads,quoted,booked,lost,conversion,tariff,broker_fee,days_to_book", lines[0])
		require.Equal(t, user+",'=ann,USD,4,0,3,1,75.0,2100.60,-0.10", lines[1][:strings.LastIndex(lines[1], ",")])
		require.Empty(t, o.get(t, base+"/reports/sales_by_user?from=2020-01-01&to=2020-12-31").Get("data").Array())
	})
}

func TestReport_RefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o office) {
		require.Len(t, o.get(t, base+"/reports").Get("data").Array(), 10)
		o.call(t, http.MethodGet, base+"/reports/profit", nil).Refused(t, http.StatusNotFound, "loads.report_not_found")
		for _, of := range []string{"from=2026-02-30", "from=2026-02-02&to=2026-02-01", "from=2024-01-01&to=2026-02-01"} {
			refused := o.call(t, http.MethodGet, base+"/reports/lanes?"+of, nil).Refused(t, http.StatusUnprocessableEntity, "loads.invalid_period")
			require.NotEmpty(t, refused.Get("errors.from").String(), of)
		}
	})
}
