package vehicles

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpic"
	"github.com/dispatchd/dispatchd/modules/vehicles/internal/vpicapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// book keeps the vehicles of a company.
type book struct {
	vehicles  *resource.Resource[vehicle]
	catalogue *catalogue
}

func newBook(vehicles *resource.Resource[vehicle], c *catalogue) *book { return &book{vehicles, c} }

// complete decodes the details that new vehicles omit.
func (b *book) complete(ctx context.Context, all []*resource.Change[vehicle]) error {
	for _, c := range all {
		if c.Verb != resource.Create {
			continue
		}
		found, err := b.catalogue.Decode(ctx, string(c.After.VIN))
		if err != nil {
			return err
		}
		fill(c.After, found[0])
	}

	return nil
}

// decode is the verb for vehicles that gain details after they were created.
const decode resource.Verb = "decoded"

// completeAll completes the vehicles without a make or model whose VINs match one of the patterns, and publishes an event for each that
// gains details.
func (b *book) completeAll(ctx context.Context, patterns []string) error {
	for _, pattern := range patterns {
		rows, err := b.vehicles.Where(ctx, "vin LIKE ? AND (make = '' OR model = '')", strings.ReplaceAll(pattern, "*", "_")+"%")
		if err != nil {
			return err
		}
		for part := range slices.Chunk(rows, vpicapi.MaxBatch) {
			if err := b.completeSome(ctx, part); err != nil {
				return err
			}
		}
	}

	return nil
}

func (b *book) completeSome(ctx context.Context, rows []vehicle) error {
	vins := make([]string, len(rows))
	for i, row := range rows {
		vins[i] = string(row.VIN)
	}
	found, err := b.catalogue.Decode(ctx, vins...)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if filled := row; !fill(&filled, found[i]) {
			continue
		}
		_, err := b.vehicles.Change(ctx, row.ID, web.IfMatch{}, decode, func(_ context.Context, v *vehicle) error {
			fill(v, found[i])

			return nil
		})
		if err != nil && !errors.Is(err, b.vehicles.NotFound()) { // it was deleted in the meantime
			return err
		}
	}

	return nil
}

// fill sets empty fields, and reports whether it set any. It never overwrites fields, and fills in nothing if the make differs.
func fill(v *vehicle, d vehiclesapi.Decoded) (filled bool) {
	if v.Make != "" && vpic.Key(v.Make) != vpic.Key(d.Make) {
		return false
	}
	set := func(to *string, value string) {
		if *to == "" && value != "" {
			*to, filled = value, true
		}
	}
	if v.Year == nil && d.Year != nil && !d.YearUncertain {
		year := int64(*d.Year)
		v.Year, filled = &year, true
	}
	set(&v.Make, d.Make)
	set(&v.Model, d.Model)
	if v.Model == d.Model {
		set(&v.Trim, d.Trim)
	}
	if d.Type != vehiclesapi.Other {
		set(&v.Type, string(d.Type))
	}

	return filled
}

func bookRoutes(r *web.Router, b *book) {
	web.Register(r, web.Operation{
		Method: http.MethodPut, Path: "/by_vin/{vin}", Formerly: "/vehicles/by_vin/{vin}", ID: "put_vehicle_by_vin", Access: web.Write, Summary: "Create or update a vehicle by its VIN",
		Description: "Creates the vehicle, or changes the fields of the body on the vehicle with this VIN.",
		Errors:      append([]*errs.Error{errInvalidVIN}, b.vehicles.WriteErrors()...),
	}, b.put)
}

type putInput struct {
	VIN  string `path:"vin" maxLength:"100" example:"1HGCM82633A004352"`
	Body struct {
		Year       *int64  `json:"year,omitempty" minimum:"1900" maximum:"2100"`
		Make       *string `json:"make,omitempty" maxLength:"50"`
		Model      *string `json:"model,omitempty" maxLength:"100"`
		Trim       *string `json:"trim,omitempty" maxLength:"100"`
		Type       *string `json:"type,omitempty" maxLength:"20" doc:"One of GET /types."`
		Color      *string `json:"color,omitempty" maxLength:"30"`
		Plate      *string `json:"plate,omitempty" maxLength:"12"`
		PlateState *string `json:"plate_state,omitempty" maxLength:"3"`
		Notes      *string `json:"notes,omitempty" maxLength:"2000"`
	}
}

func (in *putInput) applyTo(v *vehicle) {
	if in.Body.Year != nil {
		v.Year = in.Body.Year
	}
	for to, from := range map[*string]*string{
		&v.Make: in.Body.Make, &v.Model: in.Body.Model, &v.Trim: in.Body.Trim, &v.Type: in.Body.Type, &v.Color: in.Body.Color,
		&v.Plate: in.Body.Plate, &v.PlateState: in.Body.PlateState, &v.Notes: in.Body.Notes,
	} {
		if from != nil {
			*to = *from
		}
	}
}

// put creates or changes a vehicle. It changes the vehicle if another caller creates it in the meantime.
func (b *book) put(ctx context.Context, in *putInput) (*web.Resource[vehicle], error) {
	const full = 17
	number := vpic.Normalize(in.VIN)
	problems := vpic.Problems(number)
	var vin field.VIN
	if len(problems) == 0 && (len(number) != full || vin.UnmarshalText([]byte(number)) != nil) {
		problems = []vehiclesapi.Problem{{Message: "The VIN must have 17 characters, all of them known."}}
	}
	if len(problems) > 0 {
		return nil, invalidVIN(problems)
	}
	row, found, err := b.change(ctx, vin, in)
	if found || err != nil {
		return b.vehicles.Answer(ctx, row, err)
	}
	row = vehicle{VIN: vin}
	in.applyTo(&row)
	row, err = b.vehicles.Create(ctx, row)
	if taken := (*errs.Error)(nil); errors.As(err, &taken) && taken.Kind == errs.Conflict {
		if changed, found, again := b.change(ctx, vin, in); found || again != nil {
			return b.vehicles.Answer(ctx, changed, again)
		}
	}

	return b.vehicles.Answer(ctx, row, err)
}

// change changes the vehicle with a VIN, if there is one.
func (b *book) change(ctx context.Context, vin field.VIN, in *putInput) (row vehicle, found bool, err error) {
	rows, err := b.vehicles.Where(ctx, "vin = ?", string(vin))
	if len(rows) == 0 || err != nil {
		return vehicle{}, false, err
	}
	row, err = b.vehicles.Change(ctx, rows[0].ID, web.IfMatch{}, resource.Update, func(_ context.Context, v *vehicle) error {
		in.applyTo(v)

		return nil
	})

	return row, true, err
}

// seedDemo gives the demo company some vehicles.
func seedDemo(ctx context.Context, vehicles *resource.Resource[vehicle]) error {
	for _, v := range []vehicle{
		{VIN: "1HGCM82633A004352", Color: "Silver", Notes: "Keys at the desk"},
		{VIN: "1FTFW5L86RFB45612", Color: "Blue"},
		{VIN: "1C4RJEAG2EC476429", Color: "White"},
		{VIN: "KM8K2CAB4PU001140", Color: "Red"},
	} {
		if _, err := vehicles.Create(ctx, v); err != nil {
			return err
		}
	}

	return nil
}
