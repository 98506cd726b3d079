package moduletest

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// statements passes on what a service sends to its database. GORM takes callbacks only while nobody uses it, so they are
// there from the start, and who listens may come and go.
type statements struct{ listeners sync.Map }

func (s *statements) of(db *database.DB) *database.DB {
	db.OnStatement(func(ctx context.Context, sent database.Statement) {
		s.listeners.Range(func(_, hear any) bool {
			hear.(func(context.Context, database.Statement))(ctx, sent)

			return true
		})
	})

	return db
}

func (s *statements) option() fx.Option { return fx.Decorate(s.of) }

// OnStatement has hear told of every statement that GORM or Pipeline sends from now on, by requests and by what works behind them at
// once, in place of who heard of them before for the same test. The context is that of the statement. On a service that is
// shared, those for other companies than the owner are left out.
func (a *App) OnStatement(hear func(ctx context.Context, s database.Statement)) {
	a.statements.listeners.Store(a, func(ctx context.Context, s database.Statement) {
		if who, named := principal.From(ctx); !a.shared || !named || who.Company == uuid.Nil || who.Company == a.Owner.ID {
			hear(ctx, s)
		}
	})
}

// Sent is how many statements do sends in the name of the owner, to the tables if some are named. What works behind it, in the
// name of the company alone, does not count, and nobody else hears of statements meanwhile for this test.
func (a *App) Sent(do func(), tables ...string) int64 {
	var sent atomic.Int64
	a.OnStatement(func(ctx context.Context, s database.Statement) {
		who, _ := principal.From(ctx)
		if who.Company == a.Owner.ID && who.Kind == principal.User && (len(tables) == 0 || slices.Contains(tables, s.Table)) {
			sent.Add(1)
		}
	})
	do()
	a.statements.listeners.Delete(a)

	return sent.Load()
}
