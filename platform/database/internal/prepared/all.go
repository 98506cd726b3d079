// Package prepared keeps the prepared statements of SQLite: all of them, or the recent ones.
package prepared

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// keptStatements is how many prepared statements a cache keeps. The fixed statements of a service
// are fewer; what comes after that runs unprepared, and what differs from call to call goes through
// Recent, so nothing is ever evicted.
const keptStatements = 1000

// Pool is what statements run on: a pool, one connection, or one of the types here.
type Pool interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// All is a pool, or one connection, of SQLite that keeps prepared statements. (GORM's own
// cache prepares what it first sees in a transaction again and again.)
type All struct {
	pool Pool

	mu   sync.RWMutex
	kept map[string]*sql.Stmt
}

// NewAll returns a pool of which no statement is kept yet.
func NewAll(pool Pool) *All {
	return &All{pool: pool, kept: map[string]*sql.Stmt{}}
}

// prepared returns the statement, nil if it is not to be kept.
func (s *All) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.RLock()
	statement, ok := s.kept[query]
	full := len(s.kept) >= keptStatements
	s.mu.RUnlock()
	if ok || full {
		return statement, nil
	}
	statement, err := s.pool.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.kept[query]; ok {
		return other, statement.Close() //nolint:sqlclosecheck // the other way returns it open, to be kept
	}
	s.kept[query] = statement

	return statement, nil
}

// Close closes the statements, but not the pool.
func (s *All) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var problems []error
	for _, statement := range s.kept {
		problems = append(problems, statement.Close())
	}
	s.kept = map[string]*sql.Stmt{}

	return errors.Join(problems...)
}

// PrepareContext implements Pool.
func (s *All) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return s.pool.PrepareContext(ctx, query)
}

// ExecContext implements Pool.
func (s *All) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	statement, err := s.prepared(ctx, query) //nolint:sqlclosecheck // kept until Close
	if err != nil || statement == nil {
		return s.pool.ExecContext(ctx, query, args...)
	}

	return statement.ExecContext(ctx, args...)
}

// QueryContext implements Pool.
func (s *All) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := s.prepared(ctx, query) //nolint:sqlclosecheck // kept until Close
	if err != nil || statement == nil {
		return s.pool.QueryContext(ctx, query, args...)
	}

	return statement.QueryContext(ctx, args...)
}

// QueryRowContext implements Pool.
func (s *All) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	statement, err := s.prepared(ctx, query) //nolint:sqlclosecheck // kept until Close
	if err != nil || statement == nil {
		return s.pool.QueryRowContext(ctx, query, args...)
	}

	return statement.QueryRowContext(ctx, args...)
}
