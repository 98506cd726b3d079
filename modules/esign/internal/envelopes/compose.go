package envelopes

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
)

const (
	mostRecipients  = 100 // DocuSign's limit
	mostAttachments = 50
	mostDays        = 999
	// longestSubject is the provider's limit of subjects, in characters.
	longestSubject = 100
	longestMessage = 10000
	// longestSource is the provider's limit of values of custom fields, one of which the source is.
	longestSource = 100
)

// Draft is an envelope as somebody wants it.
type Draft struct {
	Account, Mapping, Template uuid.UUID
	Attachments                []uuid.UUID
	Subject, Message           string
	Recipients                 []RecipientDraft
	Days                       Days
	Item                       item.Ref
	Source                     string
}

// Days are the numbers of days of reminders and expiry; 0 is the provider's default.
type Days struct{ ReminderDelay, ReminderEvery, ExpireAfter, ExpireWarn int }

// RecipientDraft is a recipient as somebody wants it.
type RecipientDraft struct {
	Role, Kind, Name, Email string
	RoutingOrder            int
	Embedded                bool
	Tabs                    map[string]string
}

// checkedDraft is a draft whose every word is checked, but for what it is filled with.
type checkedDraft struct {
	account    store.Account
	template   *store.Template
	mapping    *store.Mapping
	recipients []store.Recipient
	given      map[string]map[string]string
}

// compose checks a draft. It writes nothing.
func (s *Composer) compose(ctx context.Context, d *Draft, now time.Time) (c checkedDraft, err error) {
	if err := s.loadSource(ctx, d, &c); err != nil {
		return c, err
	}
	if c.template != nil {
		d.Account = orID(d.Account, c.template.AccountID)
	}
	if c.account, err = s.vendors.Accounts.Ready(ctx, d.Account); err != nil {
		return c, err
	}
	if c.template != nil && c.template.AccountID != c.account.ID {
		return c, store.ErrInvalid.WithField("account_uuid", "The template is another account's.")
	}
	if err := s.checkItem(ctx, d, c.mapping); err != nil {
		return c, err
	}
	if err := s.checkTexts(d, c.template); err != nil {
		return c, err
	}
	if err := s.holdings.checkFiles(ctx, d.Attachments); err != nil {
		return c, err
	}
	c.recipients, c.given, err = checkRecipients(d.Recipients, c.template, now)

	return c, err
}

func orID(id, other uuid.UUID) uuid.UUID {
	if id == uuid.Nil {
		return other
	}

	return id
}

// loadSource reads what the envelope is made from: a mapping, with its template; a template; or attachments.
func (s *Composer) loadSource(ctx context.Context, d *Draft, c *checkedDraft) error {
	if d.Mapping != uuid.Nil {
		m, err := s.mappings.Rows.Find(ctx, d.Mapping)
		if err != nil {
			return err
		}
		if d.Template != uuid.Nil && d.Template != m.TemplateID {
			return store.ErrInvalid.WithField("template_uuid", "The mapping is for another template. Leave this out.")
		}
		c.mapping, d.Template = &m, m.TemplateID
	}
	switch {
	case d.Template == uuid.Nil && len(d.Attachments) == 0:
		return store.ErrInvalid.WithField("template_uuid", "The envelope must have a mapping_uuid, a template_uuid, or attachments.")
	case d.Template == uuid.Nil:
		return nil
	case len(d.Attachments) > 0:
		return store.ErrInvalid.WithField("attachments", "An envelope of a template has the template's documents, and no attachments.")
	}
	t, err := s.store.Template(ctx, d.Template)
	if err != nil {
		return err
	}
	if t.MissingAt != nil {
		return store.ErrInvalid.WithField("template_uuid", "The provider no longer has the template.")
	}
	c.template = &t

	return nil
}

// checkItem makes sure that the item is there which an envelope is about, and that it is one for the mapping.
func (s *Composer) checkItem(ctx context.Context, d *Draft, m *store.Mapping) error {
	if m != nil && d.Item.Type == "" {
		d.Item.Type = m.ItemType
	}
	switch {
	case m != nil && d.Item.UUID == uuid.Nil:
		return store.ErrInvalid.WithField("item_uuid", "The item uuid is required: the mapping fills the template from an item.")
	case m != nil && d.Item.Type != m.ItemType:
		return store.ErrInvalid.WithField("item_type", "The mapping is for items of "+m.ItemType+".")
	case d.Item.Type == "" && d.Item.UUID == uuid.Nil:
		return nil
	case d.Item.Type == "" || d.Item.UUID == uuid.Nil:
		return store.ErrInvalid.WithField("item_uuid", "The item_type and the item_uuid come together.")
	}
	missing, err := s.items.Exists(ctx, d.Item)
	if refusal, ok := errors.AsType[*errs.Error](err); ok && refusal.Kind == errs.Invalid {
		return refusal.WithField("item_type", refusal.Message)
	}
	if err == nil && len(missing) > 0 {
		err = store.ErrInvalid.WithField("item_uuid", "There is no such "+d.Item.Type+".")
	}

	return err
}

// checkTexts checks texts and numbers; what is not said is the template's.
func (s *Composer) checkTexts(d *Draft, t *store.Template) error {
	d.Subject, d.Message = strings.TrimSpace(d.Subject), strings.TrimSpace(d.Message)
	if t != nil && d.Subject == "" {
		d.Subject = store.Clip(strings.TrimSpace(t.Subject), longestSubject)
	}
	if t != nil && d.Subject == "" {
		d.Subject = store.Clip(strings.TrimSpace(t.Name), longestSubject)
	}
	if t != nil && d.Message == "" {
		d.Message = store.Clip(t.Message, longestMessage)
	}
	wrong := store.ErrInvalid
	if d.Subject == "" {
		wrong = wrong.WithField("subject", "The subject is required.")
	}
	if strings.ContainsFunc(d.Subject, unicode.IsControl) || utf8.RuneCountInString(d.Subject) > longestSubject {
		wrong = wrong.WithField("subject", fmt.Sprintf("The subject must be one line of at most %d characters.", longestSubject))
	}
	if strings.ContainsRune(d.Message, 0) || utf8.RuneCountInString(d.Message) > longestMessage {
		wrong = wrong.WithField("message", fmt.Sprintf("The message must be a text of at most %d characters.", longestMessage))
	}
	if d.Source = strings.TrimSpace(d.Source); strings.ContainsFunc(d.Source, unicode.IsControl) || utf8.RuneCountInString(d.Source) > longestSource {
		wrong = wrong.WithField("source", fmt.Sprintf("The source must be one line of at most %d characters.", longestSource))
	}
	for name, n := range map[string]int{
		"reminder_delay": d.Days.ReminderDelay, "reminder_every": d.Days.ReminderEvery, "expire_after": d.Days.ExpireAfter, "expire_warn": d.Days.ExpireWarn,
	} {
		if n < 0 || n > mostDays {
			wrong = wrong.WithField(name, fmt.Sprintf("The number of days must be 0 to %d.", mostDays))
		}
	}
	if d.Days.ExpireWarn > 0 && d.Days.ExpireWarn >= d.Days.ExpireAfter {
		wrong = wrong.WithField("expire_warn", "The warning must come after the envelope was sent: fewer days than expire_after.")
	}
	if d.Days.ReminderEvery > 0 && d.Days.ReminderDelay == 0 {
		wrong = wrong.WithField("reminder_every", "Reminders are repeated after the first one: say reminder_delay as well.")
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}

	return nil
}

// checkRecipients checks recipients, and gives them the ids that the provider knows them by.
func checkRecipients(all []RecipientDraft, t *store.Template, now time.Time) ([]store.Recipient, map[string]map[string]string, error) {
	wrong := store.ErrInvalid
	if len(all) == 0 || len(all) > mostRecipients {
		return nil, nil, wrong.WithField("recipients", fmt.Sprintf("The recipients must be 1 to %d.", mostRecipients))
	}
	rows, given, roles := make([]store.Recipient, 0, len(all)), map[string]map[string]string{}, map[string]bool{}
	signs := false
	for i, w := range all {
		refuse := func(key, text string) { wrong = wrong.WithField(fmt.Sprintf("recipients.%d.%s", i, key), text) }
		row := store.Recipient{
			ID: database.NewID(), ExternalID: strconv.Itoa(i + 1), Role: strings.TrimSpace(w.Role), Name: strings.TrimSpace(w.Name),
			Email: strings.TrimSpace(w.Email), Kind: provider.RecipientKind(w.Kind), RoutingOrder: int64(w.RoutingOrder), Embedded: w.Embedded,
			State: store.RecipientCreated, CreatedAt: now, UpdatedAt: now,
		}
		applyRole(&row, t, refuse)
		checkPerson(row, refuse)
		switch role := strings.ToLower(row.Role); {
		case t != nil && roles[role]:
			refuse("role", "The role "+row.Role+" is another recipient's already.")
		case t != nil:
			roles[role] = true
		}
		if len(w.Tabs) > 0 && t == nil {
			refuse("tabs", "Only templates have tabs with labels.")
		}
		if len(w.Tabs) > 0 {
			given[row.ExternalID] = w.Tabs
		}
		checkTabs(w.Tabs, row, t, refuse)
		signs = signs || row.Kind == provider.Signer
		rows = append(rows, row)
	}
	if !signs && t == nil {
		wrong = wrong.WithField("recipients", "One of the recipients must be a signer.")
	}
	if len(wrong.Fields) > 0 {
		return nil, nil, wrong
	}

	return rows, given, nil
}

// applyRole gives a recipient what the template says of its role.
func applyRole(row *store.Recipient, t *store.Template, refuse func(key, text string)) {
	if t == nil {
		if row.Role != "" {
			refuse("role", "Only templates have roles.")
		}
		row.Kind = orKind(row.Kind, provider.Signer)
		row.RoutingOrder = max(row.RoutingOrder, 1)

		return
	}
	i := slices.IndexFunc(t.Roles, func(r provider.Role) bool { return strings.EqualFold(r.Name, row.Role) })
	if i < 0 {
		names := make([]string, 0, len(t.Roles))
		for _, role := range t.Roles {
			names = append(names, role.Name)
		}
		refuse("role", "The role must be one of the template's: "+strings.Join(names, ", ")+".")
		row.Kind = orKind(row.Kind, provider.Signer)

		return
	}
	role := t.Roles[i]
	if row.Kind != "" && row.Kind != role.Kind {
		refuse("kind", "The role "+role.Name+" is of the kind "+string(role.Kind)+". Leave this out.")
	}
	row.Role, row.Kind = role.Name, role.Kind
	if row.RoutingOrder == 0 {
		row.RoutingOrder = int64(max(role.RoutingOrder, 1))
	}
}

func orKind(kind, other provider.RecipientKind) provider.RecipientKind {
	if kind == "" {
		return other
	}

	return kind
}

// checkPerson checks who a recipient is.
func checkPerson(row store.Recipient, refuse func(key, text string)) {
	if row.Name == "" || utf8.RuneCountInString(row.Name) > 100 || strings.ContainsFunc(row.Name, unicode.IsControl) {
		refuse("name", "The name must be one line of 1 to 100 characters.")
	}
	if !isEmail(row.Email) {
		refuse("email", "The email must be an e-mail address, such as ann@example.com.")
	}
	if !slices.Contains([]provider.RecipientKind{provider.Signer, provider.CarbonCopy, provider.CertifiedDelivery}, row.Kind) {
		refuse("kind", "The kind must be signer, carbon_copy or certified_delivery.")
	}
	if row.Embedded && row.Kind != provider.Signer {
		refuse("embedded", "Only signers can be embedded.")
	}
	if row.RoutingOrder < 1 || row.RoutingOrder > 1000 {
		refuse("routing_order", "The routing order must be 1 to 1000.")
	}
}

func isEmail(text string) bool {
	at, err := mail.ParseAddress(text)

	return err == nil && at.Address == text && len(text) <= 100 && strings.Contains(text[strings.LastIndexByte(text, '@'):], ".")
}

// checkTabs checks that values which are said by hand have a place.
func checkTabs(tabs map[string]string, row store.Recipient, t *store.Template, refuse func(key, text string)) {
	if t == nil {
		return
	}
	index := fill.NewIndex(t.Roles)
	for label, text := range tabs {
		if _, ok := index.Fillable(row.Role, label); !ok {
			refuse("tabs", fmt.Sprintf("The role %s has no tab %q that can be filled.", row.Role, label))
		}
		if len(text) > 4000 || strings.ContainsRune(text, 0) {
			refuse("tabs", fmt.Sprintf("The value of %q must be a text of at most 4000 bytes.", label))
		}
	}
}

// Composer checks what is wanted of an envelope, and fills it in.
type Composer struct {
	store    *store.Repository
	vendors  *accounts.Vendors
	mappings *templates.Mappings
	items    *item.Registry
	holdings *Holdings
}

// NewComposer returns a Composer.
func NewComposer(r *store.Repository, v *accounts.Vendors, m *templates.Mappings, items *item.Registry, a *Holdings) *Composer {
	return &Composer{store: r, vendors: v, mappings: m, items: items, holdings: a}
}
