// Package journal keeps what was done in the companies area, and by whom.
package journal

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// Token is the type of access tokens as items.
const Token = "companies.token"

// Journal keeps what was done: for the audit trail, and for other areas.
type Journal struct {
	trail  *audit.Log
	events *events.Bus
}

// New returns a journal.
func New(trail *audit.Log, bus *events.Bus) *Journal {
	return &Journal{trail: trail, events: bus}
}

// Record records an action in the caller's transaction.
func (j *Journal) Record(ctx context.Context, action, item string, id uuid.UUID, changes Diff, happened ...events.Event) error {
	err := j.trail.Record(ctx, audit.Entry{
		Action: "companies." + action, Item: audit.Item{Type: item, UUID: id}, Changes: changes,
	})
	if err != nil {
		return err
	}

	return j.events.Publish(ctx, happened...)
}

// Caller returns who is calling, the zero principal where nobody is.
func Caller(ctx context.Context) principal.Principal {
	who, _ := principal.From(ctx)

	return who
}

// ActingFor returns a context in which the caller, the operator, is at work for a company. What the
// operator does there is in the company's audit trail, in the operator's name.
func ActingFor(ctx context.Context, company uuid.UUID) context.Context {
	who := Caller(ctx)
	who.Company = company

	return principal.With(ctx, who)
}

// Diff is what changes, by key.
type Diff map[string]audit.Change

// Set notes a value that is another one afterwards.
func (d Diff) Set(key string, before, after any) Diff {
	if !reflect.DeepEqual(before, after) {
		d[key] = audit.Change{Before: before, After: after}
	}

	return d
}
