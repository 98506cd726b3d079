// Package remark has what a company has written about an item for people outside: customers, carriers and drivers.
//
// Pages of areas ask a Reader; whoever keeps such texts, such as the area notes, listens to the hook. Without a listener there are none.
package remark

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/item"
)

// Reading is the hook platform.remarks.reading: the texts about an item for some readers are shown to them. Listeners add theirs.
type Reading struct {
	About item.Ref
	// For is customer, carrier or driver.
	For   string
	Texts []string
}

// Declare declares the hook.
func Declare(hooks *hook.Bus) error { return hook.Declare[Reading](hooks, "platform.remarks.reading") }

// Reader reads texts. It may be used from several goroutines.
type Reader struct {
	db    *database.DB
	hooks *hook.Bus
}

// New returns a Reader.
func New(db *database.DB, hooks *hook.Bus) *Reader { return &Reader{db, hooks} }

// About returns the texts about an item of the caller's company for some readers, never nil.
func (r *Reader) About(ctx context.Context, about item.Ref, readers string) ([]string, error) {
	if !hook.HasListeners[Reading](r.hooks) {
		return []string{}, nil
	}
	asked := Reading{About: about, For: readers}
	err := r.db.InTx(ctx, func(ctx context.Context) error {
		asked.Texts = []string{}

		return hook.Run(ctx, r.hooks, &asked)
	})

	return asked.Texts, err
}
