package companies

import (
	"context"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// The items of the area, as the audit trail and links name them.
const (
	companyItem    = "companies.company"
	userItem       = "companies.user"
	invitationItem = "companies.invitation"
	roleItem       = "companies.role"
	tokenItem      = "companies.token"
)

// What the links of the area are for.
const (
	inviting  link.Purpose = "companies.invitation"
	resetting link.Purpose = "companies.password_reset"
)

// journal keeps what was done: for the audit trail, and for other areas.
type journal struct {
	trail  *audit.Log
	events *events.Bus
}

func newJournal(trail *audit.Log, bus *events.Bus) *journal {
	return &journal{trail: trail, events: bus}
}

// record records an action in the caller's transaction.
func (j *journal) record(ctx context.Context, action, item string, id uuid.UUID, changes diff, happened ...events.Event) error {
	err := j.trail.Record(ctx, audit.Entry{
		Action: "companies." + action, Item: audit.Item{Type: item, UUID: id}, Changes: changes,
	})
	if err != nil {
		return err
	}

	return j.events.Publish(ctx, happened...)
}

// caller returns who is calling, the zero principal where nobody is.
func caller(ctx context.Context) principal.Principal {
	who, _ := principal.From(ctx)

	return who
}

// actingFor returns a context in which the caller, the operator, is at work for a company. What the
// operator does there is in the company's audit trail, in the operator's name.
func actingFor(ctx context.Context, company uuid.UUID) context.Context {
	who := caller(ctx)
	who.Company = company

	return principal.With(ctx, who)
}

// diff is what changes, by key.
type diff map[string]audit.Change

// set notes a value that is another one afterwards.
func (d diff) set(key string, before, after any) diff {
	if !reflect.DeepEqual(before, after) {
		d[key] = audit.Change{Before: before, After: after}
	}

	return d
}
