package custommodules

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// The fields that a company adds to the rows of a resource are those of a module that nobody else sees, with a record for
// each row that has values, under the row's id. What is written of such a record the resource tells: there are no events
// and no audit entries of it.

// ofItem is the entry of such a module among its permissions: the type of the items.
const ofItem action = "item"

// closedBut are the permissions of such a module: nobody has any, but who works on the items (see asOwn).
func closedBut(itemType string) permissions {
	p := permissions{ofItem: {itemType}}
	for _, a := range actions() {
		p[a] = []string{}
	}

	return p
}

// item is the type of the items whose fields a module has, "" for a module of people.
func (p permissions) item() string {
	if of := p[ofItem]; len(of) > 0 {
		return of[0]
	}

	return ""
}

// item is the type of the items whose own fields these are, "" for those of a module.
func (d *definition) item() string { return d.permissions.item() }

type ownKey struct{}

// asOwn returns a context for work on the own fields of the items of a type.
func asOwn(ctx context.Context, itemType string) context.Context {
	return context.WithValue(ctx, ownKey{}, itemType)
}

// ownOf is the type of the items whose own fields are worked on, "" for none.
func ownOf(ctx context.Context) string {
	itemType, _ := ctx.Value(ownKey{}).(string)

	return itemType
}

// ownModulesChanged has the id of a company that has added its first field to the items of a type.
const ownModulesChanged broadcast.Topic[uuid.UUID] = "custom_modules.own"

// ownModules knows the modules of own fields, by company and type of item.
type ownModules struct {
	repo  *repository
	bus   *broadcast.Bus
	cache *broadcast.Cache[uuid.UUID, map[string]uuid.UUID]
}

// companiesKept is of how many companies it is known which items have fields of their own.
const companiesKept = 10_000

func newOwnModules(repo *repository, bus *broadcast.Bus) *ownModules {
	return &ownModules{repo: repo, bus: bus, cache: broadcast.NewCache[uuid.UUID, map[string]uuid.UUID](companiesKept)}
}

func (o *ownModules) forget(company uuid.UUID) { o.cache.Forget(company) }
func (o *ownModules) forgetAll()               { o.cache.ForgetAll() }

// readTimeout bounds reading which modules there are, on which several callers may wait.
const readTimeout = 5 * time.Second

// of returns the module of the fields that the company has added to the items of a type, false if it has not.
func (o *ownModules) of(ctx context.Context, itemType string, now time.Time) (uuid.UUID, bool, error) {
	company := principal.CompanyOf(ctx)
	known, fresh := o.cache.Get(company, now)
	if !fresh {
		var err error
		if known, err = o.read(ctx, company, now); err != nil {
			return uuid.Nil, false, fmt.Errorf("own fields of %s: %w", itemType, err)
		}
	}
	id, has := known[itemType]

	return id, has, nil
}

// read reads them; in a transaction as that sees them, which keeps them when it is committed.
func (o *ownModules) read(ctx context.Context, company uuid.UUID, now time.Time) (map[string]uuid.UUID, error) {
	if database.InTransaction(ctx) {
		keep := o.cache.Keeping(company, now)
		known, err := o.repo.ownModules(ctx)
		if err == nil {
			o.repo.db.AfterCommit(ctx, func() { keep(known) })
		}

		return known, err
	}

	return o.cache.Load(company, now, func() (map[string]uuid.UUID, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()

		return o.repo.ownModules(principal.With(ctx, principal.ForCompany(company)))
	})
}

// ownModule returns the module of the fields that the company adds to a collection, and makes it if it is not there.
func (s *service) ownModule(ctx context.Context, name collection.Name) (id uuid.UUID, err error) {
	itemType := string(name)
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		there, err := s.repo.ownModules(ctx)
		if err != nil || there[itemType] != uuid.Nil {
			id = there[itemType]

			return err
		}
		change := s.change(ctx)
		made := moduleRow{
			ID: database.NewID(), ItemType: itemType, Name: itemType, NameKey: "\x01" + itemType, Permissions: closedBut(itemType),
			Revision: 1, NextNumber: 1, CreatedAt: change.at, CreatedBy: change.by, UpdatedAt: change.at, UpdatedBy: change.by,
		}
		err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.repo.insertModule(ctx, made, nil) })
		if errors.Is(err, errModuleNameTaken) { // by another request, just now
			there, err = s.repo.ownModules(ctx)
			id = there[itemType]

			return err
		}
		id = made.ID
		if err != nil {
			return err
		}

		return broadcast.Publish(ctx, s.own.bus, ownModulesChanged, principal.CompanyOf(ctx))
	})

	return id, err
}

// checkOwn says what a field of items cannot be that one of a module can.
func (s *service) checkOwn(module moduleRow, row fieldRow, found *problems) {
	if module.Permissions.item() == "" {
		return
	}
	switch row.Type {
	case rollupName:
		found.add("type", "A field of a collection of an area cannot be a rollup: records refer to records of modules.")
	case lookupName:
		found.add("type", "A field of a collection of an area cannot be a lookup: these are of records of modules.")
	}
	values, err := s.definitions.types.values(row.Type, row.Options)
	if r, is := values.(*reference); err == nil && is && r.OnDelete == cascade {
		found.add("options.on_delete", "The on delete must be restrict or set_null: what an area keeps is not deleted with a record.")
	}
}
