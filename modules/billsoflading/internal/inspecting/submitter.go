package inspecting

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Submitter completes inspections.
type Submitter struct {
	inspections *Inspections
	rows        *store.Repository
	settings    *settings.Settings[store.Preferences]
	bus         *events.Bus
	clock       clock.Clock
}

// NewSubmitter returns a Submitter.
func NewSubmitter(i *Inspections, rows *store.Repository, s *settings.Settings[store.Preferences], bus *events.Bus, c clock.Clock) *Submitter {
	return &Submitter{i, rows, s, bus, c}
}

// Submit completes the inspection of a vehicle, if it has all that its type requires.
func (k *Submitter) Submit(ctx context.Context, bill uuid.UUID, e SubmitEntry) (row store.Inspection, err error) {
	terms, err := k.settings.Read(ctx)
	if err != nil {
		return row, err
	}
	err = k.inspections.with(ctx, HandOver{bill, e.Vehicle, e.Stage}, func(ctx context.Context, o opened) error {
		if row = o.row; row.State == store.Submitted {
			return nil
		}
		damages, err := k.rows.DamagesOf(ctx, bill)
		if err != nil {
			return err
		}
		photos, err := k.rows.PhotosOf(ctx, bill)
		if err != nil {
			return err
		}
		if err := complete(terms.Now, o, damages, photos); err != nil {
			return err
		}
		now := k.clock.Now()
		at, ahead := o.bill.EventTime(e.OccurredAt, now)
		if row, err = k.inspections.change(ctx, o.row, store.VerbSubmit, func(row *store.Inspection) {
			row.State, row.SubmittedAt, row.ClockAhead = store.Submitted, &now, row.ClockAhead || ahead
			if row.InspectedAt == nil {
				row.InspectedAt = &at
			}
		}); err != nil {
			return err
		}

		return k.bus.Publish(ctx, billsofladingapi.Submitted{About: o.bill.About(), Inspection: row.ID.String(), Stage: string(row.Stage)})
	})

	return row, err
}

// complete refuses an inspection that lacks what its type requires. The damages and photos are those of the bill of lading.
func complete(terms store.Preferences, o opened, damages []store.Damaged, photos []store.Photo) error {
	damages = slices.DeleteFunc(damages, func(d store.Damaged) bool { return d.Inspection != o.row.ID })
	photos = slices.DeleteFunc(photos, func(p store.Photo) bool { return p.Inspection != o.row.ID })
	switch o.bill.Inspection {
	case store.Advanced:
		if have := int64(len(photos)); have < terms.Photos {
			return photosMissing(o.vehicle.Text(), have, terms.Photos)
		}
		if o.row.Position == (field.GeoPoint{}) {
			return store.ErrPositionNeeded.WithField("position", "Let the page use your location: "+o.vehicle.Text()+".")
		}
	case store.AIAG:
		if o.row.Skipped != "" && len(damages) > 0 {
			return store.ErrInvalidEntry.WithField("skipped_reason", "The inspection of a vehicle with damage cannot be skipped.")
		}
		for _, d := range damages {
			if d.System != store.AIAG {
				return store.ErrCodeNeeded.WithField("code", "The damage \""+d.Title+"\" needs a code of AIAG M-22.")
			}
			var have int64
			for _, p := range photos {
				if p.Shows(d) {
					have++
				}
			}
			if have < terms.DamagePhotos {
				return photosMissing(d.Title, have, terms.DamagePhotos)
			}
		}
	}

	return nil
}

// photosMissing says how many photos are missing.
func photosMissing(of string, have, want int64) *errs.Error {
	left := fmt.Sprintf("%d more photos", want-have)
	if want-have == 1 {
		left = "1 more photo"
	}

	return store.ErrPhotosMissing.WithField("photos", fmt.Sprintf("%s: %d of %d photos; %s.", of, have, want, left)).WithDetail("have", have).WithDetail("want", want)
}

// SubmitRoutes are the operations that complete inspections.
func SubmitRoutes(r *web.Router, k *Submitter) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/submissions", ID: "submit_inspection", Access: web.Write, Summary: "Complete an inspection",
		Description: "It must have what its type requires.", Errors: k.inspections.errors(),
	}, func(ctx context.Context, in *billEntry[SubmitEntry]) (*web.Resource[store.Inspection], error) {
		row, err := k.Submit(ctx, in.UUID, in.Body)

		return k.inspections.answer(ctx, row, err)
	})
}
