package loadview

import (
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/page"
)

// Text is a load in words, as far as its carrier sees it.
type Text struct {
	// Facts are on the transport, Pays the payments.
	Facts []face.Fact
	Stops []StopText
	Cars  []VehicleText
	Goods []string
	Pays  []string
	Notes []string
	// Collect is what the carrier has yet to collect of the customer, "" for nothing.
	Collect string
}

// StopText is a stop under a title.
type StopText struct {
	Title string
	Lines []page.Line
}

// VehicleText is a vehicle: its name, what is known of it, and where the photos of it are.
type VehicleText struct {
	Name   string
	Lines  []string
	Photos []string
}

// String is the vehicle in one line.
func (t VehicleText) String() string { return strings.Join(append([]string{t.Name}, t.Lines...), ", ") }

// Describe is a load in words.
func (l Load) Describe() (t Text) {
	miles, inspection := "", ""
	if l.Miles != nil {
		miles = page.Sprintf("About %d miles", *l.Miles)
	}
	if l.Inspection != "standard" {
		inspection = l.Inspection
	}
	t.Facts = face.Facts("Distance", miles, "Transport", transports[l.Transport], "Inspection", inspection)
	for _, one := range l.Stops {
		t.Stops = append(t.Stops, Stop(one).Text())
	}
	for _, v := range l.Vehicles {
		t.Cars = append(t.Cars, Vehicle(v).Text())
	}
	for _, g := range l.Commodities {
		t.Goods = append(t.Goods, Goods(g).Text())
	}
	for _, p := range l.Plan {
		t.Pays = append(t.Pays, Payment(p).Text(l.AmountText(p.Amount)+" "))
	}
	t.Collect = l.ToCollect()
	for _, r := range l.References {
		t.Facts = append(t.Facts, face.Fact{Label: referenceNames[r.Kind], Value: r.Value})
	}
	for _, text := range []string{l.ForCarrier, l.ForBoard} {
		if text != "" {
			t.Notes = append(t.Notes, text)
		}
	}

	return t
}

// VehicleLines are the vehicles, one on each line.
func (t Text) VehicleLines() string {
	all := make([]string, len(t.Cars))
	for i, c := range t.Cars {
		all[i] = c.String()
	}

	return strings.Join(all, "\n")
}

// FactLines are the facts, one on each line.
func (t Text) FactLines() (all []string) {
	for _, f := range t.Facts {
		all = append(all, f.Label+": "+f.Value)
	}

	return all
}

var referenceNames = map[string]string{
	"po": "Purchase order", "buyer": "Buyer number", "gate_pass": "Gate pass", "release": "Release number", "lot": "Lot", "customer": "Customer's reference", "other": "Reference",
}

// ToCollect is what the customer has yet to pay to the carrier, "" for nothing.
func (l Load) ToCollect() string {
	var left int64
	for _, p := range l.Plan {
		left += l.toCarrier(p.From, p.To, p.Amount)
	}
	for _, p := range l.Payments {
		left -= l.toCarrier(p.From, p.To, p.Amount)
	}
	if left <= 0 {
		return ""
	}

	return string(money.OfUnits(left, money.Currency(l.Currency)).Amount)
}

// Place is what people call the place of a stop.
func (s Stop) Place() string { return strings.Trim(s.Venue.City+", "+s.Venue.State, ", ") }

// Text is a stop as people read it.
func (s Stop) Text() StopText {
	v := s.Venue
	place := strings.TrimSpace(s.Place() + " " + v.PostalCode)
	t := StopText{Title: stopTitles[s.Kind] + ": " + place}
	if v.Line1+v.Line2 != "" {
		t.Lines = page.Address(v.Name, v.Line1, v.Line2, place)
	} else {
		t.Lines = page.Lines(v.Name)
	}
	if w := s.Window; w != nil {
		t.Lines = append(t.Lines, page.Lines(page.Window(w.From, w.To, v.TimeZone))...)
	}
	if v.Hours != "" {
		t.Lines = append(t.Lines, page.Lines("Hours: "+v.Hours)...)
	}
	if v.Appointment {
		t.Lines = append(t.Lines, page.Lines("An appointment is required. Call before you come.")...)
	}
	if v.TWIC {
		t.Lines = append(t.Lines, page.Lines("The driver needs a TWIC card.")...)
	}
	if s.BuyerNumber != "" {
		t.Lines = append(t.Lines, page.Lines("Buyer number "+s.BuyerNumber)...)
	}
	for _, who := range s.Contacts {
		t.Lines = append(t.Lines, page.Called(who.Name, who.Phones...))
	}
	t.Lines = append(t.Lines, page.Lines(s.Notes)...)

	return t
}

var stopTitles = map[string]string{"pickup": "Pickup", "delivery": "Delivery", "transfer": "Transfer"}

// Text is a vehicle as people read it.
func (v Vehicle) Text() VehicleText {
	t := VehicleText{Name: loadsapi.CarrierVehicle(v).Name(), Photos: v.Photos}
	var parts []string
	for _, one := range []struct{ label, value string }{{"", v.Color}, {"VIN ", v.VIN}, {"plate ", v.Plate}, {"lot ", v.Lot}, {"buyer number ", v.Buyer}, {"gate pass ", v.GatePass}} {
		if one.value != "" {
			parts = append(parts, one.label+one.value)
		}
	}
	if len(parts) > 0 {
		t.Lines = append(t.Lines, strings.Join(parts, ", "))
	}
	if v.Operable != nil && !*v.Operable {
		t.Lines = append(t.Lines, "does not run")
	}
	if v.Notes != "" {
		t.Lines = append(t.Lines, v.Notes)
	}

	return t
}

// Text are goods as people read them.
func (g Goods) Text() string {
	parts := []string{g.Description}
	for _, one := range []struct {
		n    int64
		text string
	}{{g.Pieces, "%d pieces"}, {g.WeightLb, "%d lb"}} {
		if one.n > 0 {
			parts = append(parts, page.Sprintf(one.text, one.n))
		}
	}
	if g.LengthIn > 0 && g.WidthIn > 0 && g.HeightIn > 0 {
		parts = append(parts, page.Sprintf("%d × %d × %d in each", g.LengthIn, g.WidthIn, g.HeightIn))
	}
	if g.Stackable {
		parts = append(parts, "stackable")
	}
	if g.Hazmat != nil {
		parts = append(parts, "hazardous material "+g.Hazmat.Number+", class "+g.Hazmat.Class)
	}

	return strings.Join(parts, ", ")
}
