package exchange

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Importer takes files in.
type Importer struct {
	records
	platform

	settings Settings
	repo     *repository
	trail    *audit.Log
}

// records is what the area gives.
type records struct {
	reader Reader
	writer Writer
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
}

// NewPlatform puts together what an importer stands on.
func NewPlatform(db *database.DB, c clock.Clock, q *jobs.Queue, l *state.Log, p *identity.Service) platform {
	return platform{db: db, clock: c, jobs: q, states: l, people: p}
}

// NewImporter returns an importer that writes what it takes in through writer.
func NewImporter(s Settings, r Reader, w Writer, p platform, trail *audit.Log) *Importer {
	return &Importer{records: records{reader: r, writer: w}, platform: p, settings: s, repo: &repository{db: p.db}, trail: trail}
}

// visible returns an import, with its module as the caller sees it; or errImportNotFound. An import with a
// column that goes to a field which the caller does not see is not there for him.
func (m *Importer) visible(ctx context.Context, id uuid.UUID) (importRow, Table, error) {
	row, err := m.repo.find(ctx, id)
	if err != nil {
		return row, Table{}, err
	}
	table, err := m.reader.Table(ctx, row.ModuleID)
	if err != nil {
		return row, table, hiding(err)
	}
	if !row.shows(table) {
		return row, table, errImportNotFound
	}

	return row, table, nil
}

// shows reports whether a caller who sees the table may see the import.
func (row importRow) shows(t Table) bool {
	return !slices.ContainsFunc(row.Mapping, func(to target) bool {
		return slices.ContainsFunc(t.Hidden, func(id uuid.UUID) bool { return to == fieldTarget(id) })
	})
}

func fieldTarget(id uuid.UUID) target { return target(id.String()) }
