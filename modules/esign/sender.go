package esign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// Reasons of our own for which an envelope fails.
const (
	reasonDisabled          = "account_disabled"
	reasonTemplateGone      = "template_gone"
	reasonTemplateChanged   = "template_changed"
	reasonAttachmentChanged = "attachment_changed"
	reasonGivenUp           = "given_up"
)

// sendTime is how long the job may take: the template is read, and the envelope made with all its files.
const sendTime = 5 * time.Minute

// sendArgs are the job that hands an envelope over to its provider.
type sendArgs struct {
	Envelope uuid.UUID `json:"envelope"`
}

// Kind implements jobs.Args.
func (sendArgs) Kind() string { return "esign.send" }

// sender hands envelopes over. No envelope is made twice: see docs/adr/0034.
type sender struct {
	*core

	files attachmentsapi.Files
}

func newSender(c *core, files attachmentsapi.Files) *sender { return &sender{core: c, files: files} }

// call is an envelope that is about to be handed over, or may have been.
type call struct {
	envelope   envelope
	account    account
	open       provider.Account
	template   *template
	recipients []recipient
	files      map[string]attachmentsapi.File
	// fresh says that the provider was not called yet.
	fresh bool
}

// hand does the job: it looks whether the template is still what was filled in, commits that it is about to call, calls,
// and commits what came of it. Where it dies in between, the next run finds that it has called, and asks instead.
func (s *sender) hand(ctx context.Context, args sendArgs) error {
	c, err := s.gather(ctx, args.Envelope)
	if err != nil || c == nil {
		return err
	}
	if c.envelope.State == queued {
		if goOn, err := s.recheck(ctx, c); err != nil || !goOn {
			return err
		}
	}
	wait, goOn, err := s.begin(ctx, c)
	switch {
	case err != nil:
		return err
	case wait > 0:
		return jobs.Later(wait)
	case !goOn:
		return nil
	case !c.fresh:
		return s.ask(ctx, *c)
	}
	update, err := s.call(ctx, *c)

	return s.finish(ctx, *c, update, err)
}

// gather reads an envelope with all that is handed over; nil if there is nothing to do.
func (s *sender) gather(ctx context.Context, id uuid.UUID) (*call, error) {
	row, err := s.envelope(ctx, id)
	if errors.Is(err, errEnvelope) || err == nil && row.State != queued && row.State != sending {
		return nil, nil //nolint:nilnil // there is nothing to do
	}
	if err != nil {
		return nil, err
	}
	c := &call{envelope: row}
	if c.account, err = s.accounts.One(ctx, row.AccountID); err != nil {
		return nil, err
	}
	if c.recipients, err = s.recipients(ctx, row.ID); err != nil {
		return nil, err
	}
	if row.TemplateID != nil {
		t, err := s.template(ctx, *row.TemplateID)
		if err != nil {
			return nil, err
		}
		c.template = &t
	}
	if c.account.DisabledAt != nil && row.State == queued {
		return nil, s.failNow(ctx, row.ID, reasonDisabled, "", "")
	}
	c.open, err = s.vendors.dial(ctx, c.account)
	if refusal, ok := errors.AsType[*provider.Error](err); ok && row.State == queued {
		return nil, s.failNow(ctx, row.ID, string(refusal.Reason), refusal.Code, refusal.Detail)
	}

	return c, err
}

// recheck compares what is handed over with what it was filled in for, before anything is done at the provider.
func (s *sender) recheck(ctx context.Context, c *call) (goOn bool, err error) {
	if goOn, err := s.sameFiles(ctx, c); err != nil || !goOn || c.template == nil {
		return goOn, err
	}
	now, err := s.fetchTemplate(ctx, c.open, c.template.ExternalID)
	if err != nil {
		return false, s.unreadable(ctx, c, err)
	}
	if fingerprint(now.Roles) != c.template.Fingerprint {
		if err := s.keepTemplate(ctx, c.account.ID, now); err != nil {
			return false, err
		}
	}
	problems := c.unfit(ctx, now.Roles)
	if len(problems) == 0 {
		return true, nil
	}

	return false, s.failNow(ctx, c.envelope.ID, reasonTemplateChanged, "", strings.Join(problems, " "))
}

// unfit says why what was filled in does not fit the template as it is now.
func (c *call) unfit(ctx context.Context, roles []provider.Role) []string {
	var values []fill.Filled
	given := map[string]map[string]string{}
	for _, r := range c.recipients {
		for _, v := range c.envelope.Content.Values[r.ExternalID] {
			values = append(values, fill.Filled{Role: r.Role, Label: v.Label, Type: v.Type, Value: v.Text})
			if given[r.Role] == nil {
				given[r.Role] = map[string]string{}
			}
			given[r.Role][v.Label] = v.Text
		}
	}
	var problems []string
	for _, p := range fill.Fit(roles, values) {
		problems = append(problems, p.Message)
	}
	_, missing := fill.Do(ctx, fill.Input{Roles: roles, Given: given})
	for _, p := range missing {
		if p.Code == fill.Missing {
			problems = append(problems, p.Message)
		}
	}
	for _, r := range c.recipients {
		if !hasRole(roles, r.Role) {
			problems = append(problems, fmt.Sprintf("The template has no role %q any more.", r.Role))
		}
	}
	for _, role := range unplayed(template{Roles: roles}, c.recipients) {
		problems = append(problems, fmt.Sprintf("Nobody plays the role %q of the template.", role))
	}

	return problems
}

func hasRole(roles []provider.Role, name string) bool {
	for _, role := range roles {
		if strings.EqualFold(role.Name, name) {
			return true
		}
	}

	return false
}

// unreadable deals with a template that could not be read.
func (s *sender) unreadable(ctx context.Context, c *call, err error) error {
	refusal, answered := errors.AsType[*provider.Error](err)
	switch {
	case answered && refusal.Reason == provider.NotFound:
		return s.failNow(ctx, c.envelope.ID, reasonTemplateGone, refusal.Code, "")
	case answered && !refusal.Retryable && refusal.Reason != provider.RateLimited:
		if err := s.noteRefused(ctx, c.account, refusal); err != nil {
			return err
		}

		return s.failNow(ctx, c.envelope.ID, string(refusal.Reason), refusal.Code, refusal.Detail)
	}
	reason, code := reasonOf(err)
	wait := time.Minute
	if answered {
		wait = max(wait, refusal.RetryAfter)
	}
	if err := s.noteWaiting(ctx, c.envelope.ID, string(reason), code); err != nil {
		return err
	}

	return jobs.Later(wait)
}

// sameFiles makes sure that the attachments are those which were to be signed.
func (s *sender) sameFiles(ctx context.Context, c *call) (bool, error) {
	ids := make([]string, 0, len(c.envelope.Content.Attachments))
	for _, id := range c.envelope.Content.Attachments {
		ids = append(ids, id.String())
	}
	if len(ids) == 0 {
		return true, nil
	}
	var err error
	if c.files, err = s.files.Find(ctx, ids...); err != nil {
		return false, err
	}
	for _, id := range c.envelope.Content.Attachments {
		if file, ok := c.files[id.String()]; !ok || file.State != "ready" || file.SHA256 != c.envelope.Content.Sums[id] {
			return false, s.failNow(ctx, c.envelope.ID, reasonAttachmentChanged, "", "The attachment "+id.String()+" is not what it was when the envelope was sent.")
		}
	}

	return true, nil
}

// patience is how long a call that was begun is left alone: it may be going on.
func (s *sender) patience() time.Duration { return s.settings.CallTimeout + 10*time.Second }

// begin commits that an envelope is being handed over. It says for how long to wait where it is too early, and whether
// there is something to do.
func (s *sender) begin(ctx context.Context, c *call) (wait time.Duration, goOn bool, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		wait, goOn = 0, false
		row, err := s.heldEnvelope(ctx, c.envelope.ID)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		switch {
		case row.State == sending:
			last := row.CalledAt
			if row.AskedAt != nil {
				last = row.AskedAt
			}
			if free := last.Add(s.patience()); free.After(now) {
				wait = free.Sub(now)

				return nil
			}
			row.AskedAt = &now // others leave it alone while this one asks
			c.fresh = false
		case row.State != queued || row.Version != c.envelope.Version:
			if row.State == queued { // changed since it was looked at
				wait = time.Second
			}

			return nil
		default:
			if err := s.step(ctx, &row, verbHandOver, ""); err != nil {
				return err
			}
			row.CalledAt, row.AskedAt, c.fresh = &now, nil, true
			row.Attempts++
			row.Reason, row.Code, row.Detail = "", "", ""
		}
		c.envelope, goOn = row, true

		return s.saveEnvelope(ctx, &row)
	})

	return wait, goOn, err
}

// step moves an envelope by a verb of ours; the caller stores it.
func (s *core) step(ctx context.Context, row *envelope, verb, reason string) (err error) {
	row.State, err = lifecycle().Apply(principal.AsCompany(ctx, row.CompanyID), s.states, row.State, state.Move{Verb: verb, UUID: row.ID, Thing: *row, Reason: reason})
	row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

	return err
}

// failNow ends an envelope that waits to be handed over.
func (s *core) failNow(ctx context.Context, id uuid.UUID, reason, code, detail string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.heldEnvelope(ctx, id)
		if err != nil || row.State != queued {
			return err
		}

		return s.fail(ctx, &row, reason, code, detail)
	})
}

// fail ends an envelope that is held.
func (s *core) fail(ctx context.Context, row *envelope, reason, code, detail string) error {
	if err := s.step(ctx, row, verbFail, reason); err != nil {
		return err
	}
	row.Reason, row.Code, row.Detail = reason, code, clipTo(detail, 2000)
	if err := s.saveEnvelope(ctx, row); err != nil {
		return err
	}

	return s.bus.Publish(ctx, esignapi.EnvelopeFailed{About: row.about(), Reason: reason, Code: code})
}

// noteWaiting keeps why an envelope waits.
func (s *core) noteWaiting(ctx context.Context, id uuid.UUID, reason, code string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.heldEnvelope(ctx, id)
		if err != nil || row.State != queued || row.Reason == reason && row.Code == code {
			return err
		}
		row.Reason, row.Code = reason, code
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.saveEnvelope(ctx, &row)
	})
}

// noteRefused keeps that an account's credentials do not work.
func (s *core) noteRefused(ctx context.Context, of account, err error) error {
	reason, _ := reasonOf(err)
	if reason != provider.Auth && reason != provider.ConsentRequired {
		return nil
	}
	_, err = s.noteHealth(ctx, of, provider.Found{}, err)

	return err
}

// call makes the envelope.
func (s *sender) call(ctx context.Context, c call) (provider.Update, error) {
	calling, cancel := context.WithTimeout(ctx, s.settings.CallTimeout)
	defer cancel()

	return c.open.Create(calling, s.outgoing(ctx, c))
}

// outgoing is an envelope as the provider is told of it.
func (s *sender) outgoing(ctx context.Context, c call) provider.Envelope {
	row := c.envelope
	e := provider.Envelope{
		Reference: row.ID.String(), Subject: row.Subject, Message: row.Message, Fields: row.fields(),
		ReminderDelay: row.Content.ReminderDelay, ReminderEvery: row.Content.ReminderEvery,
		ExpireAfter: row.Content.ExpireAfter, ExpireWarn: row.Content.ExpireWarn,
	}
	if c.template != nil {
		e.TemplateID = c.template.ExternalID
	}
	for _, r := range c.recipients {
		out := r.outgoing()
		out.Tabs = row.Content.Values[r.ExternalID]
		e.Recipients = append(e.Recipients, out)
	}
	for _, id := range row.Content.Attachments {
		file := c.files[id.String()]
		e.Files = append(e.Files, provider.File{
			Name: file.FileName, MediaType: file.MediaType, Size: file.Size,
			Open: func(context.Context) (io.ReadCloser, error) {
				_, content, err := s.files.Open(ctx, file.UUID)

				return content, err
			},
		})
	}

	return e
}

// fields are the custom fields of an envelope.
func (row envelope) fields() map[string]string {
	fields := map[string]string{connect.FieldReference: row.ID.String()}
	if row.ItemID != nil {
		fields[connect.FieldItemType], fields[connect.FieldItemUUID] = row.ItemType, row.ItemID.String()
	}
	if row.Source != "" {
		fields[connect.FieldSource] = row.Source
	}

	return fields
}

// outgoing is a recipient as the provider is told of it.
func (r recipient) outgoing() provider.Recipient {
	out := provider.Recipient{
		ExternalID: r.ExternalID, Kind: r.Kind, Role: r.Role, Name: r.Name, Email: r.Email, RoutingOrder: int(r.RoutingOrder),
	}
	if r.Embedded {
		out.ClientID = r.ID.String()
	}

	return out
}
