// Package demo gives a new user something to look at: a demo company, its owner and a token, and in
// it what the areas bring along.
//
// The app runs a Plan on the local profile. It does something only where the database is empty, or
// where the demo company has lost its token file.
package demo

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/privatefile"
)

// The ids of the demo company and its owner, the same on every machine, so that documentation can
// name them. They have the shape of UUIDv7, with a time in July 2024 and zeros for chance. Areas
// take further ones of the same beginning, from 0190d0c0-0000-7000-8000-000000000100 on.
const (
	CompanyID = "0190d0c0-0000-7000-8000-000000000001"
	OwnerID   = "0190d0c0-0000-7000-8000-000000000002"
)

// Data is the manifest line of what the demo company starts with. The function runs as that
// company, in one transaction with everything else of the demo, so it does nothing but write rows,
// and may run twice. T is a type of the area.
func Data[T any](seed func(ctx context.Context, t T) error) fx.Option {
	return module.Contribute("demo", module.FuncName(seed), nil, func(at module.At) fx.Option {
		return module.Register(at, func(p *Plan, t T) error {
			p.seeds = append(p.seeds, func(ctx context.Context) error {
				if err := seed(ctx, t); err != nil {
					return fmt.Errorf("demo data of area %q: %w", at.Area, err)
				}

				return nil
			})

			return nil
		})
	})
}

// Plan is the registry of what the demo company starts with.
type Plan struct {
	db    *database.DB
	log   *slog.Logger
	seeds []func(context.Context) error
}

// NewPlan makes an empty plan.
func NewPlan(db *database.DB, log *slog.Logger) *Plan {
	return &Plan{db: db, log: log}
}

// Run makes the demo company if there is no company at all, and writes the token of its owner to
// tokenFile, which only the user of the process can read. Company, owner, token and the areas' data
// are one transaction: a process that dies on the way leaves an empty database. If it dies before
// the file is written, or if the file is deleted, the next Run issues a further token and writes
// that. Where there are companies and none is the demo company, Run does nothing.
func (p *Plan) Run(ctx context.Context, who *identity.Service, tokenFile string) error {
	lost, err := missing(tokenFile)
	if err != nil {
		return fmt.Errorf("token of the demo company: %w", err)
	}
	secret, err := p.prepare(ctx, who, lost)
	if err != nil {
		return fmt.Errorf("demo company: %w", err)
	}
	if secret == "" {
		return nil
	}
	if err := privatefile.WriteText(tokenFile, secret, privatefile.Replace); err != nil {
		return fmt.Errorf("token of the demo company: %w", err)
	}
	p.log.InfoContext(ctx, "the demo company has a new token", slog.String("file", tokenFile))

	return nil
}

// prepare brings the database to where the file can be written, and returns what to write: "" if
// there is nothing to do.
func (p *Plan) prepare(ctx context.Context, who *identity.Service, lost bool) (secret string, err error) {
	err = p.db.InTx(ctx, func(ctx context.Context) error {
		secret = ""
		state, err := inspectState(ctx, who, lost)
		if err != nil || state == nothingToDo {
			return err
		}
		if state == emptyDatabase {
			if err := p.seed(ctx, who); err != nil {
				return err
			}
		}
		_, secret, err = who.IssueToken(ctx, identity.NewToken{
			Company: uuid.MustParse(CompanyID), User: uuid.MustParse(OwnerID), Name: "Demo", Scopes: []string{"*"},
		})

		return err
	})

	return secret, err
}

// seed makes the company and its owner, and lets the areas add to it.
func (p *Plan) seed(ctx context.Context, who *identity.Service) error {
	company := uuid.MustParse(CompanyID)
	if _, err := who.CreateCompany(ctx, identity.NewCompany{ID: company, Name: "Demo Transport"}); err != nil {
		return err
	}
	_, err := who.CreateUser(ctx, identity.NewUser{
		ID: uuid.MustParse(OwnerID), Company: company, Name: "Demo Owner", Email: "owner@demo.example", Role: identity.Owner,
	})
	if err != nil {
		return err
	}
	ctx = principal.With(ctx, principal.ForCompany(company))
	for _, seed := range p.seeds {
		if err := seed(ctx); err != nil {
			return err
		}
	}

	return nil
}
