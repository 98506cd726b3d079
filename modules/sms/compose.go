package sms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/sms/internal/phone"
	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
	liquid "github.com/dispatchd/dispatchd/platform/template"
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
	DespiteBad   bool // also to a number that was found to take no messages
}

// composed is a draft whose every word is checked.
type composed struct {
	draft

	preferences preferences

	from  number
	text  string
	count segment.Count
}

// compose checks a draft and fills in its text. It writes nothing.
func (s *core) compose(ctx context.Context, d draft) (composed, error) {
	c := composed{draft: d}
	var err error
	if c.preferences, err = s.preferences(ctx); err != nil {
		return c, err
	}
	if c.To, err = phone.Recipient(d.To, c.preferences.Region); err != nil {
		return c, within(err, "to")
	}
	if err := s.ownerIs(ctx, d.Owner); err != nil {
		return c, err
	}
	if c.from, err = s.sender(ctx, c.preferences, d.FromUUID, c.To); err != nil {
		return c, err
	}
	if c.text, err = s.text(ctx, d); err != nil {
		return c, err
	}
	if err := s.checkTime(d.SendAt); err != nil {
		return c, err
	}
	c.count = segment.Of(c.text, false)

	return c, s.checkContent(ctx, c)
}

// checkContent refuses what the number's provider would not take.
func (s *core) checkContent(ctx context.Context, c composed) error {
	row, err := s.accounts.Ready(ctx, c.from.AccountID)
	if err != nil {
		return err
	}
	p, ok := s.vendors.byName[row.Provider]
	if !ok {
		return fmt.Errorf("%w: %q", errNoVendor, row.Provider)
	}
	can := p.Capabilities()
	refusal := *errInvalid
	wrong := &refusal
	most := min(s.settings.MaxBody, can.MaxBody)
	if n := utf8.RuneCountInString(c.text); n > most {
		wrong = wrong.WithField("body", fmt.Sprintf("The body must have at most %d characters; it has %d.", most, n))
	}
	if c.text == "" && len(c.Media) == 0 {
		wrong = wrong.WithField("body", "The body is required where there is no media.")
	}
	if strings.ContainsRune(c.text, 0) || !utf8.ValidString(c.text) {
		wrong = wrong.WithField("body", "The body must be text, without the character 0.")
	}
	if len(c.Media) > can.MaxMedia {
		wrong = wrong.WithField("media", fmt.Sprintf("The media must have at most %d links.", can.MaxMedia))
	} else if len(c.Media) > 0 && !c.from.MMS {
		wrong = wrong.WithField("media", "The number that it is sent from takes no media.")
	}
	for i, link := range c.Media {
		if !isMedia(link) {
			wrong = wrong.WithField(fmt.Sprintf("media.%d", i), "The link must begin with https:// and name a host, and must have no user and no fragment.")
		}
	}
	if c.To == c.from.Number {
		wrong = wrong.WithField("to", "The number must not be the one that is sent from.")
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

func (s *core) checkTime(at time.Time) error {
	if !at.IsZero() && at.Before(s.clock.Now().Add(-pastTolerance)) {
		return errInvalid.WithField("send_at", "The send at must not be in the past. Leave it out to send now.")
	}
	if !at.IsZero() && at.After(s.clock.Now().Add(s.settings.MaxAhead)) {
		return errInvalid.WithField("send_at", fmt.Sprintf("The send at must be within %s.", s.settings.MaxAhead))
	}

	return nil
}

// sender chooses the number: the one that is said, the caller's default, the company's, or that which was last
// used with the recipient.
func (s *core) sender(ctx context.Context, p preferences, said uuid.UUID, to string) (number, error) {
	if said != uuid.Nil {
		row, err := s.number(ctx, said)

		return row, orElse(err, row.usable(principal.UserOf(ctx)))
	}
	row, _, err := s.standard(ctx, p)
	if err == nil && row.usable(principal.UserOf(ctx)) == nil {
		return row, nil
	}
	if err != nil && !errors.Is(err, errNoDefault) {
		return row, err
	}
	last, err := s.lastThread(ctx, to)
	if err != nil {
		return row, err
	}
	if last == nil {
		return row, errNoSender
	}
	if row, err = s.number(ctx, last.NumberID); err != nil || row.usable(principal.UserOf(ctx)) != nil {
		return row, orElse(err, errNoSender)
	}

	return row, nil
}

// ownerIs makes sure that the item is there which a message is about.
func (s *core) ownerIs(ctx context.Context, owner item.Ref) error {
	if owner.Type == "" && owner.UUID == uuid.Nil {
		return nil
	}
	if owner.Type == "" || owner.UUID == uuid.Nil {
		return errInvalid.WithField("owner_uuid", "The owner_type and the owner_uuid come together.")
	}
	missing, err := s.items.Exists(ctx, owner)
	if err != nil {
		return within(err, "owner_type")
	}
	if len(missing) > 0 {
		return errInvalid.WithField("owner_uuid", "There is no such "+owner.Type+".")
	}

	return nil
}

// text returns the body, or the template filled in: with the draft's variables, and with the values of its owner
// as "item".
func (s *core) text(ctx context.Context, d draft) (string, error) {
	if d.TemplateUUID == uuid.Nil {
		if len(d.Variables) > 0 {
			return "", errInvalid.WithField("variables", "The variables are for a template.")
		}

		return d.Body, nil
	}
	if d.Body != "" {
		return "", errInvalid.WithField("body", "The body must not be given together with a template.")
	}
	row, err := s.liveTemplate(ctx, d.TemplateUUID)
	if err != nil {
		return "", err
	}

	return s.fill(ctx, row.Body, d.Variables, d.Owner)
}

// fill renders a template.
func (s *core) fill(ctx context.Context, source string, variables map[string]any, owner item.Ref) (string, error) {
	values := make(map[string]any, len(variables)+1)
	maps.Copy(values, variables)
	if _, said := values["item"]; !said && owner.Type != "" && strings.Contains(source, "item") {
		of, err := s.valuesOf(ctx, owner)
		if err != nil {
			return "", err
		}
		values["item"] = of
	}
	text, err := liquid.Render(ctx, source, values)
	if missing, ok := errors.AsType[*liquid.MissingError](err); ok {
		refusal := errVariables.WithDetail("missing", missing.Names)
		for _, name := range missing.Names {
			refusal = refusal.WithField("variables."+name, "The template shows "+name+", which has no value.")
		}

		return "", refusal
	}
	if wrong, ok := errors.AsType[*liquid.Error](err); ok {
		return "", errInvalid.WithField("template_uuid", wrong.Problem)
	}

	return strings.TrimSpace(text), err
}

// valuesOf returns the values of an item, as a template sees them.
func (s *core) valuesOf(ctx context.Context, owner item.Ref) (map[string]any, error) {
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
		all = append(all, "Some characters are outside of GSM-7, so a segment has 70 characters and not 160.")
	}
	if c.count.Segments > 10 {
		all = append(all, "Some providers and networks do not deliver more than 10 segments.")
	}
	if slices.Contains([]string{"unregistered", "rejected", "pending"}, string(c.from.Registration)) {
		all = append(all, "The number is not registered with the carriers, which may drop the message.")
	}

	return all
}
