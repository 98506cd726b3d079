package loads

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/route"
	"github.com/dispatchd/dispatchd/modules/loads/internal/signing"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// decodeVINs decodes the VINs that are new, of all loads at once.
func (s *service) decodeVINs(ctx context.Context, b *batch, all []*resource.Change[load]) error {
	var asked []vehiclesapi.Asked
	for _, c := range all {
		known := map[string]bool{}
		if c.Before != nil {
			for _, v := range c.Before.Vehicles.V {
				known[v.VIN] = true
			}
		}
		for _, v := range c.After.Vehicles.V {
			if v.VIN != "" && !known[v.VIN] && c.Verb != resource.Delete {
				asked = append(asked, askedOf(v))
			}
		}
	}
	if len(asked) == 0 {
		return nil
	}
	said, err := s.decoder.DecodeAsked(ctx, asked...)
	b.decoded = make(map[vehiclesapi.Asked]vehiclesapi.Decoded, len(said))
	for i, d := range said {
		b.decoded[asked[i]] = d
	}

	return err
}

// askedOf is the VIN of a vehicle as it is decoded: a short one is one from before 1981, or a part of one, by its year.
func askedOf(v vehicle) vehiclesapi.Asked {
	const full = 17
	asked := vehiclesapi.Asked{VIN: v.VIN}
	if v.Year != nil && len(v.VIN) < full {
		asked.Year = int(*v.Year)
	}

	return asked
}

// fillIn completes vehicles by their VINs, and those without a type by their makes and models.
func (s *service) fillIn(ctx context.Context, b *batch, l *load, sizes map[vehiclesapi.Type]string) error {
	for i := range l.Vehicles.V {
		v := &l.Vehicles.V[i]
		said, named := b.decoded[askedOf(*v)], vehiclesapi.Type("")
		if v.Type == "" && v.Make != "" && !v.SameMake(said.Make) {
			one := vehiclesapi.Named{Make: v.Make, Model: v.Model}
			if v.Year != nil {
				one.Year = int(*v.Year)
			}
			listed, err := s.parser.Identify(ctx, one)
			if err != nil {
				return fmt.Errorf("identifying a vehicle: %w", err)
			}
			named = listed.Type
			if !listed.Known && v.Model != "" {
				l.warn("loads.model_unknown", "vehicles."+strconv.Itoa(i)+".model", modelUnknown(listed))
			}
		}
		v.FillIn(said, named, sizes, func(code, name, message string) { l.warn(code, "vehicles."+strconv.Itoa(i)+"."+name, message) })
	}

	return nil
}

// measure asks the route engine for the way if the stops are others than before.
func (s *service) measure(ctx context.Context, b *batch, c *resource.Change[load]) error {
	stops := c.After.routeStops()
	if c.Before != nil && slices.Equal(stops, c.Before.routeStops()) {
		return nil
	}
	l := c.After
	l.Miles, l.Minutes, l.Measured, l.FromDays, l.ToDays = nil, nil, false, nil, nil
	if stops == nil {
		return nil
	}
	key := fmt.Sprint(stops)
	found, asked := b.ways[key]
	if !asked {
		found.route, found.err = s.routes.Route(ctx, stops...)
		b.ways[key] = found
	}
	switch {
	case errors.Is(found.err, routeengineapi.ErrNoRoad):
		l.warn("loads.no_road", "stops", "No road leads from stop to stop.")

		return nil
	case errors.Is(found.err, routeengineapi.ErrUnknownPlace):
		l.warn("loads.unknown_place", "stops", "A place is not known, so there are no miles. Give its postal_code.")

		return nil
	case found.err != nil:
		return found.err
	}
	r := found.route
	miles, minutes, from, to := int64(math.Round(r.Miles)), int64(r.Minutes), int64(r.FromDays), int64(r.ToDays)
	l.Miles, l.Minutes, l.Measured, l.FromDays, l.ToDays = &miles, &minutes, r.Measured, &from, &to

	return nil
}

// derive computes the columns by which loads are listed and found.
func (l *load) derive() {
	l.count()
	l.OriginZIP3, l.OriginState, l.DestZIP3, l.DestState, l.PickupFrom, l.DeliverBy = "", "", "", "", nil, nil
	var words []string
	for i, one := range l.Stops.V {
		words = append(words, one.Venue.Name, one.Venue.City, one.Venue.PostalCode)
		if i == 0 {
			l.OriginZIP3, l.OriginState = route.ZIP3(one.Venue.PostalCode), one.Venue.State
			if one.Window != nil {
				l.PickupFrom = one.Window.FromAt
			}
		}
		if i == len(l.Stops.V)-1 && i > 0 {
			l.DestZIP3, l.DestState = route.ZIP3(one.Venue.PostalCode), one.Venue.State
			if one.Window != nil {
				l.DeliverBy = one.Window.ToAt
			}
		}
	}
	for _, v := range l.Vehicles.V {
		words = append(words, v.VIN, v.Make, v.Model, v.Lot)
	}
	for _, r := range l.References.V {
		words = append(words, r.Value)
	}
	const most = 4000
	text := strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	l.Words = string([]rune(text)[:min(len([]rune(text)), most)])
}

// A driver rests for ten hours after driving eleven (49 CFR 395.3).
const (
	drivenAtOnce = 11 * time.Hour
	restAfter    = 10 * time.Hour
)

// warnOfTerms warns of a load that is sold at a loss, and of windows between which one driver cannot drive so far.
func (l *load) warnOfTerms() {
	tariff, _ := l.units(l.Tariff) // checked before
	if pay, _ := l.units(l.CarrierPay); tariff > 0 && pay > tariff {
		l.warn("loads.sold_at_loss", "carrier_pay", "The carrier gets more than the customer pays.")
	}
	n := len(l.Stops.V)
	if n < 2 || l.Minutes == nil || l.Miles == nil || l.Stops.V[0].Window == nil {
		return
	}
	from, end := l.Stops.V[0].Window.FromAt, l.Stops.V[n-1].Ends()
	drive := time.Duration(*l.Minutes) * time.Minute
	drive += drive / drivenAtOnce * restAfter
	if from != nil && end != nil && end.Sub(*from) < drive {
		l.warn("loads.window_impossible", fmt.Sprintf("stops.%d.window", n-1),
			fmt.Sprintf("From the beginning of the pickup to the end of the delivery there are %.0f hours, less than the %.0f that the %d miles take one driver, with the rest that the law asks for.",
				end.Sub(*from).Hours(), drive.Hours(), *l.Miles))
	}
}

// named is an item that a load names at a place.
type named struct {
	item.Ref

	at, problem string
}

// namesOf are the items that the parts of a load name.
func namesOf(l *load) (all []named) {
	if l == nil {
		return nil
	}
	add := func(typ string, id uuid.UUID, at, problem string) {
		if id != uuid.Nil {
			all = append(all, named{item.Ref{Type: typ, UUID: id}, at, problem})
		}
	}
	for i, one := range l.Stops.V {
		add(contactsapi.Item, one.Venue.Contact, "stops."+strconv.Itoa(i)+".venue.contact_uuid", "There is no such contact.")
	}
	for i, v := range l.Vehicles.V {
		for n, photo := range v.Photos {
			add(attachmentsapi.Item, photo, "vehicles."+strconv.Itoa(i)+".photo_uuids."+strconv.Itoa(n), "There is no such file.")
		}
	}
	for i, c := range l.Charges.V {
		add("catalog.service", c.Service, "charges."+strconv.Itoa(i)+".service_uuid", "There is no such service.")
	}

	return all
}

// checkNames refuses items that loads did not name before and that the company does not have, of all loads at once.
func (s *service) checkNames(ctx context.Context, all []*resource.Change[load]) error {
	var refs []item.Ref
	fresh := make([][]named, len(all))
	for i, c := range all {
		before := namesOf(c.Before)
		fresh[i] = slices.DeleteFunc(namesOf(c.After), func(n named) bool {
			return slices.ContainsFunc(before, func(b named) bool { return b.Ref == n.Ref })
		})
		for _, n := range fresh[i] {
			refs = append(refs, n.Ref)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	titles, err := s.items.Titles(ctx, refs)
	if err != nil {
		return err
	}
	for i, c := range all {
		for _, n := range fresh[i] {
			if !titles[0].Exists {
				c.Refuse(errInvalid.WithField(n.at, n.problem))
			}
			titles = titles[1:]
		}
	}

	return nil
}

// followVehicles keeps which VINs are on which loads, and warns of those that another open load has.
func (s *service) followVehicles(ctx context.Context, b *batch, all []*resource.Change[load]) error {
	var changed []uuid.UUID
	var made []onLoad
	for _, c := range all {
		before, after := vinsOf(c.Before), vinsOf(c.After)
		if c.Verb == resource.Delete {
			after = nil
		}
		if slices.Equal(before, after) {
			continue
		}
		if len(before) > 0 {
			changed = append(changed, c.After.ID)
		}
		for _, vin := range after {
			made = append(made, onLoad{LoadID: c.After.ID, VIN: vin})
		}
	}
	if len(made) > 0 && len(all) == 1 {
		if err := s.warnOfVINs(ctx, b, all[0], made); err != nil {
			return err
		}
	}
	if err := s.rows.removeVINs(ctx, changed); err != nil {
		return err
	}

	return s.rows.addVINs(ctx, made)
}

// vinsOf are the VINs of the vehicles that are on a load, in their order, each once.
func vinsOf(l *load) (vins []string) {
	if l == nil || l.DeletedAt != nil || l.State == loadsapi.Draft || !slices.Contains(openStates, l.State) {
		return nil
	}
	for _, v := range l.Vehicles.V {
		if v.VIN != "" && v.Open() && !slices.Contains(vins, v.VIN) {
			vins = append(vins, v.VIN)
		}
	}

	return vins
}

// warnOfVINs warns of vehicles that are on another open load too, or refuses them where the settings say so.
func (s *service) warnOfVINs(ctx context.Context, b *batch, c *resource.Change[load], made []onLoad) error {
	vins := make([]string, len(made))
	for i, m := range made {
		vins[i] = m.VIN
	}
	found, err := s.rows.elsewhere(ctx, c.After.ID, vins)
	if err != nil || len(found) == 0 {
		return err
	}
	now, err := s.terms(ctx, b)
	if err != nil {
		return err
	}
	others, err := s.numbersOf(ctx, found)
	if err != nil {
		return err
	}
	for _, f := range found {
		i := slices.IndexFunc(c.After.Vehicles.V, func(v vehicle) bool { return v.VIN == f.VIN })
		at := "vehicles." + strconv.Itoa(i) + ".vin"
		text := "The vehicle is on the load " + others[f.LoadID] + " too."
		if now.RefuseVIN && c.Verb != verbSplit && c.Verb != verbMerge {
			c.Refuse(errDuplicateVIN.WithField(at, text).WithDetail("load_uuid", f.LoadID))
		}
		c.After.warn("loads.vin_open_elsewhere", at, text)
	}

	return nil
}

// numbersOf are the numbers of the loads that some VINs are on.
func (s *service) numbersOf(ctx context.Context, found []onLoad) (map[uuid.UUID]string, error) {
	ids := make([]uuid.UUID, len(found))
	for i, f := range found {
		ids[i] = f.LoadID
	}
	rows, err := s.loads.FindSome(ctx, ids)
	numbers := make(map[uuid.UUID]string, len(rows))
	for _, row := range rows {
		numbers[row.ID] = row.Number
	}

	return numbers, err
}

// missing are those of some requirements that a load does not meet.
func (l *load) missing(required []string) []string {
	var all []string
	for _, r := range required {
		met := true
		switch r {
		case "vin":
			met = !slices.ContainsFunc(l.Vehicles.V, func(v vehicle) bool { return v.Open() && v.VIN == "" })
		case "stop_contacts":
			met = !slices.ContainsFunc(l.Stops.V, func(s stop) bool { return len(s.Contacts) == 0 && s.Venue.Contact == uuid.Nil })
		case "windows":
			met = !slices.ContainsFunc(l.Stops.V, func(s stop) bool { return s.Window == nil })
		case "payment_plan":
			met = len(l.Plan.V) > 0
		case "signature":
			met = l.Signature == signing.Signed
		case "deposit":
			met = plan.Deposited(l.Plan.V, l.Payments.V, l.Currency)
		case "carrier_pay":
			pay, _ := l.units(l.CarrierPay)
			met = pay > 0
		}
		if !met {
			all = append(all, r)
		}
	}

	return all
}
