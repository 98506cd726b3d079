// Package limit lets plans limit how much of something companies have. Areas ask before they add to it; whoever knows the limits, such as
// the area billing, listens to the hook and refuses what is beyond them.
//
//	err := limit.Check(ctx, hooks, limit.Checking{Limit: "users", Used: n, Adding: 1}) // in InTx
package limit

import (
	"context"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
)

// ErrReached is what Check fails with, for an operation's documentation. It names the plan, the limit, and how much of it is used.
var ErrReached = errs.New(errs.Conflict, "billing.limit_reached", "The limit of the plan is reached.")

// Checking is the hook limits.checking: a company is about to have more of something. Listeners refuse it with an error.
type Checking struct {
	// Limit is the name of the limit: "users", "sms".
	Limit string
	// Used is how much the company has, Adding how much comes to it.
	Used, Adding int64
}

// Check runs the hook, in the caller's transaction. Without a listener nothing is limited. Error: billing.limit_reached.
func Check(ctx context.Context, hooks *hook.Bus, c Checking) error { return hook.Run(ctx, hooks, &c) }

// Declare declares the hook.
func Declare(hooks *hook.Bus) error { return hook.Declare[Checking](hooks, "limits.checking") }
