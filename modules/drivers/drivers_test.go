package drivers_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/drivers"
	"github.com/dispatchd/dispatchd/modules/fleets"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const path = "/drivers/api/v1/drivers"

type object = map[string]any

// each runs a test on each database, at noon of 2026-11-22 (UTC).
func each(t *testing.T, test func(t *testing.T, a *moduletest.App)) {
	t.Helper()
	at := func(clock.Clock) clock.Clock { return clock.NewFake(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)) }
	moduletest.BootEach(t, []module.Module{drivers.Module, fleets.Module}, test, moduletest.With(fx.Decorate(at)))
}

func TestDriver_IsKeptInItsNormalFormWithTheLicenseForThoseWhoMaySeeIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := a.Call(t, a.Owner.Token, http.MethodPost, path, object{
			"name": "Ann Lee", "phone": "(202) 555-0143", "email": "Ann@Example.com", "license_number": "T123", "license_state": "tx",
			"hazmat_expires": "2027-01-01",
		}).OK(t)
		require.Equal(t, "+12025550143", made.Get("phone").String())
		require.Equal(t, "ann@example.com", made.Get("email").String())
		require.Equal(t, "TX", made.Get("license_state").String())
		require.Equal(t, "null", made.Get("hazmat_expires").Raw, "there is no endorsement")
		require.Equal(t, "invited", made.Get("status").String())
		require.Equal(t, "T123", made.Get("license_number").String())
		reader := a.Token(t, a.Owner, "drivers:read")
		require.Equal(t, "null", a.Call(t, reader, http.MethodGet, made.Header.Get("Location"), nil).OK(t).Get("license_number").Raw)
	})
}

func TestDriver_TellsOfEachDocumentThatExpiresWhileDriving(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		for _, name := range []string{"Ann Lee", "Bob Ray"} {
			made := a.Call(t, a.Owner.Token, http.MethodPost, path, object{
				"name": name, "license_expires": "2026-12-22", "medical_expires": "2026-11-22",
			}).OK(t)
			if name == "Bob Ray" {
				a.Call(t, a.Owner.Token, http.MethodPost, made.Header.Get("Location")+"/deactivate", nil).OK(t)
			}
		}
		require.NoError(t, a.Resources.RaiseExpiries(t.Context()))
		days := map[string]int64{}
		for _, e := range a.Events(t, a.Owner) {
			days[e.Name+" "+e.Get("document").String()] += e.Get("days").Int() + 1
		}
		require.Equal(t, map[string]int64{"drivers.driver.document_expiring license": 31, "drivers.driver.document_expiring medical": 1}, days)
	})
}

// expiring is the query that docs/drivers.md names.
const expiring = "?filter[status][ne]=inactive&filter[or][0][license_expires][lte]=today%2B30d&filter[or][1][medical_expires][lte]=today%2B30d" +
	"&filter[or][2][twic_expires][lte]=today%2B30d&filter[or][3][hazmat_expires][lte]=today%2B30d"

func TestDrivers_AreListedWhoseDocumentsExpireWithinDays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		for name, values := range map[string]object{
			"Ann": {"license_expires": "2026-12-22"}, "Bob": {"license_expires": "2026-12-23"}, "Cid": {"license_expires": "2027-12-22", "twic_expires": "2026-11-01"},
			"Dan": {}, "Eve": {"medical_expires": "2026-11-22"}, "Fay": {"hazmat": true, "hazmat_expires": "2026-11-30"},
		} {
			values["name"] = name
			made := a.Call(t, a.Owner.Token, http.MethodPost, path, values).OK(t)
			if name == "Eve" {
				a.Call(t, a.Owner.Token, http.MethodPost, made.Header.Get("Location")+"/deactivate", nil).OK(t)
			}
		}
		require.Equal(t, `["Ann","Cid","Fay"]`, a.Call(t, a.Owner.Token, http.MethodGet, path+expiring, nil).OK(t).Get("data.#.name").Raw)
	})
}

func TestDriver_LeavesAFleetThatIsDeleted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		fleet := a.Call(t, a.Owner.Token, http.MethodPost, "/fleets/api/v1/fleets", object{"name": "Texas"}).OK(t)
		id := fleet.Get("uuid").String()
		at := a.Call(t, a.Owner.Token, http.MethodPost, path, object{"name": "Ann Lee", "fleet_uuid": id}).OK(t).Header.Get("Location")
		require.Equal(t, "Ann Lee", a.Call(t, a.Owner.Token, http.MethodGet, path+"?filter[fleet_uuid]="+id, nil).OK(t).Get("data.0.name").String())
		a.Call(t, a.Owner.Token, http.MethodDelete, fleet.Header.Get("Location"), nil).OK(t)
		require.Equal(t, "null", a.Call(t, a.Owner.Token, http.MethodGet, at, nil).OK(t).Get("fleet_uuid").Raw)
		other := a.Call(t, a.NewCompany(t).Token, http.MethodPost, "/fleets/api/v1/fleets", object{"name": "Texas"}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"fleet_uuid": other.Get("uuid").String()}).
			Refused(t, http.StatusUnprocessableEntity, "drivers.invalid_driver")
	})
}
