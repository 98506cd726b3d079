package custommodules

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
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
}

type definitionKey struct{ company, module uuid.UUID }

func newDefinitions(s settings, repo *repository) (*definitions, error) {
	cache, err := lru.New[definitionKey, *definition](s.DefinitionCache)
	if err != nil {
		return nil, fmt.Errorf("definition_cache: %w", err)
	}

	return &definitions{repo: repo, types: newTypes(s), cache: cache}, nil
}

// use runs work with the definition of a module, and again with the newer one when work returns
// errMovedOn. A refusal of the caller's data by a definition that was in the cache is not believed
// before the module's revision is read: the field may have come a moment ago. Its own error is
// errModuleNotFound.
func (d *definitions) use(
	ctx context.Context, module uuid.UUID, work func(context.Context, *definition) error,
) error {
	def, cached, err := d.get(ctx, module)
	if err != nil {
		return err
	}
	for range attempts {
		failure := work(ctx, def)
		moved := errors.Is(failure, errMovedOn)
		if !moved && (!cached || errs.KindOf(failure) != errs.Invalid) {
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

		return work(ctx, def)
	})
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
	rows, err := d.repo.fieldsOf(ctx, module)
	if err != nil {
		return nil, err
	}
	fields := make([]*field, len(rows))
	for i, row := range rows {
		if fields[i], err = d.types.compile(row); err != nil {
			return nil, fmt.Errorf("field %s: %w", row.ID, err)
		}
	}
	def := newDefinition(module, row.Revision, fields, d.repo.db.Dialect())
	if !database.InTransaction(ctx) {
		d.cache.Add(keyOf(ctx, module), def)
	}

	return def, nil
}

func keyOf(ctx context.Context, module uuid.UUID) definitionKey {
	return definitionKey{companyOf(ctx), module}
}
