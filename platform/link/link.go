// Package link makes capability links: whoever has one may do the one thing it is for, without a
// token. Invitations, password resets, uploads and shares are links.
//
// An area declares what its links are for, and makes them in the name of a company:
//
//	const invitation link.Purpose = "companies.invitation"
//
//	link.Declare(invitation, link.Rules{Uses: 1, Life: 7 * 24 * time.Hour})     // in the manifest
//	made, text, err := links.Create(ctx, link.NewLink{Purpose: invitation, Subject: link.Subject{Type: "companies.user", ID: user}})
//
// The text goes to whoever is to have it; only its hash is stored. Use counts a use, in the
// transaction of what the link is used for, and says whose link it is. Whatever is wrong with a
// link, a stranger is told the same.
//
// Links whose purpose belongs to a portal (Rules.Portal) work only while the company has that portal on.
//
// It owns the tables link_links and link_portals, rows of companies.
package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/lastuse"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/ratelimit"
)

// Purpose names what a link is for, as "<area>.<what>". A link of one purpose is unknown to every
// other.
type Purpose string

// defaultPerMinute is more than a person needs.
const defaultPerMinute = 60

// Rules are what the links of a purpose have in common.
type Rules struct {
	// Uses is how often a link can be used, unless its maker says otherwise; 0 is any number.
	Uses int
	// Life is for how long a link is good, unless its maker says otherwise.
	Life time.Duration
	// MaxLife is for how long a link may be good; 0 is Life.
	MaxLife time.Duration
	// PerMinute is how often in a minute a process lets somebody enter with a link; 0 is 60.
	PerMinute int
	// Portal is whose page the links open, "" for nobody's, such as invitations and links between programs. A company can switch portals off.
	Portal Portal
	// Code has the texts be codes of ten characters, which people can read out and enter. Whoever serves them keeps programs from guessing.
	Code bool
}

// Subject is the item that a link is about.
type Subject struct {
	// Type is the item's type, "<area>.<what>".
	Type string `json:"type"`
	// ID is uuid.Nil where the type says all.
	ID uuid.UUID `json:"uuid"`
}

// Link is a link as it can be shown: without its text, of which nothing but a hash is kept.
type Link struct {
	ID uuid.UUID `json:"uuid"`
	// Company is whose link it is.
	Company uuid.UUID `json:"company_uuid"`
	Purpose Purpose   `json:"purpose"`
	Subject Subject   `json:"subject"`
	// Holder is to whom the link was given, zero if that is not known.
	Holder Subject `json:"holder,omitzero"`
	// Payload is what its maker gave along, null if nothing.
	Payload json.RawMessage `json:"payload"`
	// Prefix is how the text begins, for people to recognise it by.
	Prefix string `json:"prefix"`
	// MaxUses is how often the link can be used; 0 is any number.
	MaxUses int `json:"max_uses"`
	// Uses is how often it was used.
	Uses int `json:"uses"`
	// CreatedBy is the user who made it, uuid.Nil if a program did.
	CreatedBy uuid.UUID `json:"created_by_uuid,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
	// RevokedAt is nil if the link is not revoked, LastUsedAt if it was never used.
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`

	// portalOff says that the portal of the link is off.
	portalOff bool
}

// PayloadOf returns what was given along with the link, as a T.
func PayloadOf[T any](l Link) (T, error) {
	var payload T
	if err := json.Unmarshal(l.Payload, &payload); err != nil {
		return payload, fmt.Errorf("payload of link %s: %w", l.ID, err)
	}

	return payload, nil
}

// Service is the one door to links. It may be used from several goroutines.
type Service struct {
	db    *database.DB
	rows  repository
	clock clock.Clock
	rules map[Purpose]Rules
	// entries count how often links are entered, by purpose.
	entries map[Purpose]*ratelimit.Limiter
	visits  *lastuse.Recorder
	// served reports whether the links of an area work for a company; nil is that all do.
	served func(ctx context.Context, company uuid.UUID, area string) (bool, error)
}

// New makes a service that knows no purposes.
func New(db *database.DB, clk clock.Clock, log *slog.Logger) *Service {
	rows := repository{db: db}

	return &Service{
		db: db, rows: rows, clock: clk, rules: map[Purpose]Rules{}, entries: map[Purpose]*ratelimit.Limiter{}, visits: lastuse.New("links", rows.recordVisits, clk, log),
	}
}

// Start begins to record when links are entered, until Stop.
func (s *Service) Start(ctx context.Context) error {
	s.visits.Start(ctx)

	return nil
}

// Stop records what is still to be recorded and waits for it, as long as ctx allows.
func (s *Service) Stop(ctx context.Context) error { return s.visits.Stop(ctx) }

// OnlyFor says whose links work: those of companies and areas of which served is true. It is called before the
// service starts.
func (s *Service) OnlyFor(served func(ctx context.Context, company uuid.UUID, area string) (bool, error)) {
	s.served = served
}

// Declare is the manifest line of a purpose. Its name begins with the area's id.
func Declare(p Purpose, r Rules) fx.Option {
	return module.Contribute("link", string(p), p, func(at module.At) fx.Option {
		return module.Register(at, func(s, _ *Service) error {
			if !strings.HasPrefix(string(p), at.Area+".") {
				return fmt.Errorf("purpose of a link %q: want a name that begins with %q", p, at.Area+".")
			}

			return s.declare(p, r)
		})
	})
}

func (s *Service) declare(p Purpose, r Rules) error {
	if _, taken := s.rules[p]; taken {
		return fmt.Errorf("purpose of a link %q is declared twice", p)
	}
	if r.MaxLife == 0 {
		r.MaxLife = r.Life
	}
	if r.Uses < 0 || r.Life <= 0 || r.MaxLife < r.Life {
		return fmt.Errorf("purpose of a link %q: want Uses of 0 or more, a Life, and a MaxLife that is no shorter", p)
	}
	if r.Portal != "" && !slices.Contains(Portals(), r.Portal) {
		return fmt.Errorf("purpose of a link %q: there is no portal %q", p, r.Portal)
	}
	if r.PerMinute == 0 {
		r.PerMinute = defaultPerMinute
	}
	s.rules[p] = r
	s.entries[p] = ratelimit.New(ratelimit.Policy{Name: string(p), Quota: r.PerMinute, Window: time.Minute}, s.clock)

	return nil
}

// Enter is Peek for somebody who comes with a link, and whose programs are kept from coming too often. The context is that
// of the link's company, in which the caller goes on. Errors: as Use, and link.too_often.
func (s *Service) Enter(ctx context.Context, p Purpose, text string) (context.Context, Link, error) {
	if text = s.normal(p, text); text == "" {
		return ctx, Link{}, errUnknown
	}
	if limit := s.entries[p]; limit != nil {
		if r := limit.Take(ctx, text); !r.Allowed {
			return ctx, Link{}, ErrTooOften.WithRetryAfter(r.RetryAfter)
		}
	}
	l, err := s.Peek(ctx, p, text)
	if err != nil {
		return ctx, Link{}, err
	}

	s.visits.Note(lastuse.Use{Company: l.Company, ID: l.ID, At: s.clock.Now()}, l.lastUse())

	return principal.AsCompany(ctx, l.Company), l, nil
}

// Peek returns a link that can be used, without using it: to show what it is for. Errors: as Use.
func (s *Service) Peek(ctx context.Context, p Purpose, text string) (Link, error) {
	if text = s.normal(p, text); text == "" {
		return Link{}, errUnknown
	}
	l, err := s.find(ctx, p, text)
	if err != nil {
		return Link{}, err
	}
	if err := l.refusal(s.clock.Now()); err != nil {
		return Link{}, err
	}

	return l, s.serves(ctx, l)
}

// Known returns a link that there is or was, also one that can be used no more: to say what became of what
// it was used for. Errors: link.unknown and link.unavailable.
func (s *Service) Known(ctx context.Context, p Purpose, text string) (Link, error) {
	if text = s.normal(p, text); text == "" {
		return Link{}, errUnknown
	}
	l, err := s.find(ctx, p, text)
	if err != nil {
		return Link{}, err
	}

	return l, s.serves(ctx, l)
}

// serves refuses the link of a company that is suspended, does not use the area of the link, or has switched off its portal.
func (s *Service) serves(ctx context.Context, l Link) error {
	if l.portalOff {
		return errUnavailable
	}
	if s.served == nil {
		return nil
	}
	area, _, _ := strings.Cut(string(l.Purpose), ".")
	works, err := s.served(ctx, l.Company, area)
	if err != nil {
		return fmt.Errorf("company of a link: %w", err)
	}
	if !works {
		return errUnavailable
	}

	return nil
}

// Use counts one use of a link and returns it, with that use. The caller needs no principal, and
// goes on as principal.ForCompany(link.Company). In a transaction, the use counts if and only if it
// is committed, and of callers at the same time no more get through than the link has uses. Errors:
// link.unknown, link.expired, link.used_up, link.revoked and link.unavailable, all errs.NotFound.
func (s *Service) Use(ctx context.Context, p Purpose, text string) (used Link, err error) {
	if text = s.normal(p, text); text == "" {
		return Link{}, errUnknown
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		now := s.clock.Now()
		counted, err := s.rows.use(ctx, p, digestOf(text), now)
		if err != nil {
			return fmt.Errorf("using a link: %w", err)
		}
		if used, err = s.find(ctx, p, text); err != nil {
			return err
		}
		if counted {
			return s.serves(ctx, used)
		}
		if err := used.refusal(now); err != nil {
			return err
		}

		return errUsedUp // by somebody else, between the two statements
	})
	if err != nil {
		return Link{}, err
	}

	return used, nil
}

// UseByID is Use of a link of the caller's company, for who does not have its text: a job that ends what
// somebody with the link has begun.
func (s *Service) UseByID(ctx context.Context, p Purpose, id uuid.UUID) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		now := s.clock.Now()
		counted, err := s.rows.useByID(ctx, p, id, now)
		if err != nil {
			return fmt.Errorf("using link %s: %w", id, err)
		}
		l, err := s.rows.findByID(ctx, p, id, s.rules[p].Portal)
		switch {
		case errors.Is(err, database.ErrNotFound):
			return errUnknown
		case err != nil:
			return fmt.Errorf("reading link %s: %w", id, err)
		case counted:
			return s.serves(ctx, l)
		}
		if err := l.refusal(now); err != nil {
			return err
		}

		return errUsedUp // by somebody else, between the two statements
	})
}

func (s *Service) find(ctx context.Context, p Purpose, text string) (Link, error) {
	l, err := s.rows.find(ctx, p, digestOf(text), s.rules[p].Portal)
	if errors.Is(err, database.ErrNotFound) {
		return Link{}, errUnknown
	}
	if err != nil {
		return Link{}, fmt.Errorf("reading a link: %w", err)
	}

	return l, nil
}

// State is whether a link can be used, or why it no longer can. It does not say whether the portal of the link is on.
type State string

// The states.
const (
	Live    State = "live"
	Revoked State = "revoked"
	UsedUp  State = "used_up"
	Expired State = "expired"
)

// StateAt returns the state of the link at a time.
func (l Link) StateAt(now time.Time) State {
	switch {
	case l.RevokedAt != nil:
		return Revoked
	case l.MaxUses > 0 && l.Uses >= l.MaxUses:
		return UsedUp
	case !now.Before(l.ExpiresAt):
		return Expired
	default:
		return Live
	}
}

// refusal says why a link cannot be used at a time, nil if it can.
func (l Link) refusal(now time.Time) error {
	switch l.StateAt(now) {
	case Revoked:
		return errRevoked
	case UsedUp:
		return errUsedUp
	case Expired:
		return errExpired
	case Live:
	}

	return nil
}

// callerID returns the user who is calling, uuid.Nil if no user is.
func callerID(ctx context.Context) uuid.UUID {
	caller, _ := principal.From(ctx)

	return caller.User
}

// lastUse is when a link was last used, zero for never.
func (l Link) lastUse() time.Time {
	if l.LastUsedAt == nil {
		return time.Time{}
	}

	return *l.LastUsedAt
}
