package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/telemetry"
)

var (
	errOutside   = errors.New("events: publish needs a transaction: use InTx")
	errNoCompany = errors.New("events: an event belongs to a company, and the principal has none")
)

// Publish writes events of the principal's company into the transaction in ctx: to the log, and as
// jobs for those who listen and whose area the company uses. Outside a transaction, without a company, and for a type that no
// manifest declares with Publishes, it is an error.
func (b *Bus) Publish(ctx context.Context, events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	who, _ := principal.From(ctx)
	switch {
	case !database.InTransaction(ctx):
		return errOutside
	case who.Company == uuid.Nil:
		return errNoCompany
	}
	rows := make([]logRow, 0, len(events))
	var deliveries []jobs.Job
	for _, event := range events {
		row, err := b.row(ctx, who, event)
		if err != nil {
			return err
		}
		rows = append(rows, row)
		for _, h := range b.handlers[row.Name] {
			used, err := b.uses(ctx, h.area)
			if err != nil {
				return err
			}
			if !used {
				continue
			}
			deliveries = append(deliveries, jobs.Job{Args: newDelivery(row, h.id), Options: h.options})
		}
	}
	if err := b.queueRows(ctx, rows); err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	if b.watches.anybody(who.Company) {
		b.db.AfterCommit(ctx, func() { b.watches.committed(who.Company) })
	}

	return b.queue.EnqueueMany(ctx, deliveries...)
}

func (b *Bus) row(ctx context.Context, who principal.Principal, event Event) (logRow, error) {
	name := event.EventName()
	switch known, ok := b.published[name]; {
	case !ok:
		return logRow{}, fmt.Errorf("events: %T (%q) is not declared: is events.Publishes in the manifest?", event, name)
	case known.kind != reflect.TypeOf(event):
		return logRow{}, fmt.Errorf("events: %q is published as a %s, this is a %T", name, known.kind, event)
	}
	payload, err := json.Marshal(event)
	if err != nil {
		return logRow{}, fmt.Errorf("event %q: %w", name, err)
	}

	row := logRow{
		ID: database.NewID(), Name: name, Payload: payload, Actor: actorName(who),
		RequestID: telemetry.RequestID(ctx), At: b.clock.Now(),
	}
	row.CompanyID = who.Company
	if named, ok := event.(Named); ok {
		row.setItem(named)
	}

	return row, nil
}

// setItem keeps which item the event names, if it does.
func (r *logRow) setItem(event Named) {
	itemType, text := event.EventItem()
	if id, err := uuid.Parse(text); err == nil && itemType != "" {
		r.ItemType, r.ItemID = itemType, &id
	}
}

// actorName says who made it happen: "user:<id>", "service:<id of its token>", "system".
func actorName(who principal.Principal) string {
	switch who.Kind {
	case principal.User:
		return string(who.Kind) + ":" + who.User.String()
	case principal.Service:
		return string(who.Kind) + ":" + who.Token.String()
	default:
		return string(who.Kind)
	}
}
