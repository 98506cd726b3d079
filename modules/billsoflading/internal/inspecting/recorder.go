package inspecting

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Recorder records how a vehicle was found.
type Recorder struct {
	inspections *Inspections
	vins        *VINChecks
	settings    *settings.Settings[store.Preferences]
	bus         *events.Bus
	clock       clock.Clock
}

// NewRecorder returns a Recorder.
func NewRecorder(i *Inspections, v *VINChecks, s *settings.Settings[store.Preferences], bus *events.Bus, c clock.Clock) *Recorder {
	return &Recorder{i, v, s, bus, c}
}

// Record stores what an entry says of a vehicle on a bill of lading.
func (k *Recorder) Record(ctx context.Context, bill uuid.UUID, e Entry) (row store.Inspection, err error) {
	terms, err := k.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	open := k.inspections.with
	if e.VIN != "" {
		open = k.inspections.withLoad
	}
	err = open(ctx, HandOver{bill, e.Vehicle, e.Stage}, func(ctx context.Context, o opened) error {
		if e.Skipped != "" && o.bill.Inspection != store.AIAG {
			return store.ErrInvalidEntry.WithField("skipped_reason", "Only inspections of the type aiag may be skipped, for clean vehicles.")
		}
		why, err := k.vins.identify(ctx, &o, normalVIN(e.VIN))
		if err != nil {
			return err
		}
		at, ahead := o.bill.EventTime(e.OccurredAt, k.clock.Now())
		if row, err = k.inspections.change(ctx, o.row, store.VerbRecord, func(row *store.Inspection) {
			row.InspectedAt, row.ClockAhead = &at, ahead
			e.fill(row)
			if e.VIN != "" {
				compareVIN(row, o.vehicle, why)
			}
			if row.Subject {
				until := at.Add(time.Duration(terms.Now.NoteHours) * time.Hour)
				row.NoteBy = &until
			}
		}); err != nil {
			return err
		}

		return k.warn(ctx, &row, e, o)
	})

	return row, err
}

// warn adds what may be wrong to an inspection, and publishes that it found another vehicle.
func (k *Recorder) warn(ctx context.Context, row *store.Inspection, e Entry, before opened) error {
	if e.Odometer != nil {
		other, err := k.inspections.counterpart(ctx, *row)
		if err != nil {
			return err
		}
		row.Warnings = odometerWarnings(*row, other)
	}
	if row.VINCheck != store.VINDiffers || before.row.VIN == row.VIN {
		return nil
	}

	return k.bus.Publish(ctx, billsofladingapi.VINDiffers{About: before.bill.About(), Inspection: row.ID.String(), Scanned: row.VIN})
}

// fill sets what the entry says. What it leaves out stays as it was recorded before.
func (e Entry) fill(row *store.Inspection) {
	row.Inspector = cmp.Or(strings.TrimSpace(e.Inspector), row.Inspector)
	row.VIN = cmp.Or(normalVIN(e.VIN), row.VIN)
	row.Odometer = cmp.Or(e.Odometer, row.Odometer)
	row.Unit = cmp.Or(e.Unit, row.Unit)
	row.Keys = cmp.Or(e.Keys, row.Keys)
	row.Fuel = cmp.Or(e.Fuel, row.Fuel)
	row.Drivable = cmp.Or(e.Drivable, row.Drivable)
	row.Weather = cmp.Or(e.Weather, row.Weather)
	row.Loose = cmp.Or(e.Loose, row.Loose)
	row.Notes = cmp.Or(e.Notes, row.Notes)
	row.Skipped = cmp.Or(strings.TrimSpace(e.Skipped), row.Skipped)
	row.Position = cmp.Or(e.Position, row.Position)
	row.Subject = e.Subject || row.Subject
}

// odometerWarnings warns of an odometer that shows less at the delivery than at the pickup. The other inspection is nil if there is none.
func odometerWarnings(row store.Inspection, other *store.Inspection) []store.EntryWarning {
	if other == nil {
		return nil
	}
	before, after := *other, row
	if row.Stage == store.AtPickup {
		before, after = row, *other
	}
	if before.Odometer == nil || after.Odometer == nil || tenthsOfMiles(after) >= tenthsOfMiles(before) {
		return nil
	}

	return []store.EntryWarning{{Code: "odometer_back", Field: "odometer", Message: fmt.Sprintf(
		"The odometer shows %d %s at the delivery, less than the %d %s at the pickup. Check the reading.", *after.Odometer, after.Unit, *before.Odometer, before.Unit)}}
}

// tenthsOfMiles is what an odometer shows, in tenths of a mile, rounded up.
func tenthsOfMiles(row store.Inspection) int64 {
	if row.Unit == "km" {
		return *row.Odometer*6214/1000 + 1 //nolint:mnd // tenths of a mile of a kilometer
	}

	return *row.Odometer * 10 //nolint:mnd // tenths
}

// billEntry is an entry for a bill of lading.
type billEntry[E any] struct {
	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body E
}

// RecordRoutes are the operations on how vehicles were found, such as for a driver on the phone.
func RecordRoutes(r *web.Router, k *Recorder) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/inspections", ID: "record_inspection", Access: web.Write, Summary: "Record how a vehicle was found",
		Description: "There is one inspection of a vehicle at a stage; what the body leaves out stays.", Errors: k.inspections.errors(),
	}, func(ctx context.Context, in *billEntry[Entry]) (*web.Resource[store.Inspection], error) {
		row, err := k.Record(ctx, in.UUID, in.Body)

		return k.inspections.answer(ctx, row, err)
	})
}

// errors are the failures of what is recorded of a vehicle.
func (k *Inspections) errors() []*errs.Error {
	return append([]*errs.Error{k.bols.NotFound()}, store.EntryErrors()...)
}

// answer is the response with an inspection.
func (k *Inspections) answer(ctx context.Context, row store.Inspection, err error) (*web.Resource[store.Inspection], error) {
	return k.kept.Answer(ctx, row, err)
}
