package custommodules

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packaging"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

func packRoutes(r *web.Router, s *service) {
	about := "The body has the `pack` itself, or in `install` the name of one that comes with the service. `bind` maps " +
		"keys of the pack to existing modules of the company, for modules outside of the pack and for modules that did " +
		"not come from it; `names` gives new modules other names. The company's own changes stay, unless `overwrite` " +
		"is true. "
	failures := []*errs.Error{definition.ErrInvalidPack, definition.ErrPackNotFound}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/packs", ID: "list_packs", Access: web.Read,
		Summary: "List the packs of modules that come with the service", Errors: []*errs.Error{definition.ErrPackNotFound},
	}, s.listPacks)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/packs/{name}", ID: "read_pack", Access: web.Read,
		Summary: "Read a pack that comes with the service", Errors: []*errs.Error{definition.ErrPackNotFound},
	}, s.getPack)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/pack", ID: "export_module", Access: web.Read,
		Summary: "Export the definition of a module as a pack", Errors: []*errs.Error{definition.ErrModuleNotFound, definition.ErrInvalidPack},
	}, s.getModulePack)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packs/export", ID: "export_pack", Access: web.Read,
		Summary:     "Export the definitions of modules as a pack",
		Description: "References between the modules stay references; those to other modules are named under outside.",
		Errors:      []*errs.Error{definition.ErrModuleNotFound, definition.ErrInvalidPack},
	}, s.postExportPack)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packs/plan", ID: "plan_pack", Access: web.Scope("define"),
		Summary: "Preview the import of a pack", Description: about + "Nothing is changed.",
		Errors: failures, MaxBody: s.settings.MaxPack, RequestSchema: packSchema,
	}, func(ctx context.Context, in *packInput) (*planOutput, error) {
		return s.postPack(ctx, in, s.packs.PlanPack)
	})
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packs/import", ID: "import_pack", Access: web.Scope("define"),
		Summary:     "Import a pack: create and change its modules",
		Description: about + "All of it happens, or nothing. Importing it again changes nothing.",
		Errors:      append(failures, definition.ErrPackConflicts), MaxBody: s.settings.MaxPack, RequestSchema: packSchema,
	}, func(ctx context.Context, in *packInput) (*planOutput, error) {
		return s.postPack(ctx, in, s.packs.ImportPack)
	})
}

func packSchema() *huma.Schema {
	byKey := func(of *huma.Schema, about string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: of, Description: about}
	}

	return &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"pack":      {Type: huma.TypeObject, AdditionalProperties: true, Description: "A pack, as returned by an export."},
			"install":   {Type: huma.TypeString, Description: "The name of a pack that comes with the service, instead of pack."},
			"bind":      byKey(&huma.Schema{Type: huma.TypeString, Format: "uuid"}, "Modules of the company, by key of the pack."),
			"names":     byKey(&huma.Schema{Type: huma.TypeString}, "Names of new modules, by key of the pack."),
			"overwrite": {Type: huma.TypeBoolean, Default: false, Description: "Whether the pack overwrites the company's own changes."},
		},
		AdditionalProperties: false,
		Examples:             []any{map[string]any{"install": "vehicle_inspection"}},
	}
}

type packInput struct{ web.RawJSON }

// packBody is the body of a plan and of an import.
type packBody struct {
	Pack      rawjson.Object       `json:"pack,omitempty"`
	Install   string               `json:"install,omitempty"`
	Bind      map[string]uuid.UUID `json:"bind,omitempty"`
	Names     map[string]string    `json:"names,omitempty"`
	Overwrite bool                 `json:"overwrite,omitempty"`
}

type planOutput struct{ Body packs.PackPlan }

func (s *service) postPack(
	ctx context.Context, in *packInput, do func(context.Context, packaging.PackOrder) (packs.PackPlan, error),
) (*planOutput, error) {
	var body packBody
	if err := in.Decode(&body); err != nil {
		return nil, err
	}
	order := packaging.PackOrder{Bind: body.Bind, Names: body.Names, Overwrite: body.Overwrite}
	var err error
	switch given := len(rawjson.OrNothing(body.Pack)) > 0; {
	case given == (body.Install != ""):
		return nil, definition.ErrInvalidPack.WithField("pack", "Send either pack, or install with the name of a pack that comes with the service.")
	case given:
		order.Under = "pack."
		order.Pack, err = packaging.ReadPack(body.Pack, order.Under)
	default:
		order.Pack, err = packaging.ShippedPack(body.Install)
	}
	if err != nil {
		return nil, err
	}
	plan, err := do(ctx, order)

	return &planOutput{Body: plan}, err
}
