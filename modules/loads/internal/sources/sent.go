package sources

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/link"
)

var (
	errSourceKey = errs.New(errs.Unauthenticated, "loads.source_key_unknown", "`api_key` is not valid.")
	errRequest   = errs.New(errs.Invalid, "loads.invalid_request", "The given data was invalid.")
)

// sourceRequest is what a source sends. It may have further keys.
type sourceRequest map[string]any

// Schema implements huma.SchemaProvider.
func (sourceRequest) Schema(huma.Registry) *huma.Schema {
	text := func(doc string) *huma.Schema { return &huma.Schema{Description: doc} }

	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Properties: map[string]*huma.Schema{
			"api_key": text("A key of the source."), "trailer_type": text("OPEN, ENCLOSED or DRIVEAWAY."), "load_type": text("auto_transport by default; else commodities are required."),
			"first_avail": text("The first day for the pickup."), "origin_city": text(""), "origin_state": text(""), "origin_zip": text(""),
			"destination_city": text(""), "destination_state": text(""), "destination_zip": text(""), "customer_first_name": text(""), "customer_last_name": text(""),
			"customer_phone_1": text(""), "customer_email": text(""),
			"vehicles": text("Objects with vehicle_year, vehicle_make, vehicle_model, vehicle_type and is_operational."), "commodities": text("Goods, for another load_type."),
		},
	}
}

type fromSourceInput struct{ Body sourceRequest }

type fromSourceOutput struct {
	Body struct {
		UUID   uuid.UUID      `json:"uuid"`
		Number string         `json:"number"`
		State  loadsapi.State `json:"state"`
	}
}

func (k *Keys) fromSource(ctx context.Context, in *fromSourceInput) (*fromSourceOutput, error) {
	key, _ := in.Body["api_key"].(string)
	ctx, found, err := k.links.Enter(ctx, Key, key)
	if errors.Is(err, link.ErrTooOften) {
		return nil, err
	}
	if err != nil {
		if errs.IsRefusal(err) {
			err = errSourceKey
		}

		return nil, err
	}
	if err := missingOf(in.Body); err != nil {
		return nil, err
	}
	text, err := scrubbed(in.Body)
	if err != nil {
		return nil, err
	}
	all, err := k.desk.takeLimited(ctx, found.Subject.ID, intake.JSON, text)
	if errors.Is(err, k.sources.NotFound()) {
		err = errSourceKey
	}
	if err != nil {
		return nil, err
	}
	out := &fromSourceOutput{}
	out.Body.UUID, out.Body.Number, out.Body.State = all[0].ID, all[0].Number, all[0].State

	return out, nil
}

// missingOf names what a request lacks.
func missingOf(body sourceRequest) error {
	wrong := errRequest
	absent := func(of map[string]any, name string) bool { v, there := of[name]; return !there || v == nil || v == "" }
	for _, name := range []string{"trailer_type", "customer_first_name", "customer_last_name", "customer_phone_1", "customer_email"} {
		if absent(body, name) {
			wrong = wrong.WithField(name, "The "+name+" is required.")
		}
	}
	kind, _ := body["load_type"].(string)
	if kind != "" && kind != "auto_transport" {
		if goods, _ := body["commodities"].([]any); len(goods) == 0 {
			wrong = wrong.WithField("commodities", "The commodities are required for this load_type.")
		}
	} else {
		vehicles, _ := body["vehicles"].([]any)
		if len(vehicles) == 0 {
			wrong = wrong.WithField("vehicles", "At least one vehicle is required.")
		}
		for i, v := range vehicles {
			of, _ := v.(map[string]any)
			for _, name := range []string{"vehicle_year", "vehicle_make", "vehicle_model", "vehicle_type"} {
				if absent(of, name) {
					wrong = wrong.WithField("vehicles."+strconv.Itoa(i)+"."+name, "The "+name+" is required.")
				}
			}
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// scrubbed is the body of a request without the key, in a fixed form.
func scrubbed(body map[string]any) (string, error) {
	kept := map[string]any{}
	for name, value := range body {
		if !slices.Contains([]string{"api_key"}, name) {
			kept[name] = value
		}
	}
	text, err := json.Marshal(kept)

	return string(text), err
}
