// Package exchange takes the rows of collections out as streams, and in from files of CSV and JSON Lines: with a
// dry run, row by row reports, and a way back.
//
// It owns the tables collection_import*. What a row is, who may see it and how it is written is the collection's.
// Areas declare the operations, with the inputs and methods of this package; an import is an item of the area that
// keeps the collection ("loads.import").
package exchange

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Importer takes files in.
type Importer struct {
	platform

	settings    Settings
	collections *collection.Registry
	repo        *repository
	trail       *audit.Log
}

// platform is what an importer stands on.
type platform struct {
	db     *database.DB
	clock  clock.Clock
	jobs   *jobs.Queue
	states *state.Log
	people people
}

// people says whether who had an import done may still do it.
type people interface {
	User(ctx context.Context, company, id uuid.UUID) (identity.User, error)
	RoleScopes(ctx context.Context, company uuid.UUID, name identity.Role) ([]string, error)
	Token(ctx context.Context, id uuid.UUID) (identity.Token, error)
	PageUsers(ctx context.Context, q list.Query) (list.Page[identity.User], error)
	Company(ctx context.Context, id uuid.UUID) (identity.Company, error)
}

// NewPlatform puts together what an importer stands on.
func NewPlatform(db *database.DB, c clock.Clock, q *jobs.Queue, l *state.Log, p *identity.Service) platform {
	return platform{db: db, clock: c, jobs: q, states: l, people: p}
}

// NewImporter returns an importer into the collections of a registry, which has the queue work on imports. It does
// no I/O.
func NewImporter(s Settings, r *collection.Registry, p platform, trail *audit.Log) (*Importer, error) {
	m := &Importer{platform: p, settings: s, collections: r, repo: &repository{db: p.db}, trail: trail}

	return m, errors.Join(
		jobs.Add(p.jobs, jobArea, m.runJob, jobs.Timeout(workTime)),
		jobs.Add(p.jobs, jobArea, m.takeOnStalled),
		jobs.AddEvery(p.jobs, takeOnEvery, takeOn{}),
		jobs.Add(p.jobs, jobArea, m.clearOld, jobs.Timeout(workTime)),
		jobs.AddEvery(p.jobs, clearEvery, clearImports{}),
	)
}

// jobArea is what the jobs of imports are called by.
const jobArea = "collection"

// In returns the importer with the imports into the collections of one area alone: to it, there are no others.
func (m *Importer) In(area string) *Importer {
	made := *m
	made.repo = &repository{db: m.db, area: area}

	return &made
}

// MaxSize is how many bytes a file may have.
func (m *Importer) MaxSize() config.Size { return m.settings.MaxSize }

// visible returns an import, with its collection as the caller sees it; or ErrImportNotFound. An import with a
// column that goes to a field which the caller does not see is not there for him.
func (m *Importer) visible(ctx context.Context, id uuid.UUID) (importRow, described, error) {
	row, err := m.repo.find(ctx, id)
	if err != nil {
		return row, described{}, err
	}
	table, err := m.describe(ctx, row.Collection)
	if err != nil {
		return row, table, hideCollectionError(err)
	}
	if !row.shows(table) {
		return row, table, ErrImportNotFound
	}

	return row, table, nil
}

// describe returns a collection as the caller sees it.
func (m *Importer) describe(ctx context.Context, name collection.Name) (described, error) {
	c, err := m.collections.Open(ctx, name, collection.Write)
	if err != nil {
		return described{}, err
	}
	d, err := c.Describe(ctx)
	if err != nil {
		return described{}, err
	}

	return m.describeIn(ctx, d)
}

// openToWrite returns a collection whose rows the caller may create and change now.
func (m *Importer) openToWrite(ctx context.Context, name collection.Name) (collection.Collection, error) {
	c, err := m.collections.Open(ctx, name, collection.Write)
	if err == nil {
		err = c.MayWrite(ctx)
	}

	return c, err
}

// described is a collection as an import knows it.
type described struct {
	collection.Description

	// locale is that of the company.
	locale cell.Locale
	// parts are where fields of elements of lists stand, by their ids.
	parts map[string]part
}

// describeIn adds to a description where the company is.
func (m *Importer) describeIn(ctx context.Context, d collection.Description) (described, error) {
	caller, _ := principal.From(ctx)
	company, err := m.people.Company(ctx, caller.Company)
	if err != nil {
		return described{}, err
	}

	t := described{Description: d, locale: cell.Locale{Country: company.Address.Country, Zone: company.Zone()}, parts: map[string]part{}}
	t.addParts()

	return t, nil
}

// shows reports whether a caller who sees the table may see the import.
func (row importRow) shows(t described) bool {
	return !slices.ContainsFunc(row.Mapping, func(to target) bool { return slices.Contains(t.Hidden, string(to)) })
}
