package custommodules

import (
	"context"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

func packRoutes(r *web.Router, s *service) {
	about := "The body has the `pack` itself, or with `install` the name of one that comes with the service. `bind` says by the " +
		"pack's keys which modules of the company are meant, for modules outside of the pack and for those that are not from it; " +
		"`names` gives modules that are made other names. What the company has changed itself stays, unless `overwrite` is true. "
	failures := []*errs.Error{errInvalidPack, errPackNotFound}
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/packs", ID: "list_packs", Access: web.Read,
		Summary: "List the packs of modules that come with the service", Errors: []*errs.Error{errPackNotFound},
	}, s.listPacks)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/packs/{name}", ID: "read_pack", Access: web.Read,
		Summary: "Read a pack that comes with the service", Errors: []*errs.Error{errPackNotFound},
	}, s.getPack)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/modules/{uuid}/pack", ID: "export_module", Access: web.Read,
		Summary: "Export the definition of a module as a pack", Errors: []*errs.Error{errModuleNotFound, errInvalidPack},
	}, s.getModulePack)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packs/export", ID: "export_pack", Access: web.Read,
		Summary:     "Export the definitions of modules as a pack",
		Description: "References between the modules stay references; those to other modules are named under outside.",
		Errors:      []*errs.Error{errModuleNotFound, errInvalidPack},
	}, s.postExportPack)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packs/plan", ID: "plan_pack", Access: web.Scope("define"),
		Summary: "Say what importing a pack would do", Description: about + "Nothing is changed.",
		Errors: failures, MaxBody: s.settings.MaxPack, RequestSchema: packSchema,
	}, func(ctx context.Context, in *packInput) (*planOutput, error) { return s.postPack(ctx, in, s.planPack) })
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/packs/import", ID: "import_pack", Access: web.Scope("define"),
		Summary:     "Make and change modules as a pack says",
		Description: about + "All of it is done, or nothing. A second time, nothing changes.",
		Errors:      append(failures, errPackConflicts), MaxBody: s.settings.MaxPack, RequestSchema: packSchema,
	}, func(ctx context.Context, in *packInput) (*planOutput, error) {
		return s.postPack(ctx, in, s.importPack)
	})
}

func packSchema() *huma.Schema {
	byKey := func(of *huma.Schema, about string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: of, Description: about}
	}

	return &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"pack":      {Type: huma.TypeObject, AdditionalProperties: true, Description: "A pack, as an export answers it."},
			"install":   {Type: huma.TypeString, Description: "The name of a pack that comes with the service, instead of pack."},
			"bind":      byKey(&huma.Schema{Type: huma.TypeString, Format: "uuid"}, "Modules of the company by the keys of the pack."),
			"names":     byKey(&huma.Schema{Type: huma.TypeString}, "Names of modules by the keys of the pack."),
			"overwrite": {Type: huma.TypeBoolean, Default: false, Description: "Whether the pack's word counts where the company has changed something itself."},
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
	ctx context.Context, in *packInput, do func(context.Context, packOrder) (packs.PackPlan, error),
) (*planOutput, error) {
	var body packBody
	if err := in.Decode(&body); err != nil {
		return nil, err
	}
	order := packOrder{bind: body.Bind, names: body.Names, overwrite: body.Overwrite}
	var err error
	switch given := len(rawjson.OrNothing(body.Pack)) > 0; {
	case given == (body.Install != ""):
		return nil, errInvalidPack.WithField("pack", "Give either a pack, or with install the name of one that comes with the service.")
	case given:
		order.under = "pack."
		order.pack, err = readPack(body.Pack, order.under)
	default:
		order.pack, err = shippedPack(body.Install)
	}
	if err != nil {
		return nil, err
	}
	plan, err := do(ctx, order)

	return &planOutput{Body: plan}, err
}

// readPack reads a pack strictly. One of a newer format is refused as such, whatever else it says.
func readPack(raw []byte, under string) (p packs.Pack, err error) {
	switch format := packs.FormatOf(raw); {
	case format == 0:
		return p, errInvalidPack.WithField(under+"format", fmt.Sprintf("The format is required: a whole number, at present %d.", packs.Format))
	case format > packs.Format:
		return p, errInvalidPack.WithField(under+"format", fmt.Sprintf(
			"The pack is of format %d, and this version of the service knows formats up to %d.", format, packs.Format))
	}
	if err := web.DecodeJSON(raw, &p); err != nil {
		return p, underPath(under, err)
	}

	return p, packProblems(under, p.Check())
}

func shippedPack(name string) (packs.Pack, error) {
	found, names, err := packs.Find(name)
	if err != nil {
		return packs.Pack{}, err
	}
	if found == nil {
		return packs.Pack{}, errPackNotFound.WithMessage("There is no pack %s%s", naming.Shorten(name), naming.DidYouMean(name, names))
	}

	return *found, nil
}
