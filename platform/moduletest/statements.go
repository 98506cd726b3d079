package moduletest

import (
	"context"
	"sync/atomic"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
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
