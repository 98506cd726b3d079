package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/modeling"
	"github.com/dispatchd/dispatchd/platform/demo"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// The modules of the demo company and its one customer have the same ids everywhere, so that a
// request from the documentation works as it stands.
const (
	demoVehicles  = "0190d0c0-0000-7000-8000-000000000101"
	demoCustomers = "0190d0c0-0000-7000-8000-000000000102"
	demoCustomer  = "0190d0c0-0000-7000-8000-000000000301"
)

// demoVehicle is a record of the demo company's vehicles: the documented keys, all of them.
func demoVehicle() newRecord {
	return newRecord{
		ModuleUUID: uuid.MustParse(demoVehicles),
		Payload: rawjson.Object(`{"vin":"1HGCM82633A004352","year":2003,"price":"15250.00","operable":true,` +
			`"pickup_date":"2026-12-01","pickup_time":"2026-12-01 09:30:00","notes":"Keys at the desk",` +
			`"customer":{"record_uuid":"` + demoCustomer + `"}}`),
	}
}

// demoExample creates a record in the demo company.
func demoExample() demo.Example {
	return demo.Example{Method: "POST", Path: definition.Base + "/records", Body: demoVehicle()}
}

// seedDemo gives the demo company two modules and a customer.
func seedDemo(ctx context.Context, s *service) error {
	_, _, err := s.modeling.CreateModule(ctx, modeling.NewModule{
		ID: uuid.MustParse(demoCustomers), Name: "Customers",
		Fields: []definition.NewField{{Key: "name", Type: "text", Required: true, Indexed: true}},
	})
	if err != nil {
		return err
	}
	_, err = s.records.CreateRecord(ctx, uuid.MustParse(demoCustomer), uuid.MustParse(demoCustomers),
		[]byte(`{"name":"Blue Ridge Motors"}`))
	if err != nil {
		return err
	}
	_, _, err = s.modeling.CreateModule(ctx, modeling.NewModule{
		ID: uuid.MustParse(demoVehicles), Name: "Vehicles",
		Fields: []definition.NewField{
			{Key: "vin", Label: "VIN", Type: "vin", Required: true, Indexed: true},
			{Key: "year", Type: "integer", Indexed: true},
			{Key: "price", Type: "decimal", Indexed: true},
			{Key: "operable", Type: "boolean"},
			{Key: "pickup_date", Type: "date", Indexed: true},
			{Key: "pickup_time", Type: "local_datetime"},
			{Key: "notes", Type: "long_text"},
			{Key: "customer", Type: "reference", Options: rawjson.Object(`{"module_uuid":"` + demoCustomers + `"}`)},
		},
	})

	return err
}
