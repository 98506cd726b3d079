package loads

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/money"
)

// vehicle is a vehicle on a load.
type vehicle struct {
	UUID       uuid.UUID        `json:"uuid,omitzero" doc:"Made up for a new one." seen:"customer carrier offer"`
	ExternalID string           `json:"external_id,omitempty" maxLength:"50" doc:"Your own id of the vehicle." seen:"-"`
	VIN        string           `json:"vin,omitempty" maxLength:"20" doc:"It fills in the year, the make, the model and the type where they are left out." example:"1HGCM82633A004352" seen:"customer carrier"`
	Year       *int64           `json:"year,omitempty" minimum:"1900" maximum:"2100" example:"2003" seen:"customer carrier offer"`
	Make       string           `json:"make,omitempty" maxLength:"50" example:"Honda" seen:"customer carrier offer"`
	Model      string           `json:"model,omitempty" maxLength:"100" example:"Accord" seen:"customer carrier offer"`
	Trim       string           `json:"trim,omitempty" maxLength:"100" seen:"customer carrier offer"`
	Color      string           `json:"color,omitempty" maxLength:"30" seen:"customer carrier"`
	Plate      string           `json:"plate,omitempty" maxLength:"12" seen:"customer carrier"`
	PlateState string           `json:"plate_state,omitempty" maxLength:"3" seen:"customer carrier"`
	Type       vehiclesapi.Type `json:"type,omitempty" doc:"As GET /vehicles/api/v1/types lists them; by default that of the VIN, or other." example:"coupe" seen:"customer carrier offer"`
	Operable   *bool            `json:"operable,omitempty" default:"true" doc:"Whether it runs; false if it has conditions." seen:"customer carrier offer"`
	Conditions []string         `json:"conditions,omitempty" maxItems:"8" nullable:"false" enum:"no_start,no_roll,no_steer,no_brakes,no_keys,flat_tires,no_tires,frame_damage" seen:"customer carrier offer"`
	Modified   []string         `json:"modified,omitempty" maxItems:"5" nullable:"false" enum:"lifted,lowered,oversize_tires,rack,other" seen:"customer carrier offer"`
	LengthIn   int64            `json:"length_in,omitempty" minimum:"0" maximum:"2000" doc:"In inches." seen:"customer carrier offer"`
	WidthIn    int64            `json:"width_in,omitempty" minimum:"0" maximum:"500" seen:"customer carrier offer"`
	HeightIn   int64            `json:"height_in,omitempty" minimum:"0" maximum:"500" seen:"customer carrier offer"`
	WeightLb   int64            `json:"weight_lb,omitempty" minimum:"0" maximum:"200000" doc:"In pounds." seen:"customer carrier offer"`
	Keys       *int64           `json:"keys_count,omitempty" minimum:"0" maximum:"20" seen:"customer carrier"`
	Lot        string           `json:"lot_number,omitempty" maxLength:"50" seen:"customer carrier"`
	Buyer      string           `json:"buyer_number,omitempty" maxLength:"50" seen:"customer carrier"`
	GatePass   string           `json:"gate_pass,omitempty" maxLength:"80" seen:"carrier"`
	Declared   money.Amount     `json:"declared_value,omitempty" seen:"customer"`
	Pickup     uuid.UUID        `json:"pickup_stop_uuid,omitzero" doc:"By default the first stop." seen:"customer carrier offer"`
	Delivery   uuid.UUID        `json:"delivery_stop_uuid,omitzero" doc:"By default the last stop." seen:"customer carrier offer"`
	Tariff     money.Amount     `json:"tariff,omitempty" doc:"What the customer pays for its transport." example:"1100.00" seen:"customer"`
	CarrierPay money.Amount     `json:"carrier_pay,omitempty" doc:"What the carrier gets for it." example:"900.00" seen:"carrier offer"`
	BrokerFee  money.Amount     `json:"broker_fee,omitempty" doc:"tariff less carrier_pay. Of the three, two are enough." example:"200.00" seen:"-"`
	Custody    custody          `json:"custody,omitempty" enum:"waiting,picked_up,delivered,removed" doc:"Where it is; set by the service." seen:"customer carrier"`
	PickedUpAt *time.Time       `json:"picked_up_at,omitempty" seen:"customer carrier"`
	DroppedAt  *time.Time       `json:"delivered_at,omitempty" seen:"customer carrier"`
	RemovedFor string           `json:"removed_reason,omitempty" maxLength:"500" seen:"-"`
	Notes      string           `json:"notes,omitempty" maxLength:"2000" seen:"carrier"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (vehicle) SchemaName() string { return "Vehicle" }

// custody is where a vehicle is.
type custody string

const (
	waiting custody = "waiting"
	onBoard custody = "picked_up"
	dropped custody = "delivered"
	removed custody = "removed"
)

var errDuplicateVIN = errs.New(errs.Conflict, "loads.vin_taken", "A vehicle is on another open load.")

// runs reports whether a vehicle runs.
func (v vehicle) runs() bool { return v.Operable == nil || *v.Operable }

// open reports whether a vehicle is on the load still.
func (v vehicle) open() bool { return v.Custody != removed }

// name is what people call a vehicle.
func (v vehicle) name() string {
	year := ""
	if v.Year != nil {
		year = strconv.FormatInt(*v.Year, 10)
	}

	return cmp.Or(strings.Join(strings.Fields(year+" "+v.Make+" "+v.Model), " "), v.VIN)
}

// find returns a vehicle of the load. Error: loads.part_not_found.
func (l *load) find(id uuid.UUID) (*vehicle, error) {
	i := slices.IndexFunc(l.Vehicles.V, func(v vehicle) bool { return v.UUID == id })
	if i < 0 {
		return nil, loadsapi.ErrPart
	}

	return &l.Vehicles.V[i], nil
}

// checkVehicles brings the vehicles into their normal form.
func (l *load) checkVehicles(wrong *errs.Error) *errs.Error {
	seen := map[string]int{}
	for i := range l.Vehicles.V {
		v, at := &l.Vehicles.V[i], "vehicles."+strconv.Itoa(i)
		v.VIN = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(v.VIN))
		v.Make, v.Model, v.Custody = strings.TrimSpace(v.Make), strings.TrimSpace(v.Model), cmp.Or(v.Custody, waiting)
		if v.VIN == "" && v.Make == "" && v.Model == "" {
			wrong = wrong.WithField(at+".vin", "A vin, or a make and a model, is required.")
		}
		if v.Type != "" && !v.Type.Known() {
			wrong = wrong.WithField(at+".type", "The type is none of those of GET /vehicles/api/v1/types.")
		}
		if first, twice := seen[v.VIN]; v.VIN != "" && twice {
			wrong = wrong.WithField(at+".vin", "The vehicle at vehicles."+strconv.Itoa(first)+" has the same VIN.")
		}
		seen[v.VIN] = i
		if len(v.Conditions) > 0 {
			no := false
			v.Operable = &no
		}
		wrong = l.checkEnds(at, v.Pickup, v.Delivery, wrong)
		wrong = l.checkPrice(at, v, wrong)
	}
	for i, c := range l.Commodities.V {
		at := "commodities." + strconv.Itoa(i)
		wrong = l.checkEnds(at, c.Pickup, c.Delivery, wrong)
		if _, ok := l.units(c.Declared); !ok {
			wrong = wrong.WithField(at+".declared_value", l.amountRule("declared_value"))
		}
	}

	return wrong
}

// checkEnds refuses a way that does not lead from a stop to a later one.
func (l *load) checkEnds(at string, from, to uuid.UUID, wrong *errs.Error) *errs.Error {
	begin, end := 0, len(l.Stops.V)-1
	if from != uuid.Nil {
		if begin = l.place(from); begin < 0 {
			wrong = wrong.WithField(at+".pickup_stop_uuid", "The load has no such stop.")
		}
	}
	if to != uuid.Nil {
		if end = l.place(to); end < 0 {
			wrong = wrong.WithField(at+".delivery_stop_uuid", "The load has no such stop.")
		}
	}
	if begin >= 0 && end >= 0 && begin >= end && (from != uuid.Nil || to != uuid.Nil) {
		wrong = wrong.WithField(at+".delivery_stop_uuid", "The delivery must come after the pickup in the order of the stops.")
	}

	return wrong
}

// checkPrice completes tariff, carrier pay and fee of a vehicle, of which two give the third.
func (l *load) checkPrice(at string, v *vehicle, wrong *errs.Error) *errs.Error {
	tariff, isTariff := l.units(v.Tariff)
	pay, isPay := l.units(v.CarrierPay)
	fee, isFee := l.signedUnits(v.BrokerFee)
	_, isValue := l.units(v.Declared)
	for name, ok := range map[string]bool{"tariff": isTariff, "carrier_pay": isPay, "broker_fee": isFee, "declared_value": isValue} {
		if !ok {
			wrong = wrong.WithField(at+"."+name, l.amountRule(name))
		}
	}
	switch {
	case v.Tariff != "" && v.CarrierPay != "" && v.BrokerFee != "" && isTariff && isPay && isFee && tariff-pay != fee:
		wrong = wrong.WithField(at+".broker_fee", "The broker_fee must be the tariff less the carrier_pay. Leave one of the three out.")
	case v.Tariff != "" && v.CarrierPay != "":
		v.BrokerFee = l.amountOf(tariff - pay)
	case v.Tariff != "" && v.BrokerFee != "":
		if v.CarrierPay = l.amountOf(tariff - fee); tariff < fee {
			wrong = wrong.WithField(at+".broker_fee", "The broker_fee is more than the tariff.")
		}
	case v.CarrierPay != "" && v.BrokerFee != "":
		if v.Tariff = l.amountOf(pay + fee); pay+fee < 0 {
			wrong = wrong.WithField(at+".broker_fee", "The tariff would be negative.")
		}
	}

	return wrong
}
