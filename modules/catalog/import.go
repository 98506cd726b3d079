package catalog

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// catalog brings defaults into a company's list.
type catalog struct {
	services *resource.Resource[service]
	db       *database.DB
}

func newCatalog(services *resource.Resource[service], db *database.DB) *catalog {
	return &catalog{services: services, db: db}
}

// complete says of services where they come from.
func (c *catalog) complete(_ context.Context, all []*resource.Change[service]) error {
	for _, change := range all {
		change.After.Source = cmp.Or(change.After.Source, "company")
	}

	return nil
}

// importRequest says which defaults are imported.
type importRequest struct {
	Codes []string `json:"codes,omitempty" maxItems:"200" doc:"Codes of defaults." example:"[\"storage\"]"`
	All   bool     `json:"all,omitempty" doc:"Import all defaults."`
}

// SchemaName implements web.SchemaNamer.
func (importRequest) SchemaName() string { return "ImportDefaultRequest" }

// imported says what became of a default.
type imported struct {
	Code    string  `json:"code"`
	Outcome outcome `json:"outcome" enum:"imported,kept,newer,taken" doc:"kept: it was imported before, and the company's changes stay. newer: as kept, and a newer version of the default is available. taken: one of the company's own services has the code."`
	Service string  `json:"service_uuid" format:"uuid" doc:"The service with the code."`
	Version int64   `json:"version" doc:"The version of the default in the company's list; 0 for a service of its own."`
	Latest  int64   `json:"latest_version"`
}

type outcome string

// importDefaults brings defaults into the company's list, and leaves alone what it has.
func (c *catalog) importDefaults(ctx context.Context, request importRequest) (all []imported, err error) {
	wanted, err := request.defaults()
	if err != nil {
		return nil, err
	}
	codes := make([]string, len(wanted))
	for i, d := range wanted {
		codes[i] = d.Code
	}
	err = c.db.InTx(ctx, func(ctx context.Context) error {
		all = make([]imported, 0, len(wanted))
		ofDefault, err := c.services.Where(ctx, "default_code IN ?", codes)
		if err != nil {
			return err
		}
		ofCode, err := c.services.Where(ctx, "code IN ?", codes)
		if err != nil {
			return err
		}
		for _, d := range wanted {
			one, err := c.takeOne(ctx, d, ofDefault, ofCode)
			if err != nil {
				return err
			}
			all = append(all, one)
		}

		return nil
	})

	return all, err
}

func (c *catalog) takeOne(ctx context.Context, d defaultService, ofDefault, ofCode []service) (imported, error) {
	if i := slices.IndexFunc(ofDefault, func(s service) bool { return *s.DefaultCode == d.Code }); i >= 0 {
		has := ofDefault[i]
		one := imported{Code: d.Code, Outcome: "kept", Service: has.ID.String(), Version: *has.DefaultVersion, Latest: d.Version}
		if one.Version < one.Latest {
			one.Outcome = "newer"
		}

		return one, nil
	}
	if i := slices.IndexFunc(ofCode, func(s service) bool { return s.Code == d.Code }); i >= 0 {
		return imported{Code: d.Code, Outcome: "taken", Service: ofCode[i].ID.String(), Latest: d.Version}, nil
	}
	made, err := c.services.Create(ctx, service{
		Code: d.Code, Name: d.Name, Kind: d.Kind, Unit: d.Unit, Description: d.Description,
		Source: "default", DefaultCode: &d.Code, DefaultVersion: &d.Version,
	})

	return imported{Code: d.Code, Outcome: "imported", Service: made.ID.String(), Version: d.Version, Latest: d.Version}, err
}

// defaults are those that a request names.
func (r importRequest) defaults() ([]defaultService, error) {
	known := defaultServices()
	if r.All == (len(r.Codes) > 0) {
		return nil, errInvalid.WithField("codes", "Send the codes of defaults, or all.")
	}
	if r.All {
		return known, nil
	}
	wanted, wrong := make([]defaultService, 0, len(r.Codes)), errInvalid
	for i, code := range r.Codes {
		switch at := slices.IndexFunc(known, func(d defaultService) bool { return d.Code == code }); {
		case at < 0:
			wrong = wrong.WithField(fmt.Sprintf("codes.%d", i), "There is no such default: "+code+".")
		case !slices.Contains(r.Codes[:i], code):
			wanted = append(wanted, known[at])
		}
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}

	return wanted, nil
}

type importInput struct{ Body importRequest }

type importOutput struct {
	Body struct {
		Data []imported `json:"data" nullable:"false"`
	}
}

type defaultsOutput struct {
	Body struct {
		Data []defaultService `json:"data" nullable:"false"`
	}
}

func importRoutes(router *web.Router, c *catalog) {
	web.Register(router, web.Operation{
		Method: http.MethodGet, Path: "/defaults", ID: "list_defaults", Access: web.Read, Summary: "List the services that can be imported",
		Description: "The defaults come with dispatchd and have no prices. Each has a version that increases when it changes.",
		Errors:      []*errs.Error{identity.ErrCompanyNotFound},
	}, func(context.Context, *struct{}) (*defaultsOutput, error) {
		out := &defaultsOutput{}
		out.Body.Data = defaultServices()

		return out, nil
	})
	web.Register(router, web.Operation{
		Method: http.MethodPost, Path: "/services/import", ID: "import_defaults", Access: web.Write, Summary: "Import services from the defaults",
		Description: "A default that was imported before is not imported again, even if the company changed it; one whose service was deleted is.",
		Errors:      c.services.WriteErrors(),
	}, func(ctx context.Context, in *importInput) (*importOutput, error) {
		all, err := c.importDefaults(ctx, in.Body)
		out := &importOutput{}
		out.Body.Data = all

		return out, err
	})
}
