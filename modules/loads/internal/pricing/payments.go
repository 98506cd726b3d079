package pricing

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/internal/plan"
	"github.com/dispatchd/dispatchd/modules/loads/internal/store"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/money"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// clockSkew is by how much the clock of a caller may be ahead.
const clockSkew = 10 * time.Minute

type payInput struct {
	web.IfMatch

	UUID uuid.UUID `path:"uuid" format:"uuid"`
	Body struct {
		Line      uuid.UUID    `json:"line_uuid" doc:"A line of the payment plan."`
		Amount    money.Amount `json:"amount,omitempty" doc:"By default all that is left of the line; a negative one takes back what was noted." example:"200.00"`
		Method    string       `json:"method,omitempty" enum:"cash,certified_check,check,cashiers_check,money_order,comchek,ach,wire,direct_deposit,credit_card,venmo,cashapp,zelle,uship,other" doc:"By default that of the line."`
		At        time.Time    `json:"at,omitzero" doc:"When it was paid; by default now."`
		Reference string       `json:"reference,omitempty" maxLength:"80" doc:"The number of the check or transfer. No number of a card."`
		Note      string       `json:"note,omitempty" maxLength:"500"`
	}
}

func (s *Prices) pay(ctx context.Context, in *payInput) (*web.Resource[store.Load], error) {
	now := s.clock.Now()
	p := plan.Payment{
		UUID: database.NewID(), Line: in.Body.Line, Amount: in.Body.Amount, Method: in.Body.Method, At: in.Body.At.UTC(), Reference: in.Body.Reference, Note: in.Body.Note,
	}
	if in.Body.At.IsZero() {
		p.At = now
	}
	if p.At.After(now.Add(clockSkew)) {
		return nil, store.ErrInvalid.WithField("at", "`at` must not be in the future.")
	}
	if who, _ := principal.From(ctx); who.User != uuid.Nil {
		p.User = &who.User
	}
	if err := s.loads.MaySet(ctx, "payments"); err != nil {
		return nil, err
	}
	row, err := s.loads.Change(ctx, in.UUID, in.IfMatch, store.VerbPay, func(_ context.Context, l *store.Load) error {
		noted, err := plan.Note(p, l.Plan.V, l.Payments.V, l.Currency, store.ErrInvalid)
		if err == nil {
			l.Payments.V = append(slices.Clip(l.Payments.V), noted)
		}

		return err
	})

	return s.loads.Answer(ctx, row, err)
}
