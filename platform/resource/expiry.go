package resource

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

// Expiry is a date of a row that comes near: a field with the word expires.
type Expiry struct {
	// Document is what expires: the key of the field without _expires.
	Document string
	On       field.Date
	// Days are left until then by the company's calendar: 0 on the day, less than 0 after it.
	Days int
}

const (
	// expiresEvery is how often near dates are looked for: a day of a company begins with some full hour.
	expiresEvery = time.Hour
	// expiredDays is for how many days after a date an event is still made up for.
	expiredDays = 30
	whyExpiries = "dates that come near are looked for in all companies together; what is done binds the company"
)

// notices are how many days before a date an event is raised.
var notices = []int{0, 1, 7, 14, 30}

// expiresArgs are the arguments of the job that raises events of dates that come near.
type expiresArgs struct{}

// Kind implements jobs.Args.
func (expiresArgs) Kind() string { return "resource.expires" }

// UseGate leaves out, from then on, the dates of companies that do not use the area.
func (e *Engine) UseGate(g item.Gate) { e.gate = g }

// scheduleExpiries has the queue raise events of dates that come near.
func (e *Engine) scheduleExpiries(q *jobs.Queue) error {
	err := jobs.Add(q, "resource", func(ctx context.Context, _ expiresArgs) error { return e.RaiseExpiries(ctx) })
	if err != nil {
		return err
	}

	return jobs.AddEvery(q, expiresEvery, expiresArgs{})
}

// RaiseExpiries raises the events of all dates that have come 30, 14, 7 or 1 days near, or are there, by the calendar of
// their company: each once for a date, however often it is called. What was missed is made up for by one event, the
// nearest. Rows that are deleted, and companies that are suspended or do not use the area, have none.
func (e *Engine) RaiseExpiries(ctx context.Context) error {
	now, companies := e.clock.Now(), &calendars{engine: e, known: map[uuid.UUID]identity.Company{}}
	for _, name := range slices.Sorted(maps.Keys(e.resources)) {
		// In the world it is yesterday, today or tomorrow.
		for day := -1; day <= 1; day++ {
			if err := e.resources[name].raiseExpiries(ctx, companies, daysAfter(now.UTC(), day)); err != nil {
				return fmt.Errorf("dates of %s: %w", name, err)
			}
		}
	}

	return nil
}

// calendars know what day it is for a company, as of one run.
type calendars struct {
	engine *Engine
	known  map[uuid.UUID]identity.Company
}

// today is the day of the caller's company; "" where it is suspended or does not use the area.
func (c *calendars) today(ctx context.Context, area string) (field.Date, error) {
	id := principal.CompanyOf(ctx)
	company, known := c.known[id]
	if !known {
		var err error
		if company, err = c.engine.users.Company(ctx, id); err != nil {
			return "", err
		}
		c.known[id] = company
	}
	if company.SuspendedAt != nil {
		return "", nil
	}
	if uses, err := c.engine.uses(ctx, area); err != nil || !uses {
		return "", err
	}

	return daysAfter(c.engine.clock.Now().In(company.Zone()), 0), nil
}

// today is Resource.Today.
func (r *table) today(ctx context.Context) (field.Date, error) {
	company, err := r.engine.users.Company(ctx, principal.CompanyOf(ctx))

	return daysAfter(r.engine.clock.Now().In(company.Zone()), 0), err
}

// expired is Resource.Expired.
func (r *table) expired(ctx context.Context, row any) (*Expiry, error) {
	today, err := r.today(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range r.plan.Fields {
		if e, is := expiryIn(f, columns.ValueOf(row), today); is && e.Days < 0 {
			return &e, nil
		}
	}

	return nil, nil
}

// expiryIn is the date in a field of a row; false where there is none.
func expiryIn(f *columns.Field, row reflect.Value, today field.Date) (Expiry, bool) {
	if !f.Expires {
		return Expiry{}, false
	}
	on, _ := reflect.TypeAssert[field.Date](f.Of(row))
	days, is := daysUntil(today, on)

	return Expiry{Document: strings.TrimSuffix(f.Key, "_expires"), On: on, Days: days}, is
}

// daysAfter is the day that is so many days after the day of a time.
func daysAfter(at time.Time, days int) field.Date {
	return field.Date(at.AddDate(0, 0, days).Format(time.DateOnly))
}

// daysUntil is how many days a day is later than another one; false where one of them is none.
func daysUntil(from, to field.Date) (int, bool) {
	a, err := time.Parse(time.DateOnly, from.String())
	b, wrong := time.Parse(time.DateOnly, to.String())

	return int(b.Sub(a) / (24 * time.Hour)), err == nil && wrong == nil
}

// raiseExpiries raises the events of the companies whose day is today.
func (r *table) raiseExpiries(ctx context.Context, companies *calendars, today field.Date) error {
	now, err := time.Parse(time.DateOnly, today.String())
	if err != nil {
		return err
	}
	for _, f := range r.plan.Fields {
		if !f.Expires {
			continue
		}
		due := r.engine.db.Raw(database.AcrossCompanies(ctx, whyExpiries), whyExpiries).Table(r.plan.Table).
			Where(strings.NewReplacer("{table}", r.plan.Table, "{column}", f.Column).Replace(dueExpiries),
				daysAfter(now, -expiredDays), daysAfter(now, 30), r.Item, f.Key,
				today, daysAfter(now, 1), daysAfter(now, 7), daysAfter(now, 14))
		err := r.engine.db.Each(ctx, due, func(ctx context.Context, id uuid.UUID) error {
			if its, err := companies.today(ctx, r.area); err != nil || its != today {
				return err
			}

			return r.raiseExpiry(ctx, f, today, id)
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// dueExpiries finds dates near a day whose notice was not given.
const dueExpiries = `deleted_at IS NULL AND {column} BETWEEN ? AND ? AND NOT EXISTS (
	SELECT 1 FROM resource_expiries e
	WHERE e.company_id = {table}.company_id AND e.item_type = ? AND e.item_id = {table}.id AND e.field = ?
		AND e.expires_on = {table}.{column} AND e.days <= CASE
			WHEN {table}.{column} <= ? THEN 0 WHEN {table}.{column} <= ? THEN 1
			WHEN {table}.{column} <= ? THEN 7 WHEN {table}.{column} <= ? THEN 14 ELSE 30 END)`

// raiseExpiry raises the event of a row's date, unless it was raised in the meantime.
func (r *table) raiseExpiry(ctx context.Context, f *columns.Field, today field.Date, id uuid.UUID) error {
	row, err := r.find(ctx, id)
	if errors.Is(err, r.notFound) {
		return nil // it was deleted in the meantime
	}
	if err != nil {
		return err
	}
	near, is := expiryIn(f, columns.ValueOf(row), today)
	at := slices.IndexFunc(notices, func(n int) bool { return near.Days <= n })
	if !is || near.Days < -expiredDays || at < 0 {
		return nil // it was changed in the meantime
	}
	event := r.expiring(row, near)
	if event == nil {
		return nil
	}
	told := r.engine.db.Raw(ctx, whyExpiries).Exec(`INSERT INTO resource_expiries (company_id, item_type, item_id, field, expires_on, days)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (company_id, item_type, item_id, field, expires_on)
		DO UPDATE SET days = excluded.days WHERE resource_expiries.days > excluded.days`,
		principal.CompanyOf(ctx), r.Item, id, f.Key, near.On, notices[at])
	if told.Error != nil || told.RowsAffected == 0 {
		return database.Translate(told.Error)
	}

	return r.engine.bus.Publish(ctx, event)
}

// forgetExpiries removes a batch of what is known of dates of which no event will be raised any more.
func (e *Engine) forgetExpiries(ctx context.Context) (removed int, err error) {
	before := daysAfter(e.clock.Now().UTC(), -2*expiredDays)
	err = e.db.InTx(ctx, func(ctx context.Context) error {
		tx := e.db.Raw(ctx, whyExpiries).Exec(`DELETE FROM resource_expiries WHERE (company_id, item_type, item_id, field, expires_on) IN (
			SELECT company_id, item_type, item_id, field, expires_on FROM resource_expiries WHERE expires_on < ? LIMIT ?)`, before, purgeBatch)
		removed = int(tx.RowsAffected)

		return database.Translate(tx.Error)
	})

	return removed, err
}

// checkExpiring reports a field that expires without an event, or the other way round.
func (r *table) checkExpiring() error {
	if has := slices.ContainsFunc(r.plan.Fields, func(f *columns.Field) bool { return f.Expires }); has != r.expires {
		return errors.New("a field tagged expires needs the rule Expiring with its event, and the reverse")
	}

	return nil
}
