package trucks_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/drivers"
	"github.com/dispatchd/dispatchd/modules/fleets"
	"github.com/dispatchd/dispatchd/modules/trucks"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const path = "/trucks/api/v1/trucks"

type object = map[string]any

// each runs a test on each database, at noon of 2026-11-22 (UTC).
func each(t *testing.T, test func(t *testing.T, a *moduletest.App)) {
	t.Helper()
	at := func(clock.Clock) clock.Clock { return clock.NewFake(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)) }
	moduletest.BootEach(t, []module.Module{drivers.Module, fleets.Module, trucks.Module}, test, moduletest.With(fx.Decorate(at)))
}

func TestTruck_IsAssignedWithADriverAndValidDocuments(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		at := call(http.MethodPost, path, object{"unit": "12", "insurance_expires": "2026-11-21"}).OK(t).Header.Get("Location")
		call(http.MethodPost, at+"/assign", nil).Refused(t, http.StatusConflict, "trucks.no_driver")
		driver := call(http.MethodPost, "/drivers/api/v1/drivers", object{"name": "Ann Lee"}).OK(t)
		call(http.MethodPatch, at, object{"driver_uuid": driver.Get("uuid").String()}).OK(t)
		refused := call(http.MethodPost, at+"/assign", nil).Refused(t, http.StatusConflict, "trucks.document_expired")
		require.Equal(t, "The insurance of the truck expired on 2026-11-21.", refused.Get("message").String())
		call(http.MethodPatch, at, object{"insurance_expires": "2026-11-22"}).OK(t)
		require.Equal(t, "assigned", call(http.MethodPost, at+"/assign", nil).OK(t).Get("status").String(), "it expires at the end of the day")
		require.Equal(t, "Ann Lee", call(http.MethodGet, at+"?expand=driver", nil).OK(t).Get("expanded.driver.title").String())
	})
}

func TestTruck_IsAvailableAgainWithoutItsDriver(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(call func(method, path string, body any) moduletest.Response, truck, driver string){
		"the driver is deleted": func(call func(string, string, any) moduletest.Response, _, driver string) {
			call(http.MethodDelete, driver, nil).OK(t)
		},
		"the driver is taken off": func(call func(string, string, any) moduletest.Response, truck, _ string) {
			call(http.MethodPatch, truck, object{"driver_uuid": nil}).OK(t)
		},
		"the driver was deleted while the truck was": func(call func(string, string, any) moduletest.Response, truck, driver string) {
			call(http.MethodDelete, truck, nil).OK(t)
			call(http.MethodDelete, driver, nil).OK(t)
			call(http.MethodPost, truck+"/restore", nil).OK(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, a *moduletest.App) {
				t.Helper()
				call := func(method, path string, body any) moduletest.Response {
					return a.Call(t, a.Owner.Token, method, path, body)
				}
				driver := call(http.MethodPost, "/drivers/api/v1/drivers", object{"name": "Ann Lee"}).OK(t)
				at := call(http.MethodPost, path, object{"unit": "12", "driver_uuid": driver.Get("uuid").String()}).OK(t).Header.Get("Location")
				call(http.MethodPost, at+"/assign", nil).OK(t)
				lose(call, at, driver.Header.Get("Location"))
				read := call(http.MethodGet, at, nil).OK(t)
				require.Equal(t, "available", read.Get("status").String())
				require.Equal(t, "null", read.Get("driver_uuid").Raw)
				call(http.MethodPost, at+"/assign", nil).Refused(t, http.StatusConflict, "trucks.no_driver")
				require.Contains(t, a.Audited(t, a.Owner), "trucks.truck.release")
			})
		})
	}
}

func TestTruck_IsKeptInItsNormalForm(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := a.Call(t, a.Owner.Token, http.MethodPost, path, object{
			"unit": "12", "vin": "1m8gdm9axkp042788", "plate_state": "tx", "trailer_kind": "enclosed",
		}).OK(t)
		require.Equal(t, "1M8GDM9AXKP042788", made.Get("vin").String())
		require.Equal(t, "TX", made.Get("plate_state").String())
		require.True(t, made.Get("enclosed").Bool())
		require.Equal(t, int64(6), made.Get("slots").Int())
		taken := a.Call(t, a.Owner.Token, http.MethodPost, path, object{"unit": "13", "vin": "1M8GDM9AXKP042788"}).
			Refused(t, http.StatusConflict, "trucks.truck_taken")
		require.Equal(t, "The vin is taken by 12.", taken.Get("errors.vin.0").String())
		a.Call(t, a.Owner.Token, http.MethodPost, path, object{"unit": "14", "vin": "short"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		for _, unit := range []string{"15", "16"} {
			a.Call(t, a.Owner.Token, http.MethodPost, path, object{"unit": unit}).OK(t) // neither has a VIN
		}
	})
}

func TestTruck_TellsWhenADocumentExpiresUnlessItIsOutOfService(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		a.Call(t, a.Owner.Token, http.MethodPost, path, object{"unit": "12", "insurance_expires": "2026-11-29"}).OK(t)
		idle := a.Call(t, a.Owner.Token, http.MethodPost, path, object{"unit": "13", "insurance_expires": "2026-11-29"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPost, idle.Header.Get("Location")+"/withdraw", nil).OK(t)
		require.NoError(t, a.Resources.RaiseExpiries(t.Context()))
		raised := a.Events(t, a.Owner)
		require.Len(t, raised, 1)
		require.Equal(t, "trucks.truck.document_expiring", raised[0].Name)
		require.Equal(t, "insurance", raised[0].Get("document").String())
		require.Equal(t, int64(7), raised[0].Get("days").Int())
	})
}
