package billsoflading

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/page"
)

// bolShown is a bill of lading as those see it who have a link to it, and as its report has it.
type bolShown struct {
	UUID       uuid.UUID      `json:"uuid"`
	Number     string         `json:"number"`
	State      standing       `json:"state" enum:"draft,issued,pickup_signed,delivery_signed,closed,void,transferred"`
	Due        stage          `json:"due" enum:"pickup,delivery," doc:"The stage at which it is signed next; empty for none."`
	Inspection string         `json:"inspection_type"`
	Carrier    hauler         `json:"carrier"`
	Consignor  party          `json:"consignor"`
	Consignee  party          `json:"consignee"`
	Vehicles   []vehicleShown `json:"vehicles" nullable:"false"`
	Signatures []signedShown  `json:"signatures" nullable:"false"`
	Amendments []amendment    `json:"amendments" nullable:"false"`
	Terms      string         `json:"terms"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (bolShown) SchemaName() string { return "BOLShown" }

// vehicleShown is a vehicle, and how it was found.
type vehicleShown struct {
	Vehicle  cargo           `json:"vehicle"`
	Pickup   *inspectedShown `json:"pickup" doc:"Null before it is inspected."`
	Delivery *inspectedShown `json:"delivery"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (vehicleShown) SchemaName() string { return "BOLVehicleShown" }

// inspectedShown is an inspection.
type inspectedShown struct {
	UUID        uuid.UUID     `json:"uuid"`
	State       string        `json:"state" enum:"open,submitted"`
	InspectedAt *time.Time    `json:"inspected_at"`
	Inspector   string        `json:"inspector"`
	VIN         string        `json:"vin_scanned"`
	VINCheck    string        `json:"vin_check" enum:"none,matches,differs,accepted"`
	Odometer    *int64        `json:"odometer"`
	Unit        string        `json:"odometer_unit"`
	Keys        *int64        `json:"keys_count"`
	Fuel        *int64        `json:"fuel_eighths"`
	Drivable    string        `json:"drivable"`
	Weather     string        `json:"weather"`
	Loose       string        `json:"loose_items"`
	Notes       string        `json:"notes"`
	Skipped     string        `json:"skipped_reason"`
	Subject     bool          `json:"subject_to_inspection"`
	Photos      int           `json:"photos"`
	Pictures    []pictured    `json:"pictures" nullable:"false" doc:"What the photos show."`
	Damages     []damageShown `json:"damages" nullable:"false"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (inspectedShown) SchemaName() string { return "BOLInspectionShown" }

// pictured is a photo.
type pictured struct {
	UUID    uuid.UUID  `json:"uuid"`
	Subject string     `json:"subject"`
	TakenAt *time.Time `json:"taken_at"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (pictured) SchemaName() string { return "BOLPicture" }

// damageShown is a damage.
type damageShown struct {
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
func (damageShown) SchemaName() string { return "BOLDamageShown" }

// signedShown is a signature.
type signedShown struct {
	Stage     stage      `json:"stage"`
	Role      string     `json:"role"`
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Method    string     `json:"method"`
	Touchless bool       `json:"touchless"`
	Reason    string     `json:"reason"`
	Strokes   string     `json:"strokes"`
	Statement string     `json:"statement"`
	SignedAt  *time.Time `json:"signed_at"`
	Zone      string     `json:"time_zone" doc:"Of the place where it was signed; empty if it is not known."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (signedShown) SchemaName() string { return "BOLSignatureShown" }

// show is a bill of lading with all that belongs to it.
func (k *book) show(ctx context.Context, b bol) (s bolShown, err error) {
	inspections, err := k.rows.inspectionsOf(ctx, b.ID)
	if err != nil {
		return s, err
	}
	damages, err := k.rows.damagesOf(ctx, b.ID)
	if err != nil {
		return s, err
	}
	photos, err := k.rows.photosOf(ctx, b.ID)
	if err != nil {
		return s, err
	}
	signatures, err := k.rows.signaturesOf(ctx, b.ID)
	if err != nil {
		return s, err
	}
	s = bolShown{
		UUID: b.ID, Number: b.Number, State: b.State, Due: b.due(), Inspection: b.Inspection, Carrier: b.Carrier.V, Consignor: b.Consignor.V, Consignee: b.Consignee.V,
		Vehicles: []vehicleShown{}, Signatures: []signedShown{}, Amendments: append([]amendment{}, b.Amendments.V...), Terms: b.Terms,
	}
	for _, v := range b.Vehicles.V {
		one := vehicleShown{Vehicle: v}
		for _, row := range inspections {
			if row.Vehicle != v.UUID {
				continue
			}
			if found := row.shown(damages, photos); row.Stage == atPickup {
				one.Pickup = found
			} else {
				one.Delivery = found
			}
		}
		s.Vehicles = append(s.Vehicles, one)
	}
	for _, one := range signatures {
		s.Signatures = append(s.Signatures, signedShown{
			one.Stage, one.Role, one.Name, one.Position, one.Method, one.Touchless, one.Reason, one.Strokes, one.Statement, one.SignedAt, b.zone(one.Stage),
		})
	}

	return s, nil
}

func (i inspection) shown(damages []damaged, photos []photo) *inspectedShown {
	s := &inspectedShown{
		UUID: i.ID, State: i.State, InspectedAt: i.InspectedAt, Inspector: i.Inspector, VIN: i.VIN, VINCheck: i.VINCheck, Odometer: i.Odometer, Unit: i.Unit, Keys: i.Keys, Fuel: i.Fuel,
		Drivable: i.Drivable, Weather: i.Weather, Loose: i.Loose, Notes: i.Notes, Skipped: i.Skipped, Subject: i.Subject, Pictures: []pictured{}, Damages: []damageShown{},
	}
	for _, p := range photos {
		if p.Inspection == i.ID {
			s.Photos++
			s.Pictures = append(s.Pictures, pictured{p.ID, p.Subject, p.TakenAt})
		}
	}
	for _, d := range damages {
		if d.Inspection == i.ID {
			s.Damages = append(s.Damages, d.shown(photos))
		}
	}

	return s
}

func (d damaged) shown(photos []photo) damageShown {
	s := damageShown{d.ID, d.Vehicle, d.System, d.Code, d.Title, d.Side, d.X, d.Y, d.Note, d.Existing, d.Claim, []uuid.UUID{}}
	for _, p := range photos {
		if p.Stage == d.Stage && p.shows(d) {
			s.Photos = append(s.Photos, p.ID)
		}
	}

	return s
}

// comparison is what became of the vehicles on the way.
type comparison struct {
	New       []damageShown `json:"new" nullable:"false" doc:"Found at the delivery alone."`
	Unchanged []damageShown `json:"unchanged" nullable:"false" doc:"Found at both, as noted at the delivery."`
	Resolved  []damageShown `json:"resolved" nullable:"false" doc:"Found at the pickup, and no longer at the delivery."`
	Pending   []damageShown `json:"pending" nullable:"false" doc:"Found at the pickup, of vehicles whose inspection at the delivery is not submitted."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (comparison) SchemaName() string { return "BOLComparison" }

// compare compares the inspections of the pickup and of the delivery.
func (k *book) compare(ctx context.Context, b bol) (c comparison, err error) {
	all, err := k.rows.damagesOf(ctx, b.ID)
	if err != nil {
		return c, err
	}
	photos, err := k.rows.photosOf(ctx, b.ID)
	if err != nil {
		return c, err
	}
	inspections, err := k.rows.inspectionsOf(ctx, b.ID)
	if err != nil {
		return c, err
	}
	delivered := map[uuid.UUID]bool{}
	for _, row := range inspections {
		delivered[row.Vehicle] = delivered[row.Vehicle] || row.Stage == atDelivery && row.State == submitted
	}
	c = comparison{New: []damageShown{}, Unchanged: []damageShown{}, Resolved: []damageShown{}, Pending: []damageShown{}}
	at := map[stage]map[string]bool{atPickup: {}, atDelivery: {}}
	for _, d := range all {
		at[d.Stage][d.same()] = true
	}
	for _, d := range all {
		one := d.shown(photos)
		switch {
		case d.Stage == atDelivery && at[atPickup][d.same()]:
			c.Unchanged = append(c.Unchanged, one)
		case d.Stage == atDelivery:
			c.New = append(c.New, one)
		case !at[atDelivery][d.same()] && !delivered[d.Vehicle]:
			c.Pending = append(c.Pending, one)
		case !at[atDelivery][d.same()]:
			c.Resolved = append(c.Resolved, one)
		}
	}

	return c, nil
}

// zone is the name of the time zone of the place where vehicles change hands at a stage, "" if it is not known.
func (b bol) zone(at stage) string {
	if at == atDelivery {
		return b.Consignee.V.Zone
	}

	return b.Consignor.V.Zone
}

// name is a vehicle by its year, make and model.
func (v cargo) name() string {
	name := v.Make + " " + v.Model
	if v.Year != nil {
		name = strconv.FormatInt(*v.Year, 10) + " " + name
	}

	return strings.TrimSpace(name)
}

// text is a vehicle as people read it.
func (v cargo) text() string {
	parts := []string{v.name()}
	for _, one := range []struct{ label, value string }{{"", v.Color}, {"VIN ", v.VIN}, {"plate ", v.Plate}, {"lot ", v.Lot}} {
		if one.value != "" {
			parts = append(parts, one.label+one.value)
		}
	}
	if !v.Operable {
		parts = append(parts, "does not run")
	}

	return strings.Trim(strings.Join(parts, ", "), ", ")
}

// text is a damage as people read it.
func (d damageShown) text() string {
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

// lines are what an inspection says, as people read it.
func (i *inspectedShown) lines() (all []string) {
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
		all = append(all, d.text())
	}
	if len(i.Damages) == 0 {
		all = append(all, "No damage noted")
	}

	return all
}

// text is who signed, as people read it.
func (s signedShown) text() string {
	who := map[string]string{driver: "Driver", releasing: "Released by", receiving: "Received by"}[s.Role]
	if s.Method == notAvailable {
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

// hidePictures takes the photos off what is shown.
func (s *bolShown) hidePictures() {
	for _, v := range s.Vehicles {
		for _, i := range []*inspectedShown{v.Pickup, v.Delivery} {
			if i != nil {
				i.Pictures = []pictured{}
			}
		}
	}
}
