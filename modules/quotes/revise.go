package quotes

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// revisions are quotes that take the place of earlier ones.
type revisions struct {
	quotes  *resource.Resource[quote]
	trade   *trade
	endings *endings
	db      *database.DB
}

func newRevisions(quotes *resource.Resource[quote], t *trade, e *endings, db *database.DB) *revisions {
	return &revisions{quotes, t, e, db}
}

// revise makes a draft that takes the place of a quote. It has its prices, unless the load is another transport by now, or they are to be
// calculated.
func (r *revisions) revise(ctx context.Context, id uuid.UUID, match web.IfMatch, calculate bool) (made quote, err error) {
	err = r.db.InTx(ctx, func(ctx context.Context) error {
		old, err := r.quotes.Find(ctx, id)
		if err != nil {
			return err
		}
		of, err := r.trade.offered(ctx, &old)
		if err != nil {
			return err
		}
		if old, err = r.endings.end(ctx, id, match, verbRevise, "A newer offer takes its place.", ""); err != nil {
			return err
		}
		made = quote{Load: old.Load, PlanTemplate: old.PlanTemplate, Message: old.Message}
		switch {
		case calculate || !sameTransport(of, old.Offered.V):
			made.Currency, made.Offered.V = money.Currency(of.Currency), of
			if err := r.trade.calculate(ctx, &made); err != nil {
				return err
			}
		case of.Currency == string(old.Currency): // else it has the prices of the load
			made.Lines.V, made.Options.V, made.Priced.V = slices.Clone(old.Lines.V), slices.Clone(old.Options.V), old.Priced.V
		}
		made, err = r.quotes.Create(ctx, made)

		return err
	})

	return made, err
}
