// Package sending makes envelopes at providers, no one twice, and performs there what people have ordered.
package sending

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
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/reports"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/handover"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/state"
)

// SendTime is how long the job may take: the template is read, and the envelope made with all its files.
const SendTime = 5 * time.Minute

// Sender hands envelopes over. No envelope is made twice: see docs/adr/0034.
type Sender struct {
	db        *database.DB
	store     *store.Repository
	vendors   *accounts.Vendors
	templates *templates.Service
	reports   *reports.Service
	files     attachmentsapi.Files
	outcomes  *Outcomes
	clock     clock.Clock
	settings  settings.Settings
	flow      handover.Flow[provider.Reason, call, provider.Update]
}

// call is an envelope that is about to be handed over, or may have been.
type call struct {
	envelope   store.Envelope
	account    store.Account
	open       provider.Account
	template   *store.Template
	recipients []store.Recipient
	files      map[string]attachmentsapi.File
	// fresh says that the provider was not called yet.
	fresh bool
}

// Send does the job: it looks whether the template is still what was filled in, commits that it is about to call, calls,
// and commits what came of it. Where it dies in between, the next run finds that it has called, and asks instead.
func (s *Sender) Send(ctx context.Context, args envelopes.SendArgs) error {
	c, err := s.Load(ctx, args.Envelope)
	if err != nil || c == nil {
		return err
	}
	if c.envelope.State == store.Queued {
		if goOn, err := s.CheckUnchanged(ctx, c); err != nil || !goOn {
			return err
		}
	}
	wait, goOn, err := s.Begin(ctx, c)
	switch {
	case err != nil:
		return err
	case wait > 0:
		return jobs.Later(wait)
	case !goOn:
		return nil
	}

	return s.Run(ctx, *c)
}

// Run calls the provider, or asks it where it was called before, and commits what came of that.
func (s *Sender) Run(ctx context.Context, c call) error { return s.flow.Run(ctx, c, !c.fresh) }

// Load reads an envelope with all that is handed over; nil if there is nothing to do.
func (s *Sender) Load(ctx context.Context, id uuid.UUID) (*call, error) {
	row, err := s.store.Envelope(ctx, id)
	if errors.Is(err, store.ErrEnvelope) || err == nil && row.State != store.Queued && row.State != store.Sending {
		return nil, nil //nolint:nilnil // there is nothing to do
	}
	if err != nil {
		return nil, err
	}
	c := &call{envelope: row}
	if c.account, err = s.vendors.Accounts.One(ctx, row.AccountID); err != nil {
		return nil, err
	}
	if c.recipients, err = s.store.Recipients(ctx, row.ID); err != nil {
		return nil, err
	}
	if row.TemplateID != nil {
		t, err := s.store.Template(ctx, *row.TemplateID)
		if err != nil {
			return nil, err
		}
		c.template = &t
	}
	if c.account.DisabledAt != nil && row.State == store.Queued {
		return nil, s.outcomes.failNow(ctx, row.ID, store.ReasonDisabled, "", "")
	}
	c.open, err = s.vendors.Open(ctx, c.account)
	if refusal, ok := errors.AsType[*provider.Error](err); ok && row.State == store.Queued {
		return nil, s.outcomes.failNow(ctx, row.ID, string(refusal.Reason), refusal.Code, refusal.Detail)
	}

	return c, err
}

// CheckUnchanged compares what is handed over with what it was filled in for, before anything is done at the provider.
func (s *Sender) CheckUnchanged(ctx context.Context, c *call) (goOn bool, err error) {
	if goOn, err := s.filesUnchanged(ctx, c); err != nil || !goOn || c.template == nil {
		return goOn, err
	}
	now, err := s.templates.FetchTemplate(ctx, c.open, c.template.ExternalID)
	if err != nil {
		return false, s.templateUnreadable(ctx, c, err)
	}
	if templates.Fingerprint(now.Roles) != c.template.Fingerprint {
		if err := s.templates.SaveTemplate(ctx, c.account.ID, now); err != nil {
			return false, err
		}
	}
	problems := c.templateProblems(ctx, now.Roles)
	if len(problems) == 0 {
		return true, nil
	}

	return false, s.outcomes.failNow(ctx, c.envelope.ID, store.ReasonTemplateChanged, "", strings.Join(problems, " "))
}

// templateProblems says why what was filled in does not fit the template as it is now.
func (c *call) templateProblems(ctx context.Context, roles []provider.Role) []string {
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
	for _, p := range fill.CheckFit(roles, values) {
		problems = append(problems, p.Message)
	}
	_, missing := fill.Tabs(ctx, fill.Input{Roles: roles, Given: given})
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
	for _, role := range envelopes.MissingSigners(store.Template{Roles: roles}, c.recipients) {
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

// templateUnreadable deals with a template that could not be read.
func (s *Sender) templateUnreadable(ctx context.Context, c *call, err error) error {
	refusal, answered := errors.AsType[*provider.Error](err)
	switch {
	case answered && refusal.Reason == provider.NotFound:
		return s.outcomes.failNow(ctx, c.envelope.ID, store.ReasonTemplateGone, refusal.Code, "")
	case answered && !refusal.Retryable && refusal.Reason != provider.RateLimited:
		if err := s.vendors.NoteAuthFailure(ctx, c.account, refusal); err != nil {
			return err
		}

		return s.outcomes.failNow(ctx, c.envelope.ID, string(refusal.Reason), refusal.Code, refusal.Detail)
	}
	reason, code := accounts.ReasonOf(err)
	wait := time.Minute
	if answered {
		wait = max(wait, refusal.RetryAfter)
	}
	if err := s.outcomes.noteWaiting(ctx, c.envelope.ID, string(reason), code); err != nil {
		return err
	}

	return jobs.Later(wait)
}

// filesUnchanged makes sure that the attachments are those which were to be signed.
func (s *Sender) filesUnchanged(ctx context.Context, c *call) (bool, error) {
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
			return false, s.outcomes.failNow(ctx, c.envelope.ID, store.ReasonAttachmentChanged, "", "The attachment "+id.String()+" is not what it was when the envelope was sent.")
		}
	}

	return true, nil
}

// Begin commits that an envelope is being handed over. It says for how long to wait where it is too early, and whether
// there is something to do.
func (s *Sender) Begin(ctx context.Context, c *call) (wait time.Duration, goOn bool, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		wait, goOn = 0, false
		row, err := s.store.HeldEnvelope(ctx, c.envelope.ID)
		if err != nil {
			return err
		}
		now := s.clock.Now()
		switch {
		case row.State == store.Sending:
			last := row.CalledAt
			if row.AskedAt != nil {
				last = row.AskedAt
			}
			if wait = s.policy(*c).InFlight(*last, now); wait > 0 {
				return nil
			}
			row.AskedAt = &now // others leave it alone while this one asks
			c.fresh = false
		case row.State != store.Queued || row.Version != c.envelope.Version:
			if row.State == store.Queued { // changed since it was looked at
				wait = time.Second
			}

			return nil
		default:
			if err := s.outcomes.step(ctx, &row, store.VerbHandOver, ""); err != nil {
				return err
			}
			row.CalledAt, row.AskedAt, c.fresh = &now, nil, true
			row.Attempts++
			row.Reason, row.Code, row.Detail = "", "", ""
		}
		c.envelope, goOn = row, true

		return s.store.SaveEnvelope(ctx, &row)
	})

	return wait, goOn, err
}

// step moves an envelope by a verb of ours; the caller stores it.
func (s *Outcomes) step(ctx context.Context, row *store.Envelope, verb, reason string) (err error) {
	row.State, err = store.Lifecycle.Apply(principal.AsCompany(ctx, row.CompanyID), s.states, row.State, state.Move{Verb: verb, UUID: row.ID, Thing: *row, Reason: reason})
	row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

	return err
}

// failNow ends an envelope that waits to be handed over.
func (s *Outcomes) failNow(ctx context.Context, id uuid.UUID, reason, code, detail string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.HeldEnvelope(ctx, id)
		if err != nil || row.State != store.Queued {
			return err
		}

		return s.fail(ctx, &row, reason, code, detail)
	})
}

// fail ends an envelope that is held.
func (s *Outcomes) fail(ctx context.Context, row *store.Envelope, reason, code, detail string) error {
	if err := s.step(ctx, row, store.VerbFail, reason); err != nil {
		return err
	}
	row.Reason, row.Code, row.Detail = reason, code, store.Clip(detail, 2000)
	if err := s.store.SaveEnvelope(ctx, row); err != nil {
		return err
	}

	return s.bus.Publish(ctx, esignapi.EnvelopeFailed{About: row.EventAbout(), Reason: reason, Code: code})
}

// noteWaiting keeps why an envelope waits.
func (s *Outcomes) noteWaiting(ctx context.Context, id uuid.UUID, reason, code string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.HeldEnvelope(ctx, id)
		if err != nil || row.State != store.Queued || row.Reason == reason && row.Code == code {
			return err
		}
		row.Reason, row.Code = reason, code
		row.Version, row.UpdatedAt = row.Version+1, s.clock.Now()

		return s.store.SaveEnvelope(ctx, &row)
	})
}

// Call makes the envelope.
func (s *Sender) Call(ctx context.Context, c call) (provider.Update, error) {
	return c.open.Create(ctx, s.outgoing(ctx, c))
}

// outgoing is an envelope as the provider is told of it.
func (s *Sender) outgoing(ctx context.Context, c call) provider.Envelope {
	row := c.envelope
	e := provider.Envelope{
		Reference: row.ID.String(), Subject: row.Subject, Message: row.Message, Fields: row.CustomFields(),
		ReminderDelay: row.Content.ReminderDelay, ReminderEvery: row.Content.ReminderEvery,
		ExpireAfter: row.Content.ExpireAfter, ExpireWarn: row.Content.ExpireWarn,
	}
	if c.template != nil {
		e.TemplateID = c.template.ExternalID
	}
	for _, r := range c.recipients {
		out := r.ForProvider()
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

// Outcomes keeps what became of handing envelopes over.
type Outcomes struct {
	db     *database.DB
	store  *store.Repository
	states *state.Log
	bus    *events.Bus
	clock  clock.Clock
}

// NewOutcomes returns an Outcomes.
func NewOutcomes(r *store.Repository, states *state.Log, bus *events.Bus, c clock.Clock) *Outcomes {
	return &Outcomes{db: r.DB, store: r, states: states, bus: bus, clock: c}
}

// NewSender returns a Sender.
func NewSender(
	r *store.Repository, v *accounts.Vendors, t *templates.Service, reports *reports.Service, files attachmentsapi.Files, o *Outcomes, c clock.Clock, s settings.Settings,
) *Sender {
	sender := &Sender{db: r.DB, store: r, vendors: v, templates: t, reports: reports, files: files, outcomes: o, clock: c, settings: s}
	sender.flow = handover.Flow[provider.Reason, call, provider.Update]{
		DB: r.DB, Policy: sender.policy, Call: sender.Call, Find: sender.resolveUnknown, Finish: sender.finish,
		Failed: func(ctx context.Context, c call, err error) error { return v.NoteAuthFailure(ctx, c.account, err) },
	}

	return sender
}
