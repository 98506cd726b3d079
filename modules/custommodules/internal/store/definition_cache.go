package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// Attempts is how often a request follows a definition that changes under it, before it holds off
// further changes.
const Attempts = 3

// Definitions keeps the definitions of modules ready. What it has may be old, since another replica
// may have changed a module: whoever uses a definition learns from the database, in the same
// statement, whether it still holds. See use.
type Definitions struct {
	Repo  *Repository
	Types definition.Types
	cache *lru.Cache[definitionKey, *definition.Definition]
	// StructFields are those of the rows of an area, by the type of the items.
	StructFields func(itemType string) []resource.StructField
}

type definitionKey struct{ company, module uuid.UUID }

// NewDefinitions returns an empty cache of definitions.
func NewDefinitions(s definition.Settings, repo *Repository, areas *resource.Engine) (*Definitions, error) {
	cache, err := lru.New[definitionKey, *definition.Definition](s.DefinitionCache)
	if err != nil {
		return nil, fmt.Errorf("definition_cache: %w", err)
	}

	return &Definitions{Repo: repo, Types: definition.NewTypes(s), cache: cache, StructFields: areas.StructFields}, nil
}

// Use runs work with the definition of a module as the caller sees it (see SeenBy), and again with the
// newer one when work returns ErrMovedOn. Its own error is ErrModuleNotFound, also for a caller who may
// not read the module.
func (d *Definitions) Use(ctx context.Context, module uuid.UUID, work func(context.Context, *definition.Definition) error) error {
	return d.Follow(ctx, module, definition.MayRead, func(ctx context.Context, def *definition.Definition) error {
		return work(ctx, def.SeenBy(ctx))
	})
}

// Follow is use with the whole definition, for a caller who may do something; else the error is
// ErrNotPermitted. A refusal by a definition that was in the cache is not believed before the module's
// revision is read: the field may have come a moment ago.
func (d *Definitions) Follow(
	ctx context.Context, module uuid.UUID, a definition.Action, work func(context.Context, *definition.Definition) error,
) error {
	def, cached, err := d.Get(ctx, module)
	if err != nil {
		return err
	}
	for range Attempts {
		failure := runPermitted(ctx, def, a, work)
		moved := errors.Is(failure, ErrMovedOn)
		if !moved && (!cached || !maybeOutdated(failure)) {
			return failure
		}
		newer, err := d.newer(ctx, def)
		if err != nil {
			return err
		}
		if newer == def && !moved {
			return failure
		}
		def, cached = newer, false
	}

	return d.Repo.DB.InTx(ctx, func(ctx context.Context) error {
		if err := d.Repo.Hold(ctx, module); err != nil {
			return err
		}
		def, err := d.Load(ctx, module)
		if err != nil {
			return err
		}

		return runPermitted(ctx, def, a, work)
	})
}

func runPermitted(ctx context.Context, def *definition.Definition, a definition.Action, work func(context.Context, *definition.Definition) error) error {
	if err := def.Permissions.Permit(ctx, a); err != nil {
		return err
	}

	return work(ctx, def)
}

// maybeOutdated reports whether a refusal may come from a definition that is out of date.
func maybeOutdated(refusal error) bool {
	return errs.KindOf(refusal) == errs.Invalid || errors.Is(refusal, definition.ErrModuleNotFound) || errors.Is(refusal, definition.ErrModuleArchived) || errors.Is(refusal, definition.ErrNotPermitted)
}

// Get returns the definition of a module, and whether it comes from the cache.
func (d *Definitions) Get(ctx context.Context, module uuid.UUID) (*definition.Definition, bool, error) {
	key := keyOf(ctx, module)
	if def, ok := d.cache.Get(key); ok {
		return def, true, nil
	}
	def, err := d.Load(ctx, module)

	return def, false, err
}

// newer returns the definition itself if its module is still at its revision, else the present one.
func (d *Definitions) newer(ctx context.Context, def *definition.Definition) (*definition.Definition, error) {
	revision, err := d.Repo.Revision(ctx, def.Module)
	if err != nil || revision == def.Revision {
		return def, err
	}

	return d.Load(ctx, def.Module)
}

// Load reads a definition. The module is read before its fields: between the two a field may come,
// and a definition that is older than it says would be believed.
func (d *Definitions) Load(ctx context.Context, module uuid.UUID) (*definition.Definition, error) {
	row, err := d.Repo.Module(ctx, module)
	if err != nil {
		return nil, err
	}
	def, _, err := d.build(ctx, row)
	if err != nil {
		return nil, err
	}
	d.Repo.DB.AfterCommit(ctx, func() { d.cache.Add(keyOf(ctx, module), def) }) // until then it may be undone

	return def, nil
}

// build makes the definition of a module, and says from which revision on the slots of its fields are
// filled.
func (d *Definitions) build(ctx context.Context, row definition.ModuleRow) (*definition.Definition, map[uuid.UUID]int64, error) {
	rows, err := d.Repo.allFieldsOf(ctx, row.ID)
	if err != nil {
		return nil, nil, err
	}
	formers, err := d.withFormer(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	fields := make([]*definition.ModuleField, len(rows))
	since := map[uuid.UUID]int64{}
	for i, row := range rows {
		if row.SlotSince != nil {
			since[row.ID] = *row.SlotSince
		}
		if fields[i], err = d.Types.Compile(row); err != nil {
			return nil, nil, fmt.Errorf("field %s: %w", row.ID, err)
		}
	}
	if err := d.Types.Trace(rows, fields, formers); err != nil {
		return nil, nil, err
	}
	fields = append(fields, d.mirrors(row.ItemType, fields)...)
	def := definition.NewDefinition(row.ID, row.Revision, fields, d.Repo.DB.Dialect())
	def.Describe(row)
	if err := d.watch(ctx, def, rows); err != nil {
		return nil, nil, err
	}

	return def, since, nil
}

// LoadWithDeleted reads the definition of a module that may be deleted.
func (d *Definitions) LoadWithDeleted(ctx context.Context, module uuid.UUID) (*definition.Definition, map[uuid.UUID]int64, error) {
	row, err := d.Repo.anyModule(ctx, module)
	if err != nil {
		return nil, nil, err
	}

	return d.build(ctx, row)
}

func keyOf(ctx context.Context, module uuid.UUID) definitionKey {
	return definitionKey{principal.CompanyOf(ctx), module}
}

// Current returns the definition of a module as it is in the database now, or ErrModuleNotFound.
func (d *Definitions) Current(ctx context.Context, module uuid.UUID) (*definition.Definition, error) {
	def, cached, err := d.Get(ctx, module)
	if err != nil || !cached {
		return def, err
	}

	return d.newer(ctx, def)
}

// UsePresent is use with the definition as it is in the database now: for what stores no records, and would
// not notice that a definition is old.
func (d *Definitions) UsePresent(ctx context.Context, module uuid.UUID, work func(context.Context, *definition.Definition) error) error {
	def, err := d.Current(ctx, module)
	if err != nil {
		return err
	}

	return runPermitted(ctx, def, definition.MayRead, func(ctx context.Context, def *definition.Definition) error { return work(ctx, def.SeenBy(ctx)) })
}
