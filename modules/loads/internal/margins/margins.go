// Package margins knows which callers see what loads cost and bring.
package margins

import (
	"context"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Scope is the scope that prices require.
const Scope = loadsapi.Margins

// Seen reports whether the caller sees prices and margins.
func Seen(ctx context.Context) bool {
	who, _ := principal.From(ctx)

	return who.Allows(loadsapi.Margins)
}

// Require refuses a caller who does not; subject is what requires it, the beginning of a sentence. Error: web.scope_missing.
func Require(ctx context.Context, subject string) error {
	return web.RequireScope(ctx, loadsapi.Margins, subject)
}
