// Package report shows bills of lading with all that belongs to them, and compares the pickup with the delivery.
package report

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Reader reads bills of lading with all that belongs to them.
type Reader struct{ rows *store.Repository }

// NewReader returns a Reader.
func NewReader(rows *store.Repository) *Reader { return &Reader{rows} }

// Report is a bill of lading with its inspections and signatures, as its report has it and as everyone with a link to it sees it.
type Report struct {
	UUID       uuid.UUID         `json:"uuid"`
	Number     string            `json:"number"`
	State      store.State       `json:"state" enum:"draft,issued,pickup_signed,delivery_signed,closed,void,transferred"`
	Due        store.Stage       `json:"due" enum:"pickup,delivery," doc:"The stage at which it is signed next; empty for none."`
	Inspection string            `json:"inspection_type"`
	Carrier    store.Carrier     `json:"carrier"`
	Consignor  store.Party       `json:"consignor"`
	Consignee  store.Party       `json:"consignee"`
	Vehicles   []Vehicle         `json:"vehicles" nullable:"false"`
	Signatures []Signature       `json:"signatures" nullable:"false"`
	Amendments []store.Amendment `json:"amendments" nullable:"false"`
	Terms      string            `json:"terms"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Report) SchemaName() string { return "BOLShown" }

// Vehicle is a vehicle, and how it was found.
type Vehicle struct {
	Vehicle  store.Vehicle `json:"vehicle"`
	Pickup   *Inspection   `json:"pickup" doc:"Null before it is inspected."`
	Delivery *Inspection   `json:"delivery"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Vehicle) SchemaName() string { return "BOLVehicleShown" }

// Inspection is how a vehicle was found at a stage.
type Inspection struct {
	UUID        uuid.UUID  `json:"uuid"`
	State       string     `json:"state" enum:"open,submitted"`
	InspectedAt *time.Time `json:"inspected_at"`
	Inspector   string     `json:"inspector"`
	VIN         string     `json:"vin_scanned"`
	VINCheck    string     `json:"vin_check" enum:"none,matches,differs,accepted"`
	Odometer    *int64     `json:"odometer"`
	Unit        string     `json:"odometer_unit"`
	Keys        *int64     `json:"keys_count"`
	Fuel        *int64     `json:"fuel_eighths"`
	Drivable    string     `json:"drivable"`
	Weather     string     `json:"weather"`
	Loose       string     `json:"loose_items"`
	Notes       string     `json:"notes"`
	Skipped     string     `json:"skipped_reason"`
	Subject     bool       `json:"subject_to_inspection"`
	Photos      int        `json:"photos"`
	Pictures    []Picture  `json:"pictures" nullable:"false" doc:"What the photos show."`
	Damages     []Damage   `json:"damages" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Inspection) SchemaName() string { return "BOLInspectionShown" }

// Picture is a photo of an inspection.
type Picture struct {
	UUID    uuid.UUID  `json:"uuid"`
	Subject string     `json:"subject"`
	TakenAt *time.Time `json:"taken_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Picture) SchemaName() string { return "BOLPicture" }

// Damage is a damage that an inspection found.
type Damage struct {
	UUID     uuid.UUID   `json:"uuid"`
	Vehicle  uuid.UUID   `json:"vehicle_uuid"`
	System   string      `json:"code_system"`
	Code     string      `json:"code"`
	Title    string      `json:"title"`
	Side     string      `json:"side"`
	X        *int64      `json:"x"`
	Y        *int64      `json:"y"`
	Note     string      `json:"note"`
	Existing bool        `json:"pre_existing"`
	Status   string      `json:"status" enum:"open,claimed,waived"`
	Photos   []uuid.UUID `json:"photo_uuids" nullable:"false" doc:"Photos that show it."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Damage) SchemaName() string { return "BOLDamageShown" }

// Signature is who signed at a stage.
type Signature struct {
	Stage     store.Stage `json:"stage"`
	Role      string      `json:"role"`
	Name      string      `json:"name"`
	Title     string      `json:"title"`
	Method    string      `json:"method"`
	Touchless bool        `json:"touchless"`
	Reason    string      `json:"reason"`
	Strokes   string      `json:"strokes"`
	Statement string      `json:"statement"`
	SignedAt  *time.Time  `json:"signed_at"`
	Zone      string      `json:"time_zone" doc:"Of the place where it was signed; empty if it is not known."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Signature) SchemaName() string { return "BOLSignatureShown" }

// Read returns a bill of lading with all that belongs to it.
func (r *Reader) Read(ctx context.Context, b store.Bol) (s Report, err error) {
	inspections, err := r.rows.InspectionsOf(ctx, b.ID)
	if err != nil {
		return s, err
	}
	damages, err := r.rows.DamagesOf(ctx, b.ID)
	if err != nil {
		return s, err
	}
	photos, err := r.rows.PhotosOf(ctx, b.ID)
	if err != nil {
		return s, err
	}
	signatures, err := r.rows.SignaturesOf(ctx, b.ID)
	if err != nil {
		return s, err
	}
	s = Report{
		UUID: b.ID, Number: b.Number, State: b.State, Due: b.Due(), Inspection: b.Inspection, Carrier: b.Carrier.V, Consignor: b.Consignor.V, Consignee: b.Consignee.V,
		Vehicles: []Vehicle{}, Signatures: []Signature{}, Amendments: append([]store.Amendment{}, b.Amendments.V...), Terms: b.Terms,
	}
	for _, v := range b.Vehicles.V {
		one := Vehicle{Vehicle: v}
		for _, row := range inspections {
			if row.Vehicle != v.UUID {
				continue
			}
			if found := inspectionOf(row, damages, photos); row.Stage == store.AtPickup {
				one.Pickup = found
			} else {
				one.Delivery = found
			}
		}
		s.Vehicles = append(s.Vehicles, one)
	}
	for _, one := range signatures {
		s.Signatures = append(s.Signatures, Signature{
			one.Stage, one.Role, one.Name, one.Position, one.Method, one.Touchless, one.Reason, one.Strokes, one.Statement, one.SignedAt, b.Zone(one.Stage),
		})
	}

	return s, nil
}

// inspectionOf is an inspection with those of the damages and photos that are its own.
func inspectionOf(i store.Inspection, damages []store.Damaged, photos []store.Photo) *Inspection {
	s := &Inspection{
		UUID: i.ID, State: i.State, InspectedAt: i.InspectedAt, Inspector: i.Inspector, VIN: i.VIN, VINCheck: i.VINCheck,
		Odometer: i.Odometer, Unit: i.Unit, Keys: i.Keys, Fuel: i.Fuel, Drivable: i.Drivable, Weather: i.Weather, Loose: i.Loose, Notes: i.Notes,
		Skipped: i.Skipped, Subject: i.Subject, Pictures: []Picture{}, Damages: []Damage{},
	}
	for _, p := range photos {
		if p.Inspection == i.ID {
			s.Photos++
			s.Pictures = append(s.Pictures, Picture{p.ID, p.Subject, p.TakenAt})
		}
	}
	for _, d := range damages {
		if d.Inspection == i.ID {
			s.Damages = append(s.Damages, damageOf(d, photos))
		}
	}

	return s
}

// damageOf is a damage with those of the photos that show it.
func damageOf(d store.Damaged, photos []store.Photo) Damage {
	s := Damage{d.ID, d.Vehicle, d.System, d.Code, d.Title, d.Side, d.X, d.Y, d.Note, d.Existing, d.Claim, []uuid.UUID{}}
	for _, p := range photos {
		if p.Stage == d.Stage && p.Shows(d) {
			s.Photos = append(s.Photos, p.ID)
		}
	}

	return s
}

// Comparison says how the vehicles have changed on the way.
type Comparison struct {
	New       []Damage `json:"new" nullable:"false" doc:"Found at the delivery alone."`
	Unchanged []Damage `json:"unchanged" nullable:"false" doc:"Found at both, as noted at the delivery."`
	Resolved  []Damage `json:"resolved" nullable:"false" doc:"Found at the pickup, and no longer at the delivery."`
	Pending   []Damage `json:"pending" nullable:"false" doc:"Found at the pickup, of vehicles whose inspection at the delivery is not submitted."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Comparison) SchemaName() string { return "BOLComparison" }

// Compare compares the inspections of the pickup and of the delivery.
func (r *Reader) Compare(ctx context.Context, b store.Bol) (c Comparison, err error) {
	damages, err := r.rows.DamagesOf(ctx, b.ID)
	if err != nil {
		return c, err
	}
	photos, err := r.rows.PhotosOf(ctx, b.ID)
	if err != nil {
		return c, err
	}
	inspections, err := r.rows.InspectionsOf(ctx, b.ID)
	if err != nil {
		return c, err
	}

	return compared(inspections, damages, photos), nil
}

// compared sorts damages by the stages at which they were found. What was found at the pickup alone is resolved once the inspection of the vehicle
// at the delivery is submitted.
func compared(inspections []store.Inspection, damages []store.Damaged, photos []store.Photo) Comparison {
	delivered := map[uuid.UUID]bool{}
	for _, row := range inspections {
		delivered[row.Vehicle] = delivered[row.Vehicle] || row.Stage == store.AtDelivery && row.State == store.Submitted
	}
	c := Comparison{New: []Damage{}, Unchanged: []Damage{}, Resolved: []Damage{}, Pending: []Damage{}}
	at := map[store.Stage]map[string]bool{store.AtPickup: {}, store.AtDelivery: {}}
	for _, d := range damages {
		at[d.Stage][d.Key()] = true
	}
	for _, d := range damages {
		one := damageOf(d, photos)
		switch {
		case d.Stage == store.AtDelivery && at[store.AtPickup][d.Key()]:
			c.Unchanged = append(c.Unchanged, one)
		case d.Stage == store.AtDelivery:
			c.New = append(c.New, one)
		case !at[store.AtDelivery][d.Key()] && !delivered[d.Vehicle]:
			c.Pending = append(c.Pending, one)
		case !at[store.AtDelivery][d.Key()]:
			c.Resolved = append(c.Resolved, one)
		}
	}

	return c
}

// Text is a damage as people read it.
func (d Damage) Text() string {
	text := d.Title
	if d.Code != "" {
		text = d.Code + ": " + text
	}
	if d.Side != "unknown" {
		text += ", " + d.Side
	}
	if d.Note != "" && d.Note != d.Title {
		text += " (" + d.Note + ")"
	}

	return text
}

// Lines are what an inspection says, as people read it.
func (i *Inspection) Lines() (all []string) {
	if i == nil {
		return nil
	}
	if i.Skipped != "" {
		all = append(all, "Not inspected: "+i.Skipped)
	}
	if i.Odometer != nil {
		all = append(all, "Odometer "+strconv.FormatInt(*i.Odometer, 10)+" "+i.Unit)
	}
	if i.Keys != nil {
		all = append(all, "Keys "+strconv.FormatInt(*i.Keys, 10))
	}
	if i.Fuel != nil {
		all = append(all, "Fuel "+strconv.FormatInt(*i.Fuel, 10)+"/8")
	}
	for _, one := range []struct{ label, value string }{{"VIN found ", i.VIN}, {"Left in it: ", i.Loose}, {"", i.Notes}} {
		if one.value != "" {
			all = append(all, one.label+one.value)
		}
	}
	if i.Weather != "dry" {
		all = append(all, "Seen when it was "+i.Weather)
	}
	if i.Subject {
		all = append(all, "Subject to inspection")
	}
	all = append(all, "Photos: "+strconv.Itoa(i.Photos))
	for _, d := range i.Damages {
		all = append(all, d.Text())
	}
	if len(i.Damages) == 0 {
		all = append(all, "No damage noted")
	}

	return all
}

// Text is who signed, as people read it.
func (s Signature) Text() string {
	who := map[string]string{store.Driver: "Driver", store.Releasing: "Released by", store.Receiving: "Received by"}[s.Role]
	if s.Method == store.NotAvailable {
		return who + ": not available. " + s.Reason
	}
	text := who + ": " + s.Name
	if s.Title != "" {
		text += ", " + s.Title
	}
	if s.SignedAt != nil {
		text += ", " + page.Moment(*s.SignedAt, page.Zone(s.Zone))
	}

	return text
}

// HidePictures takes the photos off a report.
func (s *Report) HidePictures() {
	for _, v := range s.Vehicles {
		for _, i := range []*Inspection{v.Pickup, v.Delivery} {
			if i != nil {
				i.Pictures = []Picture{}
			}
		}
	}
}
