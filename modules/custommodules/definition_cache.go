package custommodules

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// attempts is how often a request follows a definition that changes under it, before it holds off
// further changes.
const attempts = 3

// definitions keeps the definitions of modules ready. What it has may be old, since another replica
// may have changed a module: whoever uses a definition learns from the database, in the same
// statement, whether it still holds. See use.
type definitions struct {
	repo  *repository
	types types
	cache *lru.Cache[definitionKey, *definition]
	// structFields are those of the rows of an area, by the type of the items.
	structFields func(itemType string) []resource.StructField
}

type definitionKey struct{ company, module uuid.UUID }

func newDefinitions(s settings, repo *repository, areas *resource.Engine) (*definitions, error) {
	cache, err := lru.New[definitionKey, *definition](s.DefinitionCache)
	if err != nil {
		return nil, fmt.Errorf("definition_cache: %w", err)
	}

	return &definitions{repo: repo, types: newTypes(s), cache: cache, structFields: areas.StructFields}, nil
}

// use runs work with the definition of a module as the caller sees it (see seenBy), and again with the
// newer one when work returns errMovedOn. Its own error is errModuleNotFound, also for a caller who may
// not read the module.
func (d *definitions) use(ctx context.Context, module uuid.UUID, work func(context.Context, *definition) error) error {
	return d.follow(ctx, module, mayRead, func(ctx context.Context, def *definition) error {
		return work(ctx, def.seenBy(ctx))
	})
}

// follow is use with the whole definition, for a caller who may do something; else the error is
// errNotPermitted. A refusal by a definition that was in the cache is not believed before the module's
// revision is read: the field may have come a moment ago.
func (d *definitions) follow(
	ctx context.Context, module uuid.UUID, a action, work func(context.Context, *definition) error,
) error {
	def, cached, err := d.get(ctx, module)
	if err != nil {
		return err
	}
	for range attempts {
		failure := permitted(ctx, def, a, work)
		moved := errors.Is(failure, errMovedOn)
		if !moved && (!cached || !doubtful(failure)) {
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

	return d.repo.db.InTx(ctx, func(ctx context.Context) error {
		if err := d.repo.hold(ctx, module); err != nil {
			return err
		}
		def, err := d.load(ctx, module)
		if err != nil {
			return err
		}

		return permitted(ctx, def, a, work)
	})
}

func permitted(ctx context.Context, def *definition, a action, work func(context.Context, *definition) error) error {
	if err := def.permissions.permit(ctx, a); err != nil {
		return err
	}

	return work(ctx, def)
}

// doubtful reports whether a refusal may come from a definition that is out of date.
func doubtful(refusal error) bool {
	return errs.KindOf(refusal) == errs.Invalid || errors.Is(refusal, errModuleNotFound) || errors.Is(refusal, errModuleArchived) || errors.Is(refusal, errNotPermitted)
}

// get returns the definition of a module, and whether it comes from the cache.
func (d *definitions) get(ctx context.Context, module uuid.UUID) (*definition, bool, error) {
	key := keyOf(ctx, module)
	if def, ok := d.cache.Get(key); ok {
		return def, true, nil
	}
	def, err := d.load(ctx, module)

	return def, false, err
}

// newer returns the definition itself if its module is still at its revision, else the present one.
func (d *definitions) newer(ctx context.Context, def *definition) (*definition, error) {
	revision, err := d.repo.revision(ctx, def.module)
	if err != nil || revision == def.revision {
		return def, err
	}

	return d.load(ctx, def.module)
}

// load reads a definition. The module is read before its fields: between the two a field may come,
// and a definition that is older than it says would be believed.
func (d *definitions) load(ctx context.Context, module uuid.UUID) (*definition, error) {
	row, err := d.repo.module(ctx, module)
	if err != nil {
		return nil, err
	}
	def, _, err := d.build(ctx, row)
	if err != nil {
		return nil, err
	}
	d.repo.db.AfterCommit(ctx, func() { d.cache.Add(keyOf(ctx, module), def) }) // until then it may be undone

	return def, nil
}

// build makes the definition of a module, and says from which revision on the slots of its fields are
// filled.
func (d *definitions) build(ctx context.Context, row moduleRow) (*definition, map[uuid.UUID]int64, error) {
	rows, err := d.repo.allFieldsOf(ctx, row.ID)
	if err != nil {
		return nil, nil, err
	}
	formers, err := d.withFormer(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	fields := make([]*moduleField, len(rows))
	since := map[uuid.UUID]int64{}
	for i, row := range rows {
		if row.SlotSince != nil {
			since[row.ID] = *row.SlotSince
		}
		if fields[i], err = d.types.compile(row); err != nil {
			return nil, nil, fmt.Errorf("field %s: %w", row.ID, err)
		}
	}
	if err := d.types.trace(rows, fields, formers); err != nil {
		return nil, nil, err
	}
	fields = append(fields, d.mirrors(row.ItemType, fields)...)
	def := newDefinition(row.ID, row.Revision, fields, d.repo.db.Dialect())
	def.describe(row)
	if err := d.watch(ctx, def, rows); err != nil {
		return nil, nil, err
	}

	return def, since, nil
}

// whole reads the definition of a module that may be deleted.
func (d *definitions) whole(ctx context.Context, module uuid.UUID) (*definition, map[uuid.UUID]int64, error) {
	row, err := d.repo.anyModule(ctx, module)
	if err != nil {
		return nil, nil, err
	}

	return d.build(ctx, row)
}

// describe takes what the module itself says.
func (d *definition) describe(row moduleRow) {
	d.name, d.archived, d.permissions, d.overflowed = row.Name, row.ArchivedAt != nil, row.Permissions, row.overflowed()
	if row.TitleField != nil {
		d.titleField = d.fieldByID(*row.TitleField)
	}
	for _, part := range []*definition{d.public, d.open} {
		if part != nil {
			part.describe(row)
		}
	}
}

func keyOf(ctx context.Context, module uuid.UUID) definitionKey {
	return definitionKey{principal.CompanyOf(ctx), module}
}

// present returns the definition of a module as it is in the database now, or errModuleNotFound.
func (d *definitions) present(ctx context.Context, module uuid.UUID) (*definition, error) {
	def, cached, err := d.get(ctx, module)
	if err != nil || !cached {
		return def, err
	}

	return d.newer(ctx, def)
}

// usePresent is use with the definition as it is in the database now: for what stores no records, and would
// not notice that a definition is old.
func (d *definitions) usePresent(ctx context.Context, module uuid.UUID, work func(context.Context, *definition) error) error {
	def, err := d.present(ctx, module)
	if err != nil {
		return err
	}

	return permitted(ctx, def, mayRead, func(ctx context.Context, def *definition) error { return work(ctx, def.seenBy(ctx)) })
}
