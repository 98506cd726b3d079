package composing

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/naming"
)

// Checks refuses drafts that the number's provider would not take, or for times at which nothing is sent.
type Checks struct {
	vendors  *vendors.Service
	clock    clock.Clock
	settings *settings.Settings
}

// NewChecks returns Checks.
func NewChecks(v *vendors.Service, c clock.Clock, s *settings.Settings) *Checks {
	return &Checks{vendors: v, clock: c, settings: s}
}

// checkContent refuses what the number's provider would not take.
func (s *Checks) checkContent(ctx context.Context, c composed) error {
	row, err := s.vendors.Accounts.Ready(ctx, c.from.AccountID)
	if err != nil {
		return err
	}
	p, ok := s.vendors.ByName[row.Provider]
	if !ok {
		return fmt.Errorf("%w: %q", vendors.ErrNoVendor, row.Provider)
	}
	can := p.Capabilities()
	refusal := *store.ErrInvalid
	wrong := &refusal
	most := min(s.settings.MaxBody, can.MaxBody)
	if n := utf8.RuneCountInString(c.text); n > most {
		wrong = wrong.WithField("body", fmt.Sprintf("The body must have at most %d characters; it has %d.", most, n))
	}
	if !strings.ContainsFunc(c.text, func(r rune) bool { return !naming.IsInvisible(r) }) && len(c.Media) == 0 {
		wrong = wrong.WithField("body", "The body is required without media.")
	}
	if strings.ContainsRune(c.text, 0) || !utf8.ValidString(c.text) {
		wrong = wrong.WithField("body", "The body must be text without the character U+0000.")
	}
	if len(c.Media) > can.MaxMedia {
		wrong = wrong.WithField("media", fmt.Sprintf("The media must have at most %d links.", can.MaxMedia))
	} else if len(c.Media) > 0 && !c.from.MMS {
		wrong = wrong.WithField("media", "The sending number does not support media.")
	}
	for i, link := range c.Media {
		if !isMedia(link) {
			wrong = wrong.WithField(fmt.Sprintf("media.%d", i), "The link must start with https:// and have a host, without a user or fragment.")
		}
	}
	if c.To == c.from.Number {
		wrong = wrong.WithField("to", "The number must differ from the sending number.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

func (s *Checks) checkTime(at time.Time) error {
	if !at.IsZero() && at.Before(s.clock.Now().Add(-pastTolerance)) {
		return store.ErrInvalid.WithField("send_at", "`send_at` must not be in the past. Leave it out to send now.")
	}
	if !at.IsZero() && at.After(s.clock.Now().Add(s.settings.MaxAhead)) {
		return store.ErrInvalid.WithField("send_at", "`send_at` must be at most "+inDays(s.settings.MaxAhead)+" ahead.")
	}

	return nil
}
