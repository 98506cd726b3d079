package resource_test

import (
	"net/http"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// lift is a row of lifts_lifts, with documents that expire.
type lift struct {
	resource.Row

	Name              string     `json:"name" field:"required,title"`
	Retired           bool       `json:"retired"`
	PermitExpires     field.Date `json:"permit_expires" field:"expires,sort"`
	InspectionExpires field.Date `json:"inspection_expires" field:"expires"`
}

func (lift) TableName() string { return "lifts_lifts" }

type liftExpiring struct {
	Document string     `json:"document"`
	On       field.Date `json:"expires_on"`
	Days     int        `json:"days"`
}

func (liftExpiring) EventName() string { return "lifts.lift.document_expiring" }

func lifts() []module.Module {
	return []module.Module{module.New("lifts", "Lifts",
		resource.Of(resource.Rules[lift]{Item: "lifts.lift", Sort: []string{"permit_expires"}, Expiring: func(l lift, e resource.Expiry) events.Event {
			if l.Retired {
				return nil
			}

			return liftExpiring{e.Document, e.On, e.Days}
		}}),
		migrate.Files(fstest.MapFS{"00001_create_lifts.sql": {Data: []byte(`-- +goose Up
CREATE TABLE lifts_lifts (company_id uuid NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created_at timestamptz NOT NULL, created_by uuid,
    updated_at timestamptz NOT NULL, updated_by uuid, deleted_at timestamptz, name text NOT NULL, retired boolean NOT NULL,
    permit_expires date, inspection_expires date, PRIMARY KEY (company_id, id));
-- +goose Down
DROP TABLE lifts_lifts;
`)}}),
	)}
}

// expiring is a service whose clock the test moves.
type expiring struct {
	*moduletest.App

	at *clock.Fake
}

const liftsPath = "/lifts/api/v1/lifts"

func eachExpiring(t *testing.T, test func(t *testing.T, a expiring)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		at := clock.NewFake(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
		test(t, expiring{moduletest.Boot(t, url, lifts(), moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return at }))), at})
	})
}

func (a expiring) create(t *testing.T, of moduletest.Company, body object) string {
	t.Helper()

	return a.Call(t, of.Token, http.MethodPost, liftsPath, body).OK(t).Header.Get("Location")
}

// raised are the events of a company, once all are raised that are due.
func (a expiring) raised(t *testing.T, of moduletest.Company) []string {
	t.Helper()
	require.NoError(t, a.Resources.RaiseExpiries(t.Context()))
	texts := []string{}
	for _, e := range a.Events(t, of) {
		texts = append(texts, e.Get("document").String()+" "+e.Get("expires_on").String()+" "+e.Get("days").String())
	}

	return texts
}

func TestExpiries_AreRaisedOnceForEachNoticeAndDate(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, a expiring) {
		t.Helper()
		at := a.create(t, a.Owner, object{"name": "North", "permit_expires": "2026-12-23"})
		require.Empty(t, a.raised(t, a.Owner), "31 days are left")
		want := []string{}
		for _, step := range []struct {
			later  int // days
			raised string
		}{{1, "30"}, {0, ""}, {15, ""}, {1, "14"}, {7, "7"}, {5, ""}, {1, "1"}, {1, "0"}, {1, ""}} {
			a.at.Advance(time.Duration(step.later) * 24 * time.Hour)
			if step.raised != "" {
				want = append(want, "permit 2026-12-23 "+step.raised)
			}
			require.Equal(t, want, a.raised(t, a.Owner))
		}
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"permit_expires": "2026-12-26"}).OK(t)
		want = append(want, "permit 2026-12-26 2")
		require.Equal(t, want, a.raised(t, a.Owner), "a new date begins anew, with the notice that it is near")
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"permit_expires": "2026-12-23"}).OK(t)
		require.Equal(t, want, a.raised(t, a.Owner), "of that date all was raised")
	})
}

func TestExpiries_GoByTheCalendarOfTheCompany(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, a expiring) {
		t.Helper()
		east := a.NewCompany(t)
		company, err := a.Identity.Company(t.Context(), east.ID)
		require.NoError(t, err)
		company.TimeZone = "Pacific/Kiritimati" // it is 02:00 of the next day
		_, err = a.Identity.UpdateCompany(t.Context(), company)
		require.NoError(t, err)
		for _, of := range []moduletest.Company{a.Owner, east} {
			a.create(t, of, object{"name": "Permit", "permit_expires": "2026-11-23", "inspection_expires": "2026-12-23"})
		}
		require.Equal(t, []string{"permit 2026-11-23 1"}, a.raised(t, a.Owner))
		require.ElementsMatch(t, []string{"permit 2026-11-23 0", "inspection 2026-12-23 30"}, a.raised(t, east))
	})
}

func TestExpiries_LeaveOutWhatIsDeletedLongOverOrOfNoInterest(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, a expiring) {
		t.Helper()
		const near, days = "2027-03-02", 99 // the schedule, which runs when the service starts, finds nothing near
		a.create(t, a.Owner, object{"name": "Retired", "retired": true, "permit_expires": near})
		a.create(t, a.Owner, object{"name": "Long over", "permit_expires": "2027-01-10"})
		a.Call(t, a.Owner.Token, http.MethodDelete, a.create(t, a.Owner, object{"name": "Deleted", "permit_expires": near}), nil).OK(t)
		a.create(t, a.Owner, object{"name": "Over", "permit_expires": "2027-02-19"})
		suspended := a.NewCompany(t)
		a.create(t, suspended, object{"name": "Waits", "permit_expires": near})
		require.NoError(t, a.Identity.SuspendCompany(t.Context(), suspended.ID))

		a.at.Advance(days * 24 * time.Hour)
		require.Equal(t, []string{"permit 2027-02-19 -10"}, a.raised(t, a.Owner))
		require.Empty(t, a.raised(t, suspended))
	})
}

func TestDate_IsFilteredSortedAndTakenAway(t *testing.T) {
	t.Parallel()
	eachExpiring(t, func(t *testing.T, a expiring) {
		t.Helper()
		at := a.create(t, a.Owner, object{"name": "Later", "permit_expires": "2027-02-01"})
		a.create(t, a.Owner, object{"name": "Sooner", "permit_expires": "2027-01-31"})
		a.create(t, a.Owner, object{"name": "None"})
		names := func(query string) string {
			return a.Call(t, a.Owner.Token, http.MethodGet, liftsPath+query, nil).OK(t).Get("data.#.name").Raw
		}
		require.JSONEq(t, `["Sooner","Later","None"]`, names(""))
		require.JSONEq(t, `["Later","Sooner"]`, names("?sort=-permit_expires&per_page=2"))
		require.JSONEq(t, `["Later"]`, names("?filter[permit_expires][gt]=2027-01-31"))
		a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"permit_expires": "2027-02-30"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		require.Equal(t, "null", a.Call(t, a.Owner.Token, http.MethodPatch, at, object{"permit_expires": nil}).OK(t).Get("permit_expires").Raw)
	})
}
