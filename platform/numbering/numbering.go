// Package numbering gives the things of a company numbers that people read: L-2026-00001.
//
// An area declares a series with the template that a company begins with, and takes numbers in the
// transaction that uses them:
//
//	numbering.Series("loads.load", "L-{yyyy}-{seq:5}")      // in the manifest
//
//	err := s.db.InTx(ctx, func(ctx context.Context) error {
//		load.Number, err = s.numbers.Next(ctx, "loads.load")
//		…
//	})
//
// A number is given once to a company and series, whatever happens: not by callers at the same
// time, not by a template that is changed, and not by a date that is written shorter than it is.
// Numbers are counted by what they begin and end with, so a template with the year in it starts
// over with the year. A transaction that is rolled back gives its number back; therefore, writers
// of one series of a company commit one after the other.
//
// It owns the tables numbering_series and numbering_counters, rows of companies.
package numbering

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Numbers gives numbers. It may be used from several goroutines once the manifests are read.
type Numbers struct {
	db    *database.DB
	rows  repository
	clock clock.Clock
	trail Trail

	// defaults are the declared series with the templates that companies begin with.
	defaults map[string]template
	// families are the declared families; see Family.
	families map[string]bool

	// seen is the template that a series of a company had last: a guess, which the statement that
	// counts checks.
	seen  *lru.Cache[seenKey, template]
	zones Zones
}

// remembered is how many series are remembered; for others, a number takes a read more.
const remembered = 10_000

type seenKey struct {
	company uuid.UUID
	series  string
}

// Trail is where changes of a series are recorded.
type Trail interface {
	Record(ctx context.Context, e audit.Entry) error
}

// New makes numbers that know no series.
func New(db *database.DB, clk clock.Clock, trail Trail, zones Zones) (*Numbers, error) {
	seen, err := lru.New[seenKey, template](remembered)
	if err != nil {
		return nil, err
	}

	return &Numbers{
		db: db, rows: repository{db: db}, clock: clk, trail: trail, defaults: map[string]template{},
		families: map[string]bool{},
		seen:     seen, zones: zones,
	}, nil
}

// Series is the manifest line of a series, named "<area>.<thing>", with the template that companies
// begin with. A company keeps the template of its first number: another default in a later version
// is for those who have none yet.
func Series(name, template string) fx.Option {
	return module.Contribute("numbers", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(n, _ *Numbers) error {
			if !strings.HasPrefix(name, at.Area+".") {
				return fmt.Errorf("series of numbers %q: want a name that begins with %q", name, at.Area+".")
			}

			return n.declare(name, template)
		})
	})
}

func (n *Numbers) declare(name, text string) error {
	if _, taken := n.defaults[name]; taken {
		return fmt.Errorf("series of numbers %q is declared twice", name)
	}
	t, err := parseTemplate(text)
	if wrong, ok := errors.AsType[*errs.Error](err); ok { // what is wrong stands in the fields, for an answer
		err = errors.New(strings.Join(wrong.Fields["template"], " "))
	}
	if err != nil {
		return fmt.Errorf("series of numbers %q: template %q: %w", name, text, err)
	}
	n.defaults[name] = t

	return nil
}

// known returns the template that a series begins with, for a caller who has a company.
func (n *Numbers) known(ctx context.Context, series string, options ...Option) (template, error) {
	first, declared := n.defaults[series]
	if family, _, member := strings.Cut(series, memberMark); member && n.families[family] {
		var err error
		if first, err = parseTemplate(callOptions(options).template); err != nil {
			return template{}, fmt.Errorf("series %s: %w", series, err)
		}
		declared = true
	}
	switch {
	case !declared:
		return template{}, fmt.Errorf("series of numbers %q is not declared: is numbering.Series in the manifest?", series)
	case principal.CompanyOf(ctx) == uuid.Nil:
		return template{}, errNoCompany
	default:
		return first, nil
	}
}
