package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/jobs"
)

// The vendor's limits.
const (
	mostRecipients = 100
	mostBytes      = 25 << 20
	mostDays       = 999
)

// Create implements provider.Envelopes.
func (a account) Create(ctx context.Context, e provider.Envelope) (provider.Update, error) {
	if err := a.enter(); err != nil {
		return provider.Update{}, err
	}
	for _, r := range e.Recipients {
		if refuses := caseOf(r.Email).Refuses; refuses != nil {
			return provider.Update{}, refuses()
		}
	}
	row, err := a.newEnvelope(ctx, e)
	if err != nil {
		return provider.Update{}, err
	}
	p := newPlay(&row, a.clock.Now())
	if e.Draft {
		err = p.addNotice("envelope-created", "")
	} else {
		err = p.send()
	}
	if err != nil {
		return provider.Update{}, err
	}
	err = a.store.db.InTx(ctx, func(ctx context.Context) error {
		stored := row
		if err := a.store.insert(ctx, &stored); err != nil {
			return err
		}
		if row.ExpiresAt != nil {
			if err := a.queue.Enqueue(ctx, ExpireJob{Envelope: row.ID}, jobs.At(*row.ExpiresAt)); err != nil {
				return err
			}
		}

		return a.enqueueNotices(ctx, p)
	})
	if err != nil {
		return provider.Update{}, err
	}
	for _, r := range e.Recipients {
		if loses := caseOf(r.Email).Loses; loses != nil {
			return provider.Update{}, loses()
		}
	}

	return updateOf(&row)
}

// updateOf is what the vendor's API tells of an envelope.
func updateOf(e *envelope) (provider.Update, error) {
	raw, err := json.Marshal(summary(e))
	if err != nil {
		return provider.Update{}, fmt.Errorf("envelope %s: %w", e.ID, err)
	}

	return connect.ReadEnvelope(raw)
}

// newEnvelope is an envelope as it is asked for, not stored yet.
func (a account) newEnvelope(ctx context.Context, e provider.Envelope) (envelope, error) {
	now := a.clock.Now().UTC()
	row := envelope{
		ID: uuid.New(), AccountID: a.id, Reference: e.Reference, Status: created, Subject: e.Subject, Message: e.Message,
		Fields: maps.Clone(e.Fields), ExpireAfter: int64(e.ExpireAfter), CreatedAt: now, ChangedAt: now,
	}
	if e.ExpireAfter < 0 || e.ExpireAfter > mostDays {
		return row, refusal(provider.Invalid, "INVALID_REQUEST_PARAMETER")
	}
	if row.Fields == nil {
		row.Fields = map[string]string{}
	}
	if e.Reference != "" {
		row.Fields[connect.FieldReference] = e.Reference
	}
	var roles []provider.Role
	if e.TemplateID != "" {
		t, err := a.Template(ctx, e.TemplateID)
		if err != nil {
			return row, err
		}
		roles = t.Roles
		if row.Subject == "" {
			row.Subject = t.Subject
		}
		if row.Message == "" {
			row.Message = t.Message
		}
	}
	var err error
	if row.Files, err = readFiles(ctx, e.Files); err != nil {
		return row, err
	}
	if row.Recipients, err = castRecipients(e.Recipients, roles, e.TemplateID != ""); err != nil {
		return row, err
	}

	return row, checkComplete(row, roles, e)
}

// checkComplete refuses what cannot be sent.
func checkComplete(row envelope, roles []provider.Role, e provider.Envelope) error {
	switch {
	case len(row.Recipients) > mostRecipients:
		return refusal(provider.Invalid, "MAXIMUM_RECIPIENTS_EXCEEDED")
	case e.Draft:
		return nil
	case row.Subject == "", e.TemplateID == "" && len(row.Files) == 0:
		return refusal(provider.Invalid, "ENVELOPE_IS_INCOMPLETE")
	case !slices.ContainsFunc(row.Recipients, func(r recipient) bool { return r.mustAct() }):
		return refusal(provider.Invalid, "ENVELOPE_IS_INCOMPLETE")
	}
	for _, role := range roles {
		played := slices.ContainsFunc(row.Recipients, func(r recipient) bool { return strings.EqualFold(r.Role, role.Name) })
		if !played && role.Kind == provider.Signer {
			return &provider.Error{
				Reason: provider.Invalid, Taken: provider.No, Code: "ENVELOPE_IS_INCOMPLETE", Detail: "Nobody has the role " + role.Name + ".",
			}
		}
	}

	return nil
}

// readFiles reads files as the vendor would, and keeps what they are recognised by.
func readFiles(ctx context.Context, all []provider.File) ([]file, error) {
	kept := []file{}
	var total int64
	for _, f := range all {
		content, err := f.Open(ctx)
		if err != nil {
			return nil, &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true, Cause: err}
		}
		sum := sha256.New()
		size, err := io.Copy(sum, io.LimitReader(content, mostBytes+1-total))
		_ = content.Close() //nolint:errcheck // it was read
		if err != nil {
			return nil, &provider.Error{Reason: provider.ProviderDown, Taken: provider.No, Retryable: true, Cause: err}
		}
		if total += size; total > mostBytes {
			return nil, refusal(provider.Invalid, "ENVELOPE_EXCEEDS_MAXIMUM_SIZE")
		}
		kept = append(kept, file{Name: f.Name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))})
	}

	return kept, nil
}

// castRecipients gives recipients their roles, and the tabs of these.
func castRecipients(all []provider.Recipient, roles []provider.Role, template bool) ([]recipient, error) {
	made := []recipient{}
	for i, r := range all {
		one, err := newRecipient(r, i)
		if err != nil {
			return nil, err
		}
		if template {
			at := slices.IndexFunc(roles, func(role provider.Role) bool { return strings.EqualFold(role.Name, r.Role) })
			if at < 0 {
				return nil, &provider.Error{
					Reason: provider.Invalid, Taken: provider.No, Code: "INVALID_TEMPLATE_ROLE", Detail: "The template has no role " + r.Role + ".",
				}
			}
			one.Kind, one.Role, one.Tabs = roles[at].Kind, roles[at].Name, fillTabs(roles[at].Tabs, r.Tabs)
			if r.RoutingOrder == 0 {
				one.RoutingOrder = roles[at].RoutingOrder
			}
		}
		one.Prefilled = map[string]string{}
		for _, t := range one.Tabs {
			one.Prefilled[t.Label] = t.Value
		}
		if slices.ContainsFunc(made, func(other recipient) bool { return other.ID == one.ID }) {
			return nil, refusal(provider.Invalid, "DUPLICATE_RECIPIENT_ID")
		}
		made = append(made, one)
	}

	return made, nil
}

// newRecipient is a recipient who plays no role yet; n is how many come before.
func newRecipient(r provider.Recipient, n int) (recipient, error) {
	one := recipient{
		ID: r.ExternalID, Kind: r.Kind, Role: r.Role, Name: r.Name, Email: r.Email, RoutingOrder: max(r.RoutingOrder, 1), ClientID: r.ClientID,
		Status: created, Tabs: fillTabs([]provider.Tab{fixed("sign_here", "signature", true)}, r.Tabs),
	}
	if one.ID == "" {
		one.ID = strconv.Itoa(n + 1)
	}
	if one.Kind == "" {
		one.Kind = provider.Signer
	}
	if one.Kind != provider.Signer {
		one.Tabs = []provider.Tab{}
	}
	name, host, ok := strings.Cut(r.Email, "@")
	if !ok || name == "" || !strings.Contains(host, ".") || strings.ContainsAny(r.Email, " \r\n\t") {
		return one, refusal(provider.Invalid, "INVALID_EMAIL_ADDRESS_FOR_RECIPIENT")
	}
	if strings.TrimSpace(r.Name) == "" {
		return one, refusal(provider.Invalid, "INVALID_USERNAME_FOR_RECIPIENT")
	}

	return one, nil
}

// fillTabs gives tabs their values. A value without a tab is passed over, as the vendor does.
func fillTabs(tabs []provider.Tab, values []provider.Value) []provider.Tab {
	filled := slices.Clone(tabs)
	for i := range filled {
		for _, v := range values {
			if filled[i].Fillable && v.Label == filled[i].Label {
				filled[i].Value = v.Text
			}
		}
	}

	return filled
}
