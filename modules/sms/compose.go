package sms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
	"github.com/dispatchd/dispatchd/modules/sms/internal/settings"
	"github.com/dispatchd/dispatchd/modules/sms/internal/store"
	"github.com/dispatchd/dispatchd/modules/sms/internal/vendors"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/template"
)

// draft is a message as somebody wants it.
type draft struct {
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
	draft

	preferences store.Preferences

	from  store.Number
	text  string
	count segment.Count
}

// composer checks drafts, and fills in their texts. It writes nothing.
type composer struct {
	store    *store.Repository
	vendors  *vendors.Service
	defaults *defaultNumbers
	items    *item.Registry
	clock    clock.Clock
	settings *settings.Settings
	screens  *notify.Service
}

func newComposer(
	r *store.Repository, v *vendors.Service, defaults *defaultNumbers, items *item.Registry, c clock.Clock, s *settings.Settings, screens *notify.Service,
) *composer {
	return &composer{store: r, vendors: v, defaults: defaults, items: items, clock: c, settings: s, screens: screens}
}

// compose checks a draft and fills in its text. It writes nothing.
func (s *composer) compose(ctx context.Context, d draft) (composed, error) {
	c := composed{draft: d}
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
	if err := s.checkOwner(ctx, d.Owner); err != nil {
		return c, err
	}
	if c.from, err = s.chooseNumber(ctx, c.preferences, d.FromUUID, c.To); err != nil {
		return c, err
	}
	if c.text, err = s.renderBody(ctx, d); err != nil {
		return c, err
	}
	if err := s.checkTime(d.SendAt); err != nil {
		return c, err
	}
	c.count = segment.Of(c.text, false)

	return c, s.checkContent(ctx, c)
}

// checkContent refuses what the number's provider would not take.
func (s *composer) checkContent(ctx context.Context, c composed) error {
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

// isMedia looks at the form of a link. It is the provider who fetches it.
func isMedia(link string) bool {
	u, err := url.Parse(link)

	return err == nil && len(link) <= 2000 && u.Scheme == "https" && u.Hostname() != "" && strings.Contains(u.Hostname(), ".") &&
		u.User == nil && u.Fragment == "" && !strings.ContainsAny(link, " \t\r\n")
}

// pastTolerance is by how much a time to send at may be past: clocks differ, and requests take time.
const pastTolerance = 5 * time.Minute

func (s *composer) checkTime(at time.Time) error {
	if !at.IsZero() && at.Before(s.clock.Now().Add(-pastTolerance)) {
		return store.ErrInvalid.WithField("send_at", "`send_at` must not be in the past. Leave it out to send now.")
	}
	if !at.IsZero() && at.After(s.clock.Now().Add(s.settings.MaxAhead)) {
		return store.ErrInvalid.WithField("send_at", "`send_at` must be at most "+inDays(s.settings.MaxAhead)+" ahead.")
	}

	return nil
}

// inDays is a duration as people read it, in days if it is some.
func inDays(d time.Duration) string {
	const day = 24 * time.Hour
	if d > day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + " days"
	}

	return d.String()
}

// chooseNumber chooses the number: the one that is said, the caller's default, the company's, or that which was last
// used with the recipient.
func (s *composer) chooseNumber(ctx context.Context, p store.Preferences, said uuid.UUID, to string) (store.Number, error) {
	if said != uuid.Nil {
		row, err := s.store.Number(ctx, said)

		return row, store.OrElse(err, row.Usable(principal.UserOf(ctx)))
	}
	row, _, err := s.defaults.ofCaller(ctx, p)
	if err == nil && row.Usable(principal.UserOf(ctx)) == nil {
		return row, nil
	}
	if err != nil && !errors.Is(err, store.ErrNoDefault) {
		return row, err
	}
	last, err := s.store.LastThread(ctx, to)
	if err != nil {
		return row, err
	}
	if last == nil {
		return row, store.ErrNoSender
	}
	if row, err = s.store.Number(ctx, last.NumberID); err != nil || row.Usable(principal.UserOf(ctx)) != nil {
		return row, store.OrElse(err, store.ErrNoSender)
	}

	return row, nil
}

// checkOwner makes sure that the item is there which a message is about.
func (s *composer) checkOwner(ctx context.Context, owner item.Ref) error {
	if owner.Type == "" && owner.UUID == uuid.Nil {
		return nil
	}
	if owner.Type == "" || owner.UUID == uuid.Nil {
		return store.ErrInvalid.WithField("owner_uuid", "Send owner_type and owner_uuid together.")
	}
	missing, err := s.items.Exists(ctx, owner)
	if err != nil {
		return store.OnField(err, "owner_type")
	}
	if len(missing) > 0 {
		return store.ErrInvalid.WithField("owner_uuid", "There is no such "+owner.Type+".")
	}

	return nil
}

// renderBody returns the body, or the template filled in: with the draft's variables, and with the values of its owner
// as "item".
func (s *composer) renderBody(ctx context.Context, d draft) (string, error) {
	if d.TemplateUUID == uuid.Nil {
		if len(d.Variables) > 0 {
			return "", store.ErrInvalid.WithField("variables", "The variables are only for a template. Remove them.")
		}

		return d.Body, nil
	}
	if d.Body != "" {
		return "", store.ErrInvalid.WithField("body", "The body must not be given together with a template.")
	}
	row, err := s.store.LiveTemplate(ctx, d.TemplateUUID)
	if err != nil {
		return "", err
	}

	return s.renderTemplate(ctx, row.Body, d.Variables, d.Owner)
}

// renderTemplate renders a template.
func (s *composer) renderTemplate(ctx context.Context, source string, variables map[string]any, owner item.Ref) (string, error) {
	values := make(map[string]any, len(variables)+1)
	maps.Copy(values, variables)
	if _, said := values["item"]; !said && owner.Type != "" && strings.Contains(source, "item") {
		of, err := s.itemValues(ctx, owner)
		if err != nil {
			return "", err
		}
		values["item"] = of
	}
	text, err := template.Render(ctx, source, values)
	if missing, ok := errors.AsType[*template.MissingError](err); ok {
		refusal := store.ErrVariables.WithDetail("missing", missing.Names)
		for _, name := range missing.Names {
			refusal = refusal.WithField("variables."+name, "The template shows "+name+", which has no value.")
		}

		return "", refusal
	}
	if wrong, ok := errors.AsType[*template.Error](err); ok {
		return "", store.ErrInvalid.WithField("template_uuid", wrong.Problem)
	}

	return strings.TrimSpace(text), err
}

// itemValues returns the values of an item, as a template sees them.
func (s *composer) itemValues(ctx context.Context, owner item.Ref) (map[string]any, error) {
	found, err := s.items.Values(ctx, []item.Ref{owner})
	if refusal, ok := errors.AsType[*errs.Error](err); ok {
		return nil, refusal.WithField("owner_type", refusal.Message)
	}
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for name, text := range found[0] {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, err
		}
		if value != nil {
			values[name] = value
		}
	}

	return values, nil
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
