package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

const (
	// maxPayload is how long a payload may be, in bytes of JSON.
	maxPayload = 64 << 10
	maxUses    = 1_000_000
)

// NewLink is what a link is made from.
type NewLink struct {
	Purpose Purpose
	Subject Subject
	// Holder is the person or company outside to whom the link is given, such as a contact, a carrier or a driver; zero if that is not known.
	Holder Subject
	// Payload is given along, as JSON; it is stored as it is, so it holds no secrets.
	Payload any
	// MaxUses is how often the link can be used; 0 is what the purpose says.
	MaxUses int
	// ExpiresAt is when it stops; zero is what the purpose says.
	ExpiresAt time.Time
}

// Create makes a link of the caller's company. The text, the second result, is shown once: nobody
// can find it out later. Errors: link.invalid, link.portal_off. That no area that is on declares the purpose is a
// defect.
func (s *Service) Create(ctx context.Context, n NewLink) (Link, string, error) {
	rules, declared := s.rules[n.Purpose]
	if !declared {
		return Link{}, "", fmt.Errorf("purpose of a link %q is not declared", n.Purpose)
	}
	payload, err := json.Marshal(n.Payload)
	if err != nil {
		return Link{}, "", fmt.Errorf("payload of a link: %w", err)
	}
	if len(payload) > maxPayload {
		return Link{}, "", fmt.Errorf("payload of a link: %d bytes, want %d at most", len(payload), maxPayload)
	}
	now := s.clock.Now()
	text, shown := newText(), shownLength
	if rules.Code {
		text, shown = newCode(), codeShown
	}
	l := Link{
		ID: database.NewID(), Purpose: n.Purpose, Subject: n.Subject, Holder: n.Holder, Payload: payload, Prefix: text[:shown],
		MaxUses: n.MaxUses, CreatedBy: callerID(ctx), CreatedAt: now, ExpiresAt: clock.Stamp(n.ExpiresAt),
	}
	if l.MaxUses == 0 {
		l.MaxUses = rules.Uses
	}
	if n.ExpiresAt.IsZero() {
		l.ExpiresAt = now.Add(rules.Life)
	}
	if err := l.check(rules, now); err != nil {
		return Link{}, "", err
	}
	off := false
	err = s.db.InTx(ctx, func(ctx context.Context) (err error) {
		l.Company, err = s.rows.create(ctx, l, digestOf(text), rules.Portal)
		if off = errors.Is(err, errClosed); off {
			return nil // nothing was stored: the caller's transaction can go on
		}

		return err
	})
	switch {
	case err != nil:
		return Link{}, "", fmt.Errorf("link %s: %w", l.ID, err)
	case off:
		return Link{}, "", portalOff(ctx, rules.Portal)
	}

	return l, text, nil
}

func (l Link) check(r Rules, now time.Time) error {
	switch {
	case l.MaxUses < 0 || l.MaxUses > maxUses:
		return ErrInvalid.WithField("max_uses", fmt.Sprintf("The number of uses must be between 1 and %d.", maxUses))
	case !l.ExpiresAt.After(now):
		return ErrInvalid.WithField("expires_at", "The expiry must be in the future.")
	case l.ExpiresAt.After(now.Add(r.MaxLife)):
		return ErrInvalid.WithField("expires_at", "The expiry must be no later than "+now.Add(r.MaxLife).Format(time.RFC3339)+".")
	default:
		return nil
	}
}
