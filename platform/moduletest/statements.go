package moduletest

import (
	"context"
	"sync/atomic"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// statements passes on what a service sends to its database. GORM takes callbacks only while nobody uses it, so they are
// there from the start, and who listens may come and go.
type statements struct {
	listener atomic.Pointer[func(context.Context, database.Statement)]
}

func (s *statements) of(db *database.DB) *database.DB {
	db.OnStatement(func(ctx context.Context, sent database.Statement) {
		if hear := s.listener.Load(); hear != nil {
			(*hear)(ctx, sent)
		}
	})

	return db
}

func (s *statements) option() fx.Option { return fx.Decorate(s.of) }

// OnStatement has hear told of every statement that GORM or Pipeline sends from now on, by requests and by what works behind them at
// once, in place of who heard of them before. The context is that of the statement.
func (a *App) OnStatement(hear func(ctx context.Context, s database.Statement)) {
	a.statements.listener.Store(&hear)
}

// Sent is how many statements do sends in the name of the owner. What works behind it, in the name of the company alone, does
// not count, and nobody else hears of statements meanwhile.
func (a *App) Sent(do func()) int64 {
	var sent atomic.Int64
	a.OnStatement(func(ctx context.Context, _ database.Statement) {
		if who, _ := principal.From(ctx); who.Company == a.Owner.ID && who.Kind == principal.User {
			sent.Add(1)
		}
	})
	do()
	a.OnStatement(func(context.Context, database.Statement) {})

	return sent.Load()
}
