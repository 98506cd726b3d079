package database

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dispatchd/dispatchd/platform/database/internal/together"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// groupPatience is how long writes on PostgreSQL wait for those that are on their way, and how long one of a group waits for a lock.
	groupPatience = 100 * time.Millisecond
	// groupApart is for how long the writes of a company go alone after one of them failed a group.
	groupApart = time.Second
	// groupLimit ends a group that the server does not answer.
	groupLimit = 30 * time.Second
	// groupWeight is how many bytes of values go together.
	groupWeight = 1 << 20
)

// messages are the transactions on PostgreSQL that are one message each. Those that wait at the same time become one transaction. It is the
// only one of its kind that this process runs at a time, so two never wait for each other's locks.
type messages struct {
	db    *DB
	calls *together.Calls[[]statement]
	sizes prometheus.Histogram // nil while nobody looks
}

func newMessages(db *DB) *messages {
	m := &messages{db: db}
	m.calls = together.New(together.Way[[]statement]{
		Alone: m.sendAlone, Together: m.sendGroup, Weight: weightOf, Source: principal.CompanyOf, Apart: groupApart,
		IsUndone: func(err error) bool { return !errors.Is(err, ErrOutcomeUnknown) },
		Most:     groupSize, Heaviest: groupWeight, Patience: groupPatience,
	})

	return m
}

// weightOf is about how many bytes statements are.
func weightOf(all []statement) int {
	sum := 0
	weigh := func(args []any) {
		for _, a := range args {
			switch v := a.(type) {
			case string:
				sum += len(v)
			case []byte:
				sum += len(v)
			case JSON:
				sum += len(v)
			}
		}
	}
	for _, s := range all {
		weigh(s.args)
		for _, row := range s.rows {
			weigh(row)
		}
	}

	return sum
}

// sendAlone sends statements as a transaction of their own.
func (m *messages) sendAlone(ctx context.Context, all []statement) error {
	all, err := m.write(all)
	if err != nil {
		return err
	}

	return m.send(ctx, 1, all)
}

// sendGroup sends the statements of several transactions as one. None waits for a lock for long, since the others wait with it.
func (m *messages) sendGroup(calls [][]statement) error {
	ctx, cancel := context.WithTimeout(context.Background(), groupLimit)
	defer cancel()
	all, err := m.write(merged(calls))
	if err != nil {
		return err
	}
	patience := statement{sql: "SELECT set_config('lock_timeout', $1, true)", args: []any{groupPatience.String()}}

	return m.send(ctx, len(calls), append([]statement{patience}, all...))
}

// merged are the statements of transactions, each one's in its order. Rows of one kind are one statement.
func merged(calls [][]statement) []statement {
	var all []statement
	for _, call := range calls {
		at := 0
		for _, s := range call {
			found := slices.IndexFunc(all[at:], s.isAlike)
			if found < 0 {
				s.failed = nil // who failed is found out otherwise
				all = slices.Insert(all, at, s)
			} else {
				at += found
				all[at].rows = slices.Concat(all[at].rows, s.rows)
			}
			at++
		}
	}

	return all
}

// isAlike reports whether both are rows of one kind.
func (s statement) isAlike(other statement) bool {
	return s.into != nil && other.into != nil && s.into.many == other.into.many
}

// text is the statement as it is sent.
func (s statement) text() string {
	switch {
	case s.into == nil:
		return s.sql
	case len(s.rows) == 1:
		return s.into.one
	default:
		return s.into.many
	}
}

// values are the arguments, row by row.
func (s statement) values() []any {
	if s.into == nil {
		return s.args
	}

	return slices.Concat(s.rows...)
}

// write makes statements what PostgreSQL gets.
func (m *messages) write(all []statement) ([]statement, error) {
	made := make([]statement, len(all))
	for i, s := range all {
		made[i] = s
		if s.into == nil {
			continue
		}
		made[i].sql, made[i].args = m.db.numbered(s.text()), s.rows[0]
		if len(s.rows) == 1 {
			continue
		}
		var err error
		if made[i].args, err = Transpose(s.rows); err != nil {
			return nil, err
		}
	}

	return made, nil
}

// send sends the statements of some transactions as one.
func (m *messages) send(ctx context.Context, size int, all []statement) error {
	pool := m.db.pool.Load()
	if pool == nil {
		return Translate(errStopped)
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return Translate(err)
	}
	defer conn.Release()
	if m.sizes != nil {
		m.sizes.Observe(float64(size))
	}

	return sendTogether(ctx, conn.Conn(), all, translateEnd)
}
