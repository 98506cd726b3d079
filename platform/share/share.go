// Package share gives people without an account links to what an area shows them, and sends them.
//
// An area that has declared a purpose (platform/link) and serves a public operation for it registers Routes: to make a link and send
// it, to list those that there are, and to revoke one. See docs/link.md.
package share

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// ErrRecipient is for somebody to whom nothing can be sent.
var ErrRecipient = errs.New(errs.Invalid, "share.invalid_recipient", "The given data was invalid.")

// Service makes links and sends them. It may be used from several goroutines.
type Service struct {
	db       *database.DB
	links    *link.Service
	channels *notify.Service
	baseURL  string
	quotas   quotas
}

// New returns a Service.
func New(db *database.DB, links *link.Service, channels *notify.Service, w web.Settings, c clock.Clock) *Service {
	return &Service{db, links, channels, strings.TrimSuffix(w.BaseURL, "/"), quotas{db, c}}
}

// KnowsAddress reports whether addresses of links have a host, so that they can be given to somebody who is elsewhere.
func (s *Service) KnowsAddress() bool { return s.baseURL != "" }

// Share is a link as the company sees it.
type Share struct {
	UUID       uuid.UUID  `json:"uuid"`
	URL        string     `json:"url,omitempty" doc:"Only in the response that creates the link. Without a host if web.base_url is not set."`
	Prefix     string     `json:"prefix" doc:"Beginning of the link, to identify it."`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  time.Time  `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	Deliveries []Delivery `json:"deliveries,omitempty" doc:"What became of sending it; only in the response that creates the link."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Share) SchemaName() string { return "Share" }

// Create is a link to make.
type Create struct {
	ExpiresAt time.Time   `json:"expires_at,omitzero" doc:"By default in 90 days; at most in 366."`
	To        []Recipient `json:"to,omitempty" maxItems:"5" nullable:"false" doc:"To whom it is sent."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Create) SchemaName() string { return "ShareCreate" }

// Recipient is somebody to whom a link is sent.
type Recipient struct {
	Channel string `json:"channel" enum:"sms,email"`
	Address string `json:"address" minLength:"1" maxLength:"320" doc:"A phone number for sms, an e-mail address for email." example:"+12145550143"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Recipient) SchemaName() string { return "ShareRecipient" }

// Result is what became of sending a link to somebody.
type Result string

// The results.
const (
	Sent    Result = "sent"
	Skipped Result = "skipped"
)

// Delivery is what became of sending a link.
type Delivery struct {
	Recipient

	Result Result `json:"result" enum:"sent,skipped" doc:"sent: the channel has the message, and sends it."`
	Reason string `json:"reason,omitempty" doc:"Why it was skipped."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (Delivery) SchemaName() string { return "ShareDelivery" }

func shareOf(l link.Link) Share {
	return Share{UUID: l.ID, Prefix: l.Prefix, CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt, RevokedAt: l.RevokedAt, LastUsedAt: l.LastUsedAt}
}

// Given is a link to give.
type Given struct {
	Purpose link.Purpose
	Subject link.Subject
	// Holder is to whom the link is given, as of platform/link; zero if that is not known.
	Holder link.Subject
	// Page is where it leads, without its text: "/loads/api/v1/shared/".
	Page string
	// Title and Text are the message that it is sent with; the address follows the text.
	Title, Text string
	// About is the item that the message is about, by default the subject.
	About item.Ref
	// Payload is given along with the link, as of platform/link.
	Payload any
	// Sales says that the message is an offer or a quote, which contacts may refuse apart (notify.Sales).
	Sales bool
	// Outsider bounds to whom somebody without an account may send the link; nil where a user of the company sends it.
	Outsider *Outsider
}

func (g Given) purpose() notify.Purpose {
	if g.Sales {
		return notify.Sales
	}

	return notify.Business
}

// Reached returns nil if somebody was sent the link, or nobody was to be; else notify.ErrNoChannel with the deliveries in its details. It is for operations
// that must not report success for a message that nobody gets.
func (s Share) Reached() error {
	if len(s.Deliveries) == 0 || slices.ContainsFunc(s.Deliveries, func(d Delivery) bool { return d.Result == Sent }) {
		return nil
	}
	texts := make([]string, len(s.Deliveries))
	for i, d := range s.Deliveries {
		texts[i] = d.Channel + ": " + d.Reason
	}

	return notify.ErrNoChannel.WithMessage("No channel reaches the recipients: %s", strings.Join(texts, " ")).WithDetail("deliveries", s.Deliveries)
}

// Give makes a link and sends it, in the transaction in ctx if there is one. Recipients that no channel of the company reaches, that must not be written to, or
// that the channel refuses are skipped with all reasons. Errors: ErrRecipient, ErrTooMany, link.ErrInvalid, link.ErrPortalOff.
func (s *Service) Give(ctx context.Context, g Given, c Create) (Share, error) {
	to, err := normal(c.To)
	if err != nil {
		return Share{}, err
	}
	if g.About.Type == "" {
		g.About = item.Ref{Type: g.Subject.Type, UUID: g.Subject.ID}
	}
	var out Share
	var off error
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		off = nil
		made, text, err := s.links.Create(ctx, link.NewLink{Purpose: g.Purpose, Subject: g.Subject, Holder: g.Holder, Payload: g.Payload, ExpiresAt: c.ExpiresAt})
		switch {
		case errors.Is(err, link.ErrPortalOff):
			off = err // nothing was stored: the caller's transaction can go on

			return nil
		case err != nil:
			return err
		}
		if g.Outsider != nil {
			if err := s.AllowOutsider(ctx, *g.Outsider, to); err != nil {
				return err
			}
		}
		out = shareOf(made)
		out.URL = s.baseURL + g.Page + text
		out.Deliveries, err = s.send(ctx, g, to, out.URL, text)

		return err
	})

	return out, cmp.Or(err, off)
}

// send has the channels send a URL, whose text is a secret.
func (s *Service) send(ctx context.Context, g Given, to []Recipient, url, text string) ([]Delivery, error) {
	var all []Delivery
	for _, one := range to {
		reasons, err := s.Refusals(ctx, one, g.purpose())
		if err != nil {
			return nil, err
		}
		d := Delivery{Recipient: one, Result: Sent}
		if len(reasons) == 0 {
			err := s.db.Savepoint(ctx, func(ctx context.Context) error {
				return s.channels.Send(ctx, notify.Message{
					Channel: one.Channel, To: one.Address, Subject: g.Title, Text: secret.Hide(g.Text + " " + url), Secrets: []secret.Text{secret.Hide(text)}, About: g.About,
					Purpose: g.purpose(),
				})
			})
			refusal, refused := errors.AsType[*errs.Error](err)
			if err != nil && (!refused || !errs.IsRefusal(err)) {
				return nil, err
			}
			if err != nil {
				reasons = []string{refusal.Message}
			}
		}
		if len(reasons) > 0 {
			d.Result, d.Reason = Skipped, strings.Join(reasons, " ")
			if g.Outsider != nil {
				d.Reason = "The recipient cannot be reached by this channel."
			}
		}
		all = append(all, d)
	}

	return all, nil
}

// CanSend refuses channels of which none can take a link to anybody. No channels are none to refuse. Error: notify.ErrNoChannel.
func (s *Service) CanSend(ctx context.Context, channels []string) error {
	if len(channels) == 0 {
		return nil
	}
	there, err := s.channels.Channels(ctx)
	switch {
	case err != nil:
		return err
	case !slices.ContainsFunc(channels, func(c string) bool { return slices.Contains(there, c) }):
		return notify.ErrNoChannel.WithDetail("channels", there)
	case s.baseURL == "":
		return notify.ErrNoChannel.WithMessage("Nothing can be sent: the service does not know its own address. Set web.base_url, or pass on the links yourself.").
			WithDetail("channels", []string{})
	}

	return nil
}

// Refusals returns all reasons why a recipient is not sent links for a purpose, as sentences; none if it is.
func (s *Service) Refusals(ctx context.Context, to Recipient, p notify.Purpose) ([]string, error) {
	reasons, err := s.channels.Refusals(ctx, notify.Address{Channel: to.Channel, To: to.Address, Purpose: p})
	if s.baseURL == "" {
		reasons = append([]string{"The service does not know its own address: web.base_url is not set."}, reasons...)
	}

	return reasons, err
}

// normal are recipients with their addresses in the form in which they are stored.
func normal(to []Recipient) ([]Recipient, error) {
	wrong, all := ErrRecipient, make([]Recipient, len(to))
	for i, one := range to {
		all[i] = one
		at, quoted := "to."+strconv.Itoa(i)+".address", rawjson.Quote(strings.TrimSpace(one.Address))
		if one.Channel == notify.SMS {
			var phone field.Phone
			if phone.UnmarshalJSON(quoted) != nil || phone == "" {
				wrong = wrong.WithField(at, "The address must be a phone number, such as +12145550143.")
			}
			all[i].Address = string(phone)
		} else {
			var email field.Email
			if email.UnmarshalJSON(quoted) != nil || email == "" {
				wrong = wrong.WithField(at, "The address must be an e-mail address.")
			}
			all[i].Address = string(email)
		}
	}
	if len(wrong.Fields) > 0 {
		return nil, wrong
	}

	return all, nil
}

// Revoke ends the links for a purpose to a subject, in the transaction in ctx if there is one.
func (s *Service) Revoke(ctx context.Context, p link.Purpose, to link.Subject) error {
	_, err := s.links.RevokeAll(ctx, p, to)

	return err
}

// List returns the newest 100 links to something.
func (s *Service) List(ctx context.Context, p link.Purpose, to link.Subject) ([]Share, error) {
	found, err := s.links.List(ctx, link.Filter{Purpose: p, Subject: to})
	all := make([]Share, len(found))
	for i, l := range found {
		all[i] = shareOf(l)
	}

	return all, err
}
