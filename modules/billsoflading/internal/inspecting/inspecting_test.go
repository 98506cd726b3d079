package inspecting

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/damage"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
)

// codeOf is the code of a refusal, "" for none.
func codeOf(err error) string {
	failure, refused := errors.AsType[*errs.Error](err)
	if !refused {
		return ""
	}

	return failure.Code
}

func TestChangeable_UntilTheStageIsSigned(t *testing.T) {
	t.Parallel()
	pickup := []store.Signature{{Stage: store.AtPickup, Role: store.Driver}}
	for _, c := range []struct {
		state store.State
		at    store.Stage
		by    []store.Signature
		code  string
	}{
		{store.Draft, store.AtPickup, nil, ""},
		{store.Issued, store.AtPickup, nil, ""},
		{store.Issued, store.AtPickup, pickup, "bills_of_lading.signed_already"}, // by one side is enough
		{store.Issued, store.AtDelivery, nil, "bills_of_lading.not_now"},
		{store.PickupSigned, store.AtPickup, pickup, "bills_of_lading.signed_already"},
		{store.PickupSigned, store.AtDelivery, pickup, ""},
		{store.DeliverySigned, store.AtDelivery, nil, "bills_of_lading.signed_already"},
		{store.Closed, store.AtDelivery, nil, "bills_of_lading.signed_already"},
		{store.Transferred, store.AtDelivery, nil, "bills_of_lading.signed_already"},
		{store.Voided, store.AtPickup, nil, "bills_of_lading.void"},
	} {
		require.Equal(t, c.code, codeOf(changeable(store.Bol{State: c.state}, c.at, c.by)), "%s at the %s", c.state, c.at)
	}
}

func TestCompareVIN_SaysHowTheVehicleIsFound(t *testing.T) {
	t.Parallel()
	const ours, other = "1HGCM82633A004352", "1HGCM82633A004353"
	for name, c := range map[string]struct {
		scanned, was, load, why string
		want, note              string
	}{
		"nothing scanned":                          {"", store.VINNone, ours, "", store.VINNone, ""},
		"the load's":                               {ours, store.VINNone, ours, "", store.VINMatches, ""},
		"the load's, written with spaces":          {ours, store.VINNone, " 1hgcm 82633a004352", "", store.VINMatches, ""},
		"another one":                              {other, store.VINNone, ours, "", store.VINDiffers, ""},
		"another one that the company accepted":    {other, store.VINAccepted, ours, "", store.VINAccepted, ""},
		"scanned again, and right":                 {ours, store.VINAccepted, ours, "", store.VINMatches, ""},
		"the load has none, and nothing speaks up": {other, store.VINNone, "", "", store.VINNone, ""},
		"the load has none, and it contradicts":    {other, store.VINNone, "", "It is a Ford.", store.VINDiffers, "It is a Ford."},
	} {
		row := store.Inspection{VIN: c.scanned, VINCheck: c.was}
		compareVIN(&row, store.Vehicle{VIN: c.load}, c.why)
		require.Equal(t, []string{c.want, c.note}, []string{row.VINCheck, row.VINNote}, name)
	}
}

func TestOtherVehicle_StaysUntilTheCompanyAcceptsIt(t *testing.T) {
	t.Parallel()
	car := store.Vehicle{UUID: uuid.New(), Make: "Honda", Model: "Accord"}
	var b store.Bol
	b.Vehicles.V = []store.Vehicle{car}
	row := store.Inspection{Stage: store.AtPickup, Vehicle: car.UUID, VIN: "OTHER", VINCheck: store.VINDiffers, VINNote: "It is a Ford."}
	wrong := otherVehicle(row, b, "OURS")
	require.ErrorIs(t, wrong, store.ErrVINDiffers)
	require.ErrorContains(t, wrong, "The VIN found on the Honda Accord is OTHER, that of the load is OURS.")
	require.ErrorContains(t, otherVehicle(row, b, ""), "is OTHER. It is a Ford. Correct the vehicle on the load")
	require.NoError(t, otherVehicle(row, b, "other"), "the load has it by now")
	row.VINCheck = store.VINAccepted
	require.NoError(t, otherVehicle(row, b, "OURS"))
	row.VINCheck, row.Stage = store.VINDiffers, store.AtDelivery
	require.NoError(t, otherVehicle(row, b, "OURS"), "at the delivery it is too late")
}

func TestReady_WantsAllVehiclesInspectedAtTheStage(t *testing.T) {
	t.Parallel()
	var b store.Bol
	b.Vehicles.V = []store.Vehicle{{UUID: uuid.New(), Make: "Honda", VIN: "OURS"}, {UUID: uuid.New(), Make: "Ford"}}
	done := func(i int, at store.Stage) store.Inspection {
		return store.Inspection{Vehicle: b.Vehicles.V[i].UUID, Stage: at, State: store.Submitted}
	}
	require.Equal(t, "bills_of_lading.inspections_missing", codeOf(Ready(b, nil, store.AtPickup)))
	half := Ready(b, []store.Inspection{done(0, store.AtPickup), done(1, store.AtDelivery)}, store.AtPickup)
	failure, _ := errors.AsType[*errs.Error](half)
	require.Equal(t, map[string][]string{"vehicles.1": {"The vehicle is not inspected: Ford, does not run."}}, failure.Fields)
	all := []store.Inspection{done(0, store.AtPickup), done(1, store.AtPickup)}
	require.NoError(t, Ready(b, all, store.AtPickup))
	all[1].State = store.Open
	require.Equal(t, "bills_of_lading.inspections_missing", codeOf(Ready(b, all, store.AtPickup)))
	all[1].State, all[0].VIN, all[0].VINCheck = store.Submitted, "OTHER", store.VINDiffers
	require.Equal(t, "bills_of_lading.vin_differs", codeOf(Ready(b, all, store.AtPickup)))
	all[0].Stage, all[1].Stage = store.AtDelivery, store.AtDelivery
	require.NoError(t, Ready(b, all, store.AtDelivery))
}

func TestComplete_AsksForWhatTheTypeOfInspectionRequires(t *testing.T) {
	t.Parallel()
	row := store.Inspection{}
	row.ID = uuid.New()
	here := field.GeoPoint{Lat: "32.78", Lng: "-96.8"}
	dent := store.Damaged{Inspection: row.ID, System: store.AIAG, Title: "Door: Dent, small"}
	dent.ID = uuid.New()
	shot := store.Photo{Inspection: row.ID, Damage: &dent.ID}
	other := store.Photo{Inspection: uuid.New()}
	lettered := dent
	lettered.System = "letters"
	for name, c := range map[string]struct {
		kind    string
		change  func(row *store.Inspection)
		damages []store.Damaged
		photos  []store.Photo
		code    string
	}{
		"standard asks for nothing":            {kind: store.Standard},
		"advanced without photos":              {kind: store.Advanced, code: "bills_of_lading.photos_missing"},
		"photos of others do not count":        {kind: store.Advanced, photos: []store.Photo{shot, other}, code: "bills_of_lading.photos_missing"},
		"advanced without a position":          {kind: store.Advanced, photos: []store.Photo{shot, shot}, code: "bills_of_lading.position_needed"},
		"advanced with both":                   {kind: store.Advanced, photos: []store.Photo{shot, shot}, change: func(r *store.Inspection) { r.Position = here }},
		"AIAG without damage":                  {kind: store.AIAG},
		"AIAG, skipped for a clean vehicle":    {kind: store.AIAG, change: func(r *store.Inspection) { r.Skipped = "Clean" }},
		"AIAG, skipped in spite of damage":     {kind: store.AIAG, change: func(r *store.Inspection) { r.Skipped = "Clean" }, damages: []store.Damaged{dent}, code: "bills_of_lading.invalid_entry"},
		"AIAG with letters":                    {kind: store.AIAG, damages: []store.Damaged{lettered}, code: "bills_of_lading.code_needed"},
		"AIAG with too few photos of a damage": {kind: store.AIAG, damages: []store.Damaged{dent}, photos: []store.Photo{shot}, code: "bills_of_lading.photos_missing"},
		"AIAG with enough":                     {kind: store.AIAG, damages: []store.Damaged{dent}, photos: []store.Photo{shot, shot}},
		"standard does not look at damage":     {kind: store.Standard, damages: []store.Damaged{lettered}},
	} {
		o := opened{bill: store.Bol{Inspection: c.kind}, row: row}
		if c.change != nil {
			c.change(&o.row)
		}
		err := complete(store.Preferences{Photos: 2, DamagePhotos: 2}, o, c.damages, c.photos)
		require.Equal(t, c.code, codeOf(err), name)
	}
}

func TestPhotosMissing_CountsInWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Accord: 5 of 6 photos; 1 more photo."}, photosMissing("Accord", 5, 6).Fields["photos"])
	few := photosMissing("Accord", 4, 6)
	require.Equal(t, []string{"Accord: 4 of 6 photos; 2 more photos."}, few.Fields["photos"])
	require.Equal(t, map[string]any{"have": int64(4), "want": int64(6)}, few.Details)
}

func TestOdometer_IsCheckedAcrossStagesAndUnits(t *testing.T) {
	t.Parallel()
	at := func(stage store.Stage, shows int64, unit string) store.Inspection {
		return store.Inspection{Stage: stage, Odometer: &shows, Unit: unit}
	}
	for name, c := range map[string]struct {
		pickup, delivery store.Inspection
		warned           bool
	}{
		"further":                      {at(store.AtPickup, 41_200, "mi"), at(store.AtDelivery, 42_500, "mi"), false},
		"as far":                       {at(store.AtPickup, 41_200, "mi"), at(store.AtDelivery, 41_200, "mi"), false},
		"less":                         {at(store.AtPickup, 41_200, "mi"), at(store.AtDelivery, 41_199, "mi"), true},
		"further, in kilometers":       {at(store.AtPickup, 41_200, "mi"), at(store.AtDelivery, 68_000, "km"), false},
		"less, in kilometers":          {at(store.AtPickup, 41_200, "mi"), at(store.AtDelivery, 60_000, "km"), true},
		"rounding is no turning back":  {at(store.AtPickup, 100, "mi"), at(store.AtDelivery, 161, "km"), false},
		"not read at the delivery yet": {at(store.AtPickup, 41_200, "mi"), store.Inspection{Stage: store.AtDelivery}, false},
	} {
		require.Equal(t, c.warned, len(odometerWarnings(c.delivery, &c.pickup)) > 0, name)
		require.Equal(t, c.warned, len(odometerWarnings(c.pickup, &c.delivery)) > 0, "%s, entered in the other order", name)
	}
	require.Empty(t, odometerWarnings(at(store.AtPickup, 1, "mi"), nil))
	warning := odometerWarnings(at(store.AtDelivery, 60_000, "km"), &store.Inspection{Stage: store.AtPickup, Odometer: new(int64(41_200)), Unit: "mi"})
	require.Equal(t, "The odometer shows 60000 km at the delivery, less than the 41200 mi at the pickup. Check the reading.", warning[0].Message)
}

func TestTitle_IsWhatTheCodeMeans(t *testing.T) {
	t.Parallel()
	codes, err := damage.Load()
	require.NoError(t, err)
	for _, c := range []struct{ system, code, note, title, failure string }{
		{"letters", "SC", "", "Scuffed", ""},
		{"letters", "ZZZ", "", "", "bills_of_lading.code_unknown"},
		{store.AIAG, "1404", "", "", "bills_of_lading.code_unknown"},
		{store.AIAG, "99999", "", "", "bills_of_lading.code_unknown"},
		{"custom", "", "Smells of smoke", "Smells of smoke", ""},
		{"custom", "", "", "", "bills_of_lading.invalid_entry"},
	} {
		title, err := titleOf(codes, store.Damaged{System: c.system, Code: c.code, Note: c.note})
		require.Equal(t, []string{c.title, c.failure}, []string{title, codeOf(err)}, "%s %s", c.system, c.code)
	}
	title, err := titleOf(codes, store.Damaged{System: store.AIAG, Code: "14042"})
	require.NoError(t, err)
	require.Regexp(t, `^[^:]+: [^,]+, .+$`, title, "area, type and severity")
}

func TestEntry_LeavesWhatItDoesNotSay(t *testing.T) {
	t.Parallel()
	row := store.Inspection{
		Inspector: "Bo", VIN: "1HG", Odometer: new(int64(41_200)), Unit: "mi", Keys: new(int64(2)), Drivable: "yes", Weather: "wet", Notes: "Dusty", Subject: true,
	}
	was := row
	Entry{}.fill(&row)
	require.Equal(t, was, row)
	Entry{Inspector: " Cy ", VIN: "2hg cm", Keys: new(int64(0)), Weather: "dry", Skipped: " Clean "}.fill(&row)
	require.Equal(t, []string{"Cy", "2HGCM", "dry", "Clean", "Dusty"}, []string{row.Inspector, row.VIN, row.Weather, row.Skipped, row.Notes})
	require.Equal(t, []int64{41_200, 0}, []int64{*row.Odometer, *row.Keys}, "no keys is something said")
}
