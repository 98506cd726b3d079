// Package share gives people without an account links to what an area shows them, and sends them.
//
// An area that has declared a purpose (platform/link) and serves a public operation for it registers Routes: to make a link and send
// it, to list those that there are, and to revoke one. See docs/link.md.
package share

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/notify"
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
}

// New returns a Service.
func New(db *database.DB, links *link.Service, channels *notify.Service, w web.Settings) *Service {
	return &Service{db, links, channels, strings.TrimSuffix(w.BaseURL, "/")}
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
	// Page is where it leads, without its text: "/loads/api/v1/shared/".
	Page string
	// Title and Text are the message that it is sent with; the address follows the text.
	Title, Text string
	// About is the item that the message is about, by default the subject.
	About item.Ref
	// Payload is given along with the link, as of platform/link.
	Payload any
}

// Give makes a link and sends it, in the transaction in ctx if there is one. Whom no channel of the company reaches is skipped. Errors:
// ErrRecipient, link.ErrInvalid, and those of channels.
func (s *Service) Give(ctx context.Context, g Given, c Create) (Share, error) {
	to, err := normal(c.To)
	if err != nil {
		return Share{}, err
	}
	if g.About.Type == "" {
		g.About = item.Ref{Type: g.Subject.Type, UUID: g.Subject.ID}
	}
	var out Share
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		made, text, err := s.links.Create(ctx, link.NewLink{Purpose: g.Purpose, Subject: g.Subject, Payload: g.Payload, ExpiresAt: c.ExpiresAt})
		if err != nil {
			return err
		}
		out = shareOf(made)
		out.URL = s.baseURL + g.Page + text
		out.Deliveries, err = s.send(ctx, g, to, out.URL, text)

		return err
	})

	return out, err
}

// send has the channels send an address, of which text is nobody else's business.
func (s *Service) send(ctx context.Context, g Given, to []Recipient, url, text string) ([]Delivery, error) {
	if len(to) == 0 {
		return nil, nil
	}
	there, err := s.channels.Channels(ctx)
	if err != nil {
		return nil, err
	}
	var all []Delivery
	for _, one := range to {
		d := Delivery{Recipient: one, Result: Skipped}
		switch {
		case s.baseURL == "":
			d.Reason = "The service does not know its own address: web.base_url is not set."
		case !slices.Contains(there, one.Channel):
			d.Reason = "The company has no area that sends by this channel."
		default:
			d.Result = Sent
			if err := s.channels.Send(ctx, notify.Message{
				Channel: one.Channel, To: one.Address, Subject: g.Title, Text: secret.Hide(g.Text + " " + url), Secrets: []secret.Text{secret.Hide(text)}, About: g.About,
			}); err != nil {
				return nil, err
			}
		}
		all = append(all, d)
	}

	return all, nil
}

// normal are recipients with their addresses in the form in which they are stored.
func normal(to []Recipient) ([]Recipient, error) {
	wrong, all := ErrRecipient, make([]Recipient, len(to))
	for i, one := range to {
		all[i] = one
		at, quoted := "to."+strconv.Itoa(i)+".address", []byte(strconv.Quote(strings.TrimSpace(one.Address)))
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
