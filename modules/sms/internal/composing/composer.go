// Package composing makes messages of drafts: it checks them, fills in their texts, chooses the number, and has them sent.
package composing

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// Draft is a message as somebody wants it.
type Draft struct {
	To           string
	Body         string
	TemplateUUID uuid.UUID
	Variables    map[string]any
	FromUUID     uuid.UUID
	Media        []string
	SendAt       time.Time
	Owner        item.Ref
	Urgent       bool
	Secrets      []secret.Text // parts of the text that nobody may read afterwards
	DespiteBad   bool          // also to a number that was found to take no messages
	Screened     bool          // the screens of other areas were asked already
}

// composed is a draft whose every word is checked.
type composed struct {
	Draft

	preferences store.Preferences

	from  store.Number
	text  string
	count segment.Count
}

// Composer checks drafts, and fills in their texts. It writes nothing.
type Composer struct {
	store    *store.Repository
	senders  *Senders
	renderer *Renderer
	checks   *Checks
	screens  *notify.Service
}

// NewComposer returns a Composer.
func NewComposer(r *store.Repository, s *Senders, re *Renderer, c *Checks, screens *notify.Service) *Composer {
	return &Composer{store: r, senders: s, renderer: re, checks: c, screens: screens}
}

// compose checks a draft and fills in its text. It writes nothing.
func (s *Composer) compose(ctx context.Context, d Draft) (composed, error) {
	c := composed{Draft: d}
	var err error
	if c.preferences, err = s.store.Preferences(ctx); err != nil {
		return c, err
	}
	if c.To, err = phone.Recipient(d.To, c.preferences.Region); err != nil {
		return c, store.OnField(err, "to")
	}
	if !d.Screened {
		refused, err := s.screens.Screened(ctx, notify.Address{Channel: notify.SMS, To: c.To})
		if err != nil {
			return c, err
		}
		if len(refused) > 0 {
			return c, notify.ErrRefused.WithField("to", strings.Join(refused, " ")).WithDetail("reasons", refused)
		}
	}
	if err := s.renderer.checkOwner(ctx, d.Owner); err != nil {
		return c, err
	}
	if c.from, err = s.senders.choose(ctx, c.preferences, d.FromUUID, c.To); err != nil {
		return c, err
	}
	if c.text, err = s.renderer.renderBody(ctx, d); err != nil {
		return c, err
	}
	if err := s.checks.checkTime(d.SendAt); err != nil {
		return c, err
	}
	c.count = segment.Of(c.text, false)

	return c, s.checks.checkContent(ctx, c)
}

// isMedia looks at the form of a link. It is the provider who fetches it.
func isMedia(link string) bool {
	u, err := url.Parse(link)

	return err == nil && len(link) <= 2000 && u.Scheme == "https" && u.Hostname() != "" && strings.Contains(u.Hostname(), ".") &&
		u.User == nil && u.Fragment == "" && !strings.ContainsAny(link, " \t\r\n")
}

// pastTolerance is by how much a time to send at may be past: clocks differ, and requests take time.
const pastTolerance = 5 * time.Minute

// inDays is a duration as people read it, in days if it is some.
func inDays(d time.Duration) string {
	const day = 24 * time.Hour
	if d > day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + " days"
	}

	return d.String()
}

// warnings are what is worth knowing of a text before it is sent.
func (c composed) warnings() []string {
	var all []string
	if len(c.count.Forcing) > 0 {
		all = append(all, "Some characters are outside of GSM-7, so a segment has only 70 characters instead of 160.")
	}
	if c.count.Segments > 10 {
		all = append(all, "Some providers and networks do not deliver more than 10 segments.")
	}
	if slices.Contains([]string{"unregistered", "rejected", "pending"}, string(c.from.Registration)) {
		all = append(all, "The number is not registered with the carriers, which may drop the message.")
	}

	return all
}
