package prepared

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// recentStatements is how many of the statements of Dynamic SQLite keeps prepared: what a deployment
// lists over and over. Each takes some kilobytes on each connection that reads.
const recentStatements = 100

// Recent is a pool of SQLite that keeps the statements it ran last. Compiling one takes longer than
// reading a few rows by it.
type Recent struct {
	Pool // for what is not kept

	kept *lru.Cache[string, *recentStatement]
}

// recentStatement is closed when others were used more recently, but not while it is being run.
type recentStatement struct {
	mu        sync.RWMutex
	statement *sql.Stmt
	closed    error
}

var errForgotten = errors.New("database: the statement is no longer kept")

// NewRecent returns a pool of which no statement is kept yet.
func NewRecent(pool Pool) (*Recent, error) {
	kept, err := lru.NewWithEvict(recentStatements, func(_ string, s *recentStatement) { s.close() })

	return &Recent{Pool: pool, kept: kept}, err
}

func (s *recentStatement) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		s.closed = errors.Join(errForgotten, s.statement.Close())
	}
}

// Close gives all statements up.
func (r *Recent) Close() { r.kept.Purge() }

// QueryContext implements Pool.
func (r *Recent) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, ok := r.kept.Get(query)
	if !ok {
		statement, err := r.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		s = &recentStatement{statement: statement}
		if other, there, _ := r.kept.PeekOrAdd(query, s); there {
			s.close()
			s = other
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed != nil {
		return r.Pool.QueryContext(ctx, query, args...) //nolint:sqlclosecheck // the caller's to close
	}

	return s.statement.QueryContext(ctx, args...) //nolint:sqlclosecheck // the caller's to close
}
