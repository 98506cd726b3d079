package inspecting

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/damage"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mostEntries is how many damages, and how many photos, a vehicle may have at a stage.
const mostEntries = 200

// Damages records the damages that inspections find.
type Damages struct {
	inspections *Inspections
	kept        *resource.Resource[store.Damaged]
	rows        *store.Repository
	bus         *events.Bus
	codes       damage.Codes
}

// NewDamages returns Damages.
func NewDamages(i *Inspections, kept *resource.Resource[store.Damaged], rows *store.Repository, bus *events.Bus) (*Damages, error) {
	codes, err := damage.Load()

	return &Damages{i, kept, rows, bus, codes}, err
}

// Record stores a damage that was found on a vehicle.
func (k *Damages) Record(ctx context.Context, bill uuid.UUID, e DamageEntry) (made store.Damaged, err error) {
	d := store.Damaged{
		Stage: e.Stage, Vehicle: e.Vehicle, System: cmp.Or(e.System, "letters"), Code: strings.ToUpper(strings.TrimSpace(e.Code)), Side: cmp.Or(e.Side, "unknown"),
		X: e.X, Y: e.Y, Size: e.Size, Note: strings.TrimSpace(e.Note), Claim: "open",
	}
	if e.ClientID != uuid.Nil {
		d.Client = &e.ClientID
	}
	if d.Title, err = titleOf(k.codes, d); err != nil {
		return made, err
	}
	err = k.inspections.with(ctx, HandOver{bill, e.Vehicle, e.Stage}, func(ctx context.Context, o opened) error {
		n, err := k.rows.DamageCount(ctx, o.row.ID)
		if err == nil && n >= mostEntries {
			err = store.ErrTooMany.WithMessage("The vehicle already has %d damages at the %s, the maximum.", n, e.Stage)
		}
		if err != nil {
			return err
		}
		d.Inspection, d.BOL, d.Load = o.row.ID, o.bill.ID, &o.bill.Load
		if e.Stage == store.AtDelivery {
			before, err := k.rows.DamagesOf(ctx, bill)
			if err != nil {
				return err
			}
			d.Existing = slices.ContainsFunc(before, func(other store.Damaged) bool { return other.Stage == store.AtPickup && other.Key() == d.Key() })
		}
		if made, err = k.kept.Create(ctx, d); err != nil {
			return err
		}

		return k.bus.Publish(ctx, billsofladingapi.DamageRecorded{
			About: o.bill.About(), Damage: made.ID.String(), Stage: string(e.Stage), New: e.Stage == store.AtDelivery && !d.Existing,
		})
	})

	return made, err
}

// titleOf is what the code of a damage means, or the note of one without a code. Errors: ErrCodeUnknown, ErrInvalidEntry.
func titleOf(codes damage.Codes, d store.Damaged) (string, error) {
	switch d.System {
	case store.AIAG:
		area, kind, severity, ok := codes.AIAG(d.Code)
		if !ok {
			return "", store.ErrCodeUnknown.WithField("code", "The code must be five digits of AIAG M-22: area, type and severity, such as 14042.")
		}

		return area.Label + ": " + kind.Label + ", " + severity.Label, nil
	case "letters":
		code, ok := codes.Letter(d.Code)
		if !ok {
			return "", store.ErrCodeUnknown.WithField("code", "The code must be one of the letters of GET /damage_codes, such as SC.")
		}

		return code.Label, nil
	}
	if d.Note == "" {
		return "", store.ErrInvalidEntry.WithField("note", "The note is required without a code.")
	}

	return d.Note, nil
}

// remove takes a damage off an inspection that was not signed.
func (k *Damages) remove(ctx context.Context, id uuid.UUID, match web.IfMatch) error {
	row, err := k.kept.Find(ctx, id)
	if err != nil {
		return err
	}

	return k.inspections.with(ctx, HandOver{row.BOL, row.Vehicle, row.Stage}, func(ctx context.Context, _ opened) error {
		return k.kept.Delete(ctx, id, match)
	})
}

type removeInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
}

type (
	codesOutput struct{ Body codesBody }
	codesBody   struct {
		Areas      []damage.Code `json:"areas" nullable:"false"`
		Types      []damage.Code `json:"types" nullable:"false"`
		Severities []damage.Code `json:"severities" nullable:"false"`
		Letters    []damage.Code `json:"letters" nullable:"false"`
	}
)

// SchemaName is the name of the body in the OpenAPI document.
func (codesBody) SchemaName() string { return "DamageCodes" }

// DamageRoutes are the operations on damages.
func DamageRoutes(r *web.Router, k *Damages) {
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/damage_codes", ID: "list_damage_codes", Access: web.Read, Summary: "List the codes of damage",
		Description: "Areas, types and severities of AIAG M-22 in our words, and the letters that carriers use.", Errors: []*errs.Error{store.ErrCodeUnknown},
	}, func(context.Context, *struct{}) (*codesOutput, error) {
		return &codesOutput{codesBody{k.codes.Areas, k.codes.Types, k.codes.Severities, k.codes.Letters}}, nil
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/bols/{uuid}/damages", ID: "record_damage", Access: web.Write, Summary: "Record a damage", Errors: k.inspections.errors(),
	}, func(ctx context.Context, in *billEntry[DamageEntry]) (*web.Resource[store.Damaged], error) {
		row, err := k.Record(ctx, in.UUID, in.Body)

		return k.kept.Answer(ctx, row, err)
	})
	web.Register(r, web.Operation{
		Method: http.MethodDelete, Path: "/damages/{uuid}", ID: "delete_damage", Access: web.Write, Summary: "Take a damage off an inspection",
		Description: "Before it is signed.", Errors: append(k.inspections.errors(), k.kept.NotFound()),
	}, func(ctx context.Context, in *removeInput) (*struct{}, error) {
		return nil, k.remove(ctx, in.UUID, in.IfMatch)
	})
}
