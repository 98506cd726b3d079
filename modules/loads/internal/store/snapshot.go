package store

import (
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
)

// Snapshot is a load as others keep it.
func (l Load) Snapshot() loadsapi.Snapshot {
	s := loadsapi.Snapshot{
		Load: l.ID.String(), Number: l.Number, State: l.State, Currency: string(l.Currency), TransportType: l.Transport, Expedited: l.Priority == "expedited",
		AvailableFrom: string(l.AvailableFrom), PlanTemplate: l.PlanTemplate, Stops: []loadsapi.SnapshotStop{}, Vehicles: []loadsapi.SnapshotVehicle{},
	}
	if l.Customer != nil {
		s.Customer = l.Customer.String()
	}
	if l.Miles != nil && l.FromDays != nil && l.ToDays != nil {
		s.Miles, s.FromDays, s.ToDays = *l.Miles, *l.FromDays, *l.ToDays
	}
	for _, one := range l.Stops.V {
		s.Stops = append(s.Stops, loadsapi.SnapshotStop{
			UUID: one.UUID.String(), Kind: one.Kind, City: one.Venue.City, State: one.Venue.State, PostalCode: one.Venue.PostalCode, TimeZone: one.Venue.TimeZone,
		})
	}
	for _, v := range l.Vehicles.V {
		if v.Open() {
			s.Vehicles = append(s.Vehicles, loadsapi.SnapshotVehicle{
				UUID: v.UUID.String(), Name: v.Name(), VIN: v.VIN, Type: string(v.Type), Operable: v.Runs(), Modified: len(v.Modified) > 0,
				Tariff: string(v.Tariff), CarrierPay: string(v.CarrierPay),
			})
		}
	}
	for _, c := range l.Charges.V {
		if c.Payer == Customer {
			one := loadsapi.Charge{UUID: c.UUID.String(), Kind: c.Kind, Description: c.Description, Amount: string(c.Amount), Payee: c.Payee, Taxable: c.Taxable}
			if c.Vehicle != uuid.Nil {
				one.Vehicle = c.Vehicle.String()
			}
			s.Charges = append(s.Charges, one)
		}
	}

	return s
}
