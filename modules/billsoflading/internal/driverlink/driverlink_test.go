package driverlink

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/report"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/page"
)

func TestHeld_FindsTheBillOfAVehicle(t *testing.T) {
	t.Parallel()
	load, car, van := uuid.New(), uuid.New(), uuid.New()
	bill := func(v uuid.UUID) store.Bol {
		b := store.Bol{Load: load}
		b.ID = uuid.New()
		b.Vehicles.V = []store.Vehicle{{UUID: v}}

		return b
	}
	h := held{bols: []store.Bol{bill(car), bill(van)}}
	require.Equal(t, []uuid.UUID{load}, h.loads(), "each once")
	b, err := h.with(van)
	require.NoError(t, err)
	require.Equal(t, h.bols[1].ID, b.ID)
	_, err = h.with(uuid.New())
	require.ErrorIs(t, err, store.ErrInvalidEntry)
	_, there := h.bill(h.bols[0].ID)
	require.True(t, there)
	_, there = h.bill(uuid.New())
	require.False(t, there)
}

func TestInOrder_HasSignaturesAfterWhatIsSigned(t *testing.T) {
	t.Parallel()
	var all []syncOperation
	for _, kind := range []string{"signature", "submit", "damage", "inspection", "damage", "inspection"} {
		all = append(all, syncOperation{Kind: kind})
	}
	require.Equal(t, []int{3, 5, 2, 4, 1, 0}, inOrder(all), "those of a kind as they came")
	require.Empty(t, inOrder(nil))
}

func TestResultOf_IsAsTheOperationByItselfWouldHave(t *testing.T) {
	t.Parallel()
	made := recorded{"damage", uuid.New()}
	ok := resultOf(made, nil)
	require.Equal(t, []any{200, &made, ""}, []any{ok.Status, ok.Result, ok.Code})
	wrong := resultOf(recorded{}, store.ErrInvalidEntry.WithField("note", "The note is required without a code."))
	require.Equal(t, []any{422, (*recorded)(nil), "bills_of_lading.invalid_entry"}, []any{wrong.Status, wrong.Result, wrong.Code})
	require.Equal(t, map[string][]string{"note": {"The note is required without a code."}}, wrong.Errors)
	require.Equal(t, 409, resultOf(recorded{}, store.ErrSigned).Status)
}

func TestReceipt_IsOfOneEntryOnly(t *testing.T) {
	t.Parallel()
	was := kept{recorded{Kind: "damage"}, "sum"}
	require.NoError(t, was.refuseOther("damage", "sum"))
	require.ErrorIs(t, was.refuseOther("damage", "other"), store.ErrClientIDUsed)
	require.ErrorIs(t, was.refuseOther("inspection", "sum"), store.ErrClientIDUsed)
	require.NoError(t, kept{recorded{Kind: "damage"}, ""}.refuseOther("damage", "sum"), "older receipts have no checksum")
}

func TestPhoto_IsReadFromAForm(t *testing.T) {
	t.Parallel()
	vehicle, client, dent := uuid.New(), uuid.New(), uuid.New()
	e, err := photoOf(map[string]string{
		"vehicle_uuid": vehicle.String(), "client_id": client.String(), "damage_uuid": dent.String(), "stage": "delivery", "occurred_at": "2026-12-01T10:00:00Z",
		"lat": "32.78", "lng": "-96.8",
	})
	require.NoError(t, err)
	require.Equal(t, []any{vehicle, client, &dent, (*uuid.UUID)(nil), store.AtDelivery, "other"}, []any{e.Vehicle, e.ClientID, e.Damage, e.DamageClient, e.Stage, e.Subject})
	require.Equal(t, field.GeoPoint{Lat: "32.78", Lng: "-96.8"}, e.Position)
	require.True(t, e.OccurredAt.Equal(time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)))
	_, err = photoOf(map[string]string{"vehicle_uuid": "x", "stage": "lunch", "occurred_at": "today", "lat": "north", "lng": "west"})
	failure, _ := errors.AsType[*errs.Error](err)
	require.Equal(t, []string{"lat", "occurred_at", "stage", "vehicle_uuid"}, slices.Sorted(maps.Keys(failure.Fields)))
}

func TestSignLinkForm_SendsAnEMailOrAText(t *testing.T) {
	t.Parallel()
	for to, channel := range map[string]string{"ann@example.com": "email", "305 555 0143": "sms"} {
		require.Equal(t, []map[string]any{{"channel": channel, "address": to}}, signLinkForm(url.Values{"bol_uuid": {"b"}, "to": {to}}).(map[string]any)["to"])
	}
	require.NotContains(t, signLinkForm(url.Values{"bol_uuid": {"b"}}), "to")
}

func TestCollected_SaysWhatToTakeHowAndWhen(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]collected{
		"at the delivery $900.00 in cash":              {"900.00", "USD", "cash", "delivery"},
		"at the pickup $900.00 by Zelle":               {"900.00", "USD", "zelle", "pickup"},
		" $900.00 in cash or certified funds":          {"900.00", "USD", "", "booking"},
		"at the delivery $1,900.50 by certified check": {"1900.50", "USD", "certified_check", "delivery"},
	} {
		require.Equal(t, want, c.when()+" "+c.text())
	}
}

func TestDrivenLoad_HasWhatTheDriverNeedsAndNoPay(t *testing.T) {
	t.Parallel()
	id := uuid.NewString()
	l := drivenOf(loadsapi.CarrierView{
		ForCarrier: "Tarp it", CarrierPay: "900.00", References: []loadsapi.ViewReference{{Kind: "gate_pass", Value: "G-77"}},
		Stops: []loadsapi.CarrierStop{{
			UUID: id, Kind: "pickup", Notes: "Ask at the guard house", BuyerNumber: "B-99", Window: &loadsapi.ViewWindow{From: "2026-12-01", To: "2026-12-02"},
			Venue: loadsapi.CarrierVenue{Name: "Lone Star Auto", City: "Dallas", State: "TX", Appointment: true, TWIC: true, Hours: "Mon-Fri 8-17"}, Contacts: []loadsapi.ViewContact{{Name: "Di"}},
		}},
		Vehicles: []loadsapi.CarrierVehicle{{UUID: id, GatePass: "G-1", Buyer: "B-1", Keys: new(int64(2)), CarrierPay: "900.00", Notes: "Stiff clutch"}},
	})
	require.Equal(t, drivenWindow{"2026-12-01", "2026-12-02"}, l.Stops[0].Window)
	require.Equal(t, []string{}, l.Stops[0].Contacts[0].Phones, "no null in the response")
	require.Equal(t, []string{"Gate pass G-1", "Buyer number B-1", "Keys: 2", "Stiff clutch"}, l.Vehicles[0].releases())
	shown := l.card()
	require.Equal(t, "Pickup: Dallas, TX", shown.Stops[0].Title)
	var lines []string
	for _, line := range shown.Stops[0].Lines {
		lines = append(lines, line.Plain())
	}
	for _, want := range []string{"Hours: Mon-Fri 8-17", "An appointment is required. Call before you come.", "You need your TWIC card.", "Buyer number B-99", "Ask at the guard house"} {
		require.Contains(t, lines, want)
	}
	require.Equal(t, []string{"Gate pass G-77"}, shown.List)
	require.Equal(t, page.Lines("Tarp it"), shown.Lines)
}

func TestForms_AreThoseOfWhatIsDue(t *testing.T) {
	t.Parallel()
	done := &report.Inspection{State: store.Submitted}
	titles := func(b report.Report) (acts, aside []string, next string) {
		v := driverPage{BOLs: []report.Report{b}}.view()
		bill := v.Cards[len(v.Cards)-1]
		for _, a := range bill.Acts {
			acts = append(acts, a.Title)
		}
		for _, a := range bill.Aside {
			aside = append(aside, cmp.Or(a.Title, a.Verb))
		}

		return acts, aside, v.Heading
	}
	one := func(pickup *report.Inspection, signed ...report.Signature) report.Report {
		return report.Report{Due: store.AtPickup, Inspection: store.Standard, Vehicles: []report.Vehicle{{Pickup: pickup}}, Signatures: signed}
	}
	acts, _, next := titles(one(nil))
	require.Equal(t, "Inspect at the pickup", next)
	require.Empty(t, acts)
	acts, aside, next := titles(one(done))
	require.Equal(t, "Sign at the pickup", next)
	require.Equal(t, []string{"Driver", "Customer"}, acts)
	require.Equal(t, []string{"sign_links", "No one is there to sign"}, aside)
	acts, _, _ = titles(one(done, report.Signature{Stage: store.AtPickup, Role: store.Driver}))
	require.Equal(t, []string{"Customer"}, acts)
	acts, aside, _ = titles(one(done, report.Signature{Stage: store.AtPickup, Role: store.Releasing}))
	require.Equal(t, []string{"Driver"}, acts)
	require.Empty(t, aside)
	more := one(done)
	more.Inspection = store.Advanced
	_, aside, _ = titles(more)
	require.Equal(t, []string{"sign_links"}, aside, "the customer has to sign")
	_, _, next = titles(report.Report{})
	require.Equal(t, "All is signed", next)
}
