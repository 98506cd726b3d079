package custommodules

import (
	"context"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packaging"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/packs"
)

type packList struct{ Body packListBody }

type packListBody struct {
	Data []shippedShown `json:"data" nullable:"false"`
}

// shippedShown is a pack that comes with the service, and what the company has of it.
type shippedShown struct {
	Name        string              `json:"name"`
	Version     int                 `json:"version"`
	Title       string              `json:"title"`
	Description string              `json:"description"`
	Modules     []shippedModuleInfo `json:"modules" nullable:"false"`
}

type shippedModuleInfo struct {
	Key         string     `json:"key"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Fields      int        `json:"fields" doc:"Number of fields."`
	ModuleUUID  *uuid.UUID `json:"module_uuid" doc:"The company's module that comes from it; null if there is none."`
	Version     *int       `json:"installed_version" doc:"The version of the pack that the company's module is of."`
}

func (s *service) listPacks(ctx context.Context, _ *struct{}) (*packList, error) {
	all, err := packs.BuiltIn()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	rows, err := s.repo.ModulesFromPacks(ctx, names)
	if err != nil {
		return nil, err
	}
	out := &packList{}
	for _, p := range all {
		shown := shippedShown{Name: p.Name, Version: p.Version, Title: p.Title, Description: p.Description}
		for _, m := range p.Modules {
			info := shippedModuleInfo{Key: m.Key, Name: m.Name, Description: m.Description, Fields: len(m.Fields)}
			for _, row := range rows {
				if row.Origin.From(p.Name, m.Key) && row.Permissions.Allow(ctx, definition.MayRead) {
					info.ModuleUUID, info.Version = new(row.ID), row.Origin.PackVersion
				}
			}
			shown.Modules = append(shown.Modules, info)
		}
		out.Body.Data = append(out.Body.Data, shown)
	}

	return out, nil
}

type packOutput struct{ Body packs.Pack }

type getPackInput struct {
	Name string `path:"name" maxLength:"64"`
}

func (s *service) getPack(_ context.Context, in *getPackInput) (*packOutput, error) {
	p, err := packaging.ShippedPack(in.Name)

	return &packOutput{Body: p}, err
}

type modulePackInput struct {
	UUID uuid.UUID `path:"uuid"`
	Name string    `query:"name" doc:"Name of the pack in snake_case; by default the module's name."`
}

func (s *service) getModulePack(ctx context.Context, in *modulePackInput) (*packOutput, error) {
	p, err := s.packs.ExportPack(ctx, packs.Pack{Name: in.Name}, []uuid.UUID{in.UUID})

	return &packOutput{Body: p}, err
}

type exportPackInput struct{ Body exportOrder }

// exportOrder says which modules are to be a pack.
type exportOrder struct {
	ModuleUUIDs []uuid.UUID `json:"module_uuids" minItems:"1" maxItems:"50" doc:"The modules, in their order in the pack."`
	Name        string      `json:"name,omitempty" doc:"Name of the pack in snake_case; by default the first module's name."`
	Version     int         `json:"version,omitempty" doc:"Version of the pack; by default 1."`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
}

func (s *service) postExportPack(ctx context.Context, in *exportPackInput) (*packOutput, error) {
	b := in.Body
	seen := map[uuid.UUID]bool{}
	for _, id := range b.ModuleUUIDs {
		if seen[id] {
			return nil, definition.ErrInvalidPack.WithField("module_uuids", "A module is named twice.")
		}
		seen[id] = true
	}
	if len(b.ModuleUUIDs) == 0 || len(b.ModuleUUIDs) > packs.MostModules {
		return nil, definition.ErrInvalidPack.WithField("module_uuids", "The module uuids must be a list of 1 to 50.")
	}
	p, err := s.packs.ExportPack(ctx, packs.Pack{Name: b.Name, Version: b.Version, Title: b.Title, Description: b.Description}, b.ModuleUUIDs)

	return &packOutput{Body: p}, err
}
