package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// QuietHours knows when recipients are not to be disturbed.
type QuietHours struct {
	identity *identity.Service
}

// NewQuietHours returns QuietHours.
func NewQuietHours(who *identity.Service) *QuietHours {
	return &QuietHours{identity: who}
}

// Check refuses a message that would be due in quiet hours, where the company wants that.
func (s *QuietHours) Check(ctx context.Context, p store.Preferences, row store.Message) error {
	if p.QuietPolicy != store.QuietRefuse {
		return nil
	}
	until, err := s.end(ctx, p, row, row.DueAt)
	if err != nil || until.IsZero() {
		return err
	}

	return store.ErrQuiet.WithDetail("until", until)
}

// end returns when the quiet hours of a message's recipient end in which a time is; the zero time for none.
func (s *QuietHours) end(ctx context.Context, p store.Preferences, row store.Message, at time.Time) (time.Time, error) {
	if row.Urgent || p.QuietFrom == "" {
		return time.Time{}, nil
	}
	names := phone.Zones(row.Recipient)
	if len(names) == 0 {
		who, _ := principal.From(ctx)
		company, err := s.identity.Company(ctx, who.Company)
		if err != nil && !errors.Is(err, identity.ErrCompanyNotFound) {
			return time.Time{}, err
		}
		names = []string{company.TimeZone}
	}
	var zones []*time.Location
	for _, name := range names {
		zone, err := time.LoadLocation(name)
		if err != nil {
			zone = time.UTC
		}
		zones = append(zones, zone)
	}

	return QuietUntil(at, p.QuietFrom, p.QuietTo, zones), nil
}

// QuietUntil returns when the quiet hours end in which now is, in any of the zones; the zero time if it is in
// none. Where the zones never agree on a time that is not quiet, the last end counts. From and to are times of
// day, "21:00"; to may be on the next day.
func QuietUntil(now time.Time, from, to string, zones []*time.Location) time.Time {
	if from == "" || to == "" || from == to {
		return time.Time{}
	}
	at := now
	for range 2 * len(zones) {
		moved := false
		for _, zone := range zones {
			if end := endOfQuiet(at.In(zone), from, to); end.After(at) {
				at, moved = end, true
			}
		}
		if !moved {
			break
		}
	}
	if at.Equal(now) {
		return time.Time{}
	}

	return at.UTC()
}

// endOfQuiet returns the end of the quiet hours that a local time is in, or that time.
func endOfQuiet(local time.Time, from, to string) time.Time {
	day := local.Format("15:04")
	within := from <= day && day < to
	overnight := from > to
	if overnight {
		within = day >= from || day < to
	}
	if !within {
		return local
	}
	end, err := time.Parse("15:04", to)
	if err != nil {
		return local
	}
	days := 0
	if overnight && day >= from {
		days = 1
	}

	return time.Date(local.Year(), local.Month(), local.Day()+days, end.Hour(), end.Minute(), 0, 0, local.Location())
}
