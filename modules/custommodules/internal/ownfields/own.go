package ownfields

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/broadcast"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// closedBut are the permissions of such a module: nobody has any, but who works on the items (see AsOwn).
func closedBut(itemType string) definition.Permissions {
	p := definition.Permissions{definition.OfItem: {itemType}}
	for _, a := range definition.Actions {
		p[a] = []string{}
	}

	return p
}

// AsOwn returns a context for work on the own fields of the items of a type.
func AsOwn(ctx context.Context, itemType string) context.Context {
	return context.WithValue(ctx, definition.OwnKey{}, itemType)
}

// OwnModulesChanged has the id of a company that has added its first field to the items of a type.
const OwnModulesChanged broadcast.Topic[uuid.UUID] = "custom_modules.own"

// OwnModules knows the modules of own fields, by company and type of item.
type OwnModules struct {
	repo  *store.Repository
	bus   *broadcast.Bus
	cache *broadcast.Cache[uuid.UUID, map[string]uuid.UUID]
}

// companiesKept is of how many companies it is known which items have fields of their own.
const companiesKept = 10_000

// NewOwnModules returns them, with none known yet.
func NewOwnModules(repo *store.Repository, bus *broadcast.Bus) *OwnModules {
	return &OwnModules{repo: repo, bus: bus, cache: broadcast.NewCache[uuid.UUID, map[string]uuid.UUID](companiesKept)}
}

// Forget drops what is known of a company.
func (o *OwnModules) Forget(company uuid.UUID) { o.cache.Forget(company) }

// ForgetAll drops what is known of all.
func (o *OwnModules) ForgetAll() { o.cache.ForgetAll() }

// readTimeout bounds reading which modules there are, on which several callers may wait.
const readTimeout = 5 * time.Second

// moduleOf returns the module of the fields that the company has added to the items of a type, false if it has not.
func (o *OwnModules) moduleOf(ctx context.Context, itemType string, now time.Time) (uuid.UUID, bool, error) {
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
func (o *OwnModules) read(ctx context.Context, company uuid.UUID, now time.Time) (map[string]uuid.UUID, error) {
	if database.InTransaction(ctx) {
		keep := o.cache.StartRead(company, now)
		known, err := o.repo.OwnModules(ctx)
		if err == nil {
			o.repo.DB.AfterCommit(ctx, func() { keep(known) })
		}

		return known, err
	}

	return o.cache.Load(company, now, func() (map[string]uuid.UUID, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()

		return o.repo.OwnModules(principal.With(ctx, principal.ForCompany(company)))
	})
}

// OwnModule returns the module of the fields that the company adds to a collection, and makes it if it is not there.
func (s *Service) OwnModule(ctx context.Context, name collection.Name) (id uuid.UUID, err error) {
	itemType := string(name)
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		there, err := s.repo.OwnModules(ctx)
		if err != nil || there[itemType] != uuid.Nil {
			id = there[itemType]

			return err
		}
		change := s.records.Change(ctx)
		made := definition.ModuleRow{
			ID: database.NewID(), ItemType: itemType, Name: itemType, NameKey: "\x01" + itemType, Permissions: closedBut(itemType),
			Revision: 1, NextNumber: 1, CreatedAt: change.At, CreatedBy: change.By, UpdatedAt: change.At, UpdatedBy: change.By,
		}
		err = s.db.Savepoint(ctx, func(ctx context.Context) error { return s.repo.InsertModule(ctx, made, nil) })
		if errors.Is(err, definition.ErrModuleNameTaken) { // by another request, just now
			there, err = s.repo.OwnModules(ctx)
			id = there[itemType]

			return err
		}
		id = made.ID
		if err != nil {
			return err
		}

		return broadcast.Publish(ctx, s.own.bus, OwnModulesChanged, principal.CompanyOf(ctx))
	})

	return id, err
}
