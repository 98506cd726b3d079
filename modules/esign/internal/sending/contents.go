package sending

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/envelopes"
	"github.com/dispatchd/dispatchd/modules/esign/internal/fill"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/modules/esign/internal/templates"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// Contents are what is handed over of envelopes: their templates and files, which must be what was filled in and is to be signed.
type Contents struct {
	templates *templates.Service
	files     attachmentsapi.Files
	vendors   *accounts.Vendors
	outcomes  *Outcomes
}

// NewContents returns Contents.
func NewContents(t *templates.Service, files attachmentsapi.Files, v *accounts.Vendors, o *Outcomes) *Contents {
	return &Contents{templates: t, files: files, vendors: v, outcomes: o}
}

// CheckUnchanged compares what is handed over with what it was filled in for, before anything is done at the provider.
func (s *Contents) CheckUnchanged(ctx context.Context, c *call) (goOn bool, err error) {
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
func (s *Contents) templateUnreadable(ctx context.Context, c *call, err error) error {
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
func (s *Contents) filesUnchanged(ctx context.Context, c *call) (bool, error) {
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

// Call makes the envelope.
func (s *Contents) Call(ctx context.Context, c call) (provider.Update, error) {
	return c.open.Create(ctx, s.outgoing(ctx, c))
}

// outgoing is an envelope as the provider is told of it.
func (s *Contents) outgoing(ctx context.Context, c call) provider.Envelope {
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
