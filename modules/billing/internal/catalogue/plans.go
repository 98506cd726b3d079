// Package catalogue has what the operator sets up: who sells, plans, tax rates; and what plans grant to companies.
package catalogue

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billing/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Plans stores plans. They belong to no company.
type Plans struct {
	db       *database.DB
	clock    clock.Clock
	features *Features
	sellers  *Sellers
}

// NewPlans returns Plans.
func NewPlans(db *database.DB, clk clock.Clock, f *Features, s *Sellers) *Plans {
	return &Plans{db, clk, f, s}
}

// create stores a plan as the next version of its code.
func (s *Plans) create(ctx context.Context, p store.Plan) (store.Plan, error) {
	seller, err := s.sellers.Required(ctx)
	if err != nil {
		return p, err
	}
	areas, err := s.features.areas(ctx, seller.House)
	if err != nil {
		return p, err
	}
	if err := p.Check(areas); err != nil {
		return p, err
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		versions, err := s.where(ctx, "code = ?", p.Code)
		if err != nil {
			return err
		}
		p.ID, p.Version, p.CreatedAt = database.NewID(), 1, s.clock.Now()
		for _, v := range versions {
			p.Version = max(p.Version, v.Version+1)
		}

		return database.DuplicateAs(s.db.Conn(ctx).Create(&p).Error, store.ErrPlanTaken)
	})

	return p, err
}

// change offers a plan, or ends the offer. Its subscribers keep it.
func (s *Plans) change(ctx context.Context, id uuid.UUID, do func(p *store.Plan, now time.Time)) (p store.Plan, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if p, err = s.Find(ctx, id); err != nil {
			return err
		}
		do(&p, s.clock.Now())

		return database.RequireAffected(s.db.Conn(ctx).Model(&store.Plan{}).Where("id = ?", id).
			UpdateColumns(map[string]any{"public": p.Public, "archived_at": p.ArchivedAt}), store.ErrPlanNotFound)
	})

	return p, err
}

// Find returns a version of a plan, or billing.plan_not_found.
func (s *Plans) Find(ctx context.Context, id uuid.UUID) (store.Plan, error) {
	return database.One[store.Plan](s.db.Conn(ctx), store.ErrPlanNotFound, "id = ?", id)
}

// named returns the newest version of a code that meets a condition, or billing.plan_not_found.
func (s *Plans) named(ctx context.Context, code string, of func(store.Plan) bool) (store.Plan, error) {
	versions, err := s.where(ctx, "code = ?", code)
	if err != nil {
		return store.Plan{}, err
	}
	for _, p := range newest(versions, of) {
		return p, nil
	}

	return store.Plan{}, store.ErrPlanNotFound
}

// maxPlans is how many versions of plans are listed.
const maxPlans = 1000

// all returns the versions of all plans, by price.
func (s *Plans) all(ctx context.Context) ([]store.Plan, error) {
	return database.All[store.Plan](s.db.Conn(ctx).Order("price, code, version DESC").Limit(maxPlans))
}

func (s *Plans) where(ctx context.Context, condition string, args ...any) ([]store.Plan, error) {
	return database.All[store.Plan](s.db.Conn(ctx).Where(condition, args...).Order("price, code, version DESC").Limit(maxPlans))
}

// Grant has the caller's company use the areas of a plan, or only what every company has.
func (s *Plans) Grant(ctx context.Context, id uuid.UUID, full bool) error {
	var areas []string
	if full {
		p, err := s.Find(ctx, id)
		if err != nil {
			return err
		}
		areas = p.Features.V.Areas
	}

	return s.features.apply(ctx, principal.CompanyOf(ctx), areas)
}

func isOperator(ctx context.Context) bool {
	who, _ := principal.From(ctx)

	return who.Kind == principal.Operator
}

// PlanChoice is a plan in the body of a request.
type PlanChoice struct {
	Plan uuid.UUID `json:"plan_uuid,omitzero" doc:"A version of a plan that is offered."`
	Code string    `json:"plan_code,omitempty" maxLength:"40" doc:"Instead of plan_uuid: the newest version of a code." example:"pro"`
}

// Chosen returns the plan that was chosen, if companies can subscribe to it by themselves; the operator can choose any that is not archived.
func (s *Plans) Chosen(ctx context.Context, c PlanChoice) (store.Plan, error) {
	may := store.Plan.Offered
	if isOperator(ctx) {
		may = store.Plan.Current
	}
	if c.Code != "" {
		return s.named(ctx, c.Code, may)
	}
	if c.Plan == uuid.Nil {
		const text = "`plan_uuid` or the `plan_code` is required."

		return store.Plan{}, store.ErrInvalidPlanChoice.WithField("plan_uuid", text).WithField("plan_code", text)
	}
	p, err := s.Find(ctx, c.Plan)
	if err == nil && !may(p) {
		err = store.ErrPlanNotOffered
	}

	return p, err
}

// newest returns the newest version of each plan that meets a condition, by price.
func newest(all []store.Plan, of func(store.Plan) bool) []store.Plan {
	latest := map[string]store.Plan{}
	for _, p := range all {
		if known, seen := latest[p.Code]; of(p) && (!seen || known.Version < p.Version) {
			latest[p.Code] = p
		}
	}
	offered := make([]store.Plan, 0, len(latest))
	for _, p := range all {
		if latest[p.Code].ID == p.ID {
			offered = append(offered, p)
		}
	}

	return offered
}
