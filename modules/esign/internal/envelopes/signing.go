package envelopes

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/audit"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Signing has recipients sign embedded, and says where they may be led afterwards.
type Signing struct {
	db      *database.DB
	store   *store.Repository
	vendors *accounts.Vendors
	clock   clock.Clock
	trail   *audit.Log
	baseURL string
}

// NewSigning returns a Signing.
func NewSigning(r *store.Repository, v *accounts.Vendors, c clock.Clock, trail *audit.Log, w web.Settings) *Signing {
	return &Signing{db: r.DB, store: r, vendors: v, clock: c, trail: trail, baseURL: w.BaseURL}
}

// URL asks the provider for an address at which an embedded recipient signs. It is good once and for some
// minutes, and is kept nowhere: so it is no answer to a request whose answer is kept, which would also hold up the
// transaction of that while the provider is asked.
func (s *Signing) URL(ctx context.Context, id, recipientID uuid.UUID, returnURL string) (string, error) {
	if database.InTransaction(ctx) {
		return "", store.ErrNoKey
	}
	row, err := s.store.Envelope(ctx, id)
	if err != nil {
		return "", err
	}
	if err := s.checkReturnURL(ctx, returnURL); err != nil {
		return "", err
	}
	all, err := s.store.Recipients(ctx, id)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(r store.Recipient) bool { return r.ID == recipientID })
	switch {
	case i < 0:
		return "", store.ErrRecipient
	case !all[i].Embedded:
		return "", store.ErrNotHere
	case row.ExternalID == nil:
		return "", store.ErrNotThere.WithDetail("current", string(row.State))
	case !isUnderWay(row.State):
		return "", store.ErrEnded.WithDetail("current", string(row.State))
	}
	from, err := s.vendors.Accounts.Ready(ctx, row.AccountID)
	if err != nil {
		return "", err
	}
	open, err := s.vendors.Open(ctx, from)
	if err != nil {
		return "", accounts.CallerError(err)
	}
	calling, cancel := s.vendors.CallContext(ctx)
	defer cancel()
	address, err := open.SigningURL(calling, *row.ExternalID, all[i].ForProvider(), returnURL)

	return address, accounts.CallerError(err)
}

// checkReturnURL refuses an address that a recipient may not be led to after signing.
func (s *Signing) checkReturnURL(ctx context.Context, text string) error {
	u, err := url.Parse(text)
	if err != nil || len(text) > 2000 || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return store.ErrInvalid.WithField("return_url", "The return url must begin with https:// or http://, name a host, and have no user.")
	}
	p, err := s.store.Preferences(ctx)
	if err != nil {
		return err
	}
	hosts := s.ReturnHosts(p)
	if slices.ContainsFunc(hosts, func(host string) bool {
		return strings.EqualFold(host, u.Host) || strings.EqualFold(host, u.Hostname())
	}) {
		return nil
	}

	return store.ErrInvalid.WithField("return_url", fmt.Sprintf(
		"The host %s is none of those to which recipients may return: %s. Add it to return_hosts of PATCH /esign/api/v1/settings.", u.Host, strings.Join(hosts, ", ")))
}

// ReturnHosts are the hosts to which recipients may return: those that the company has set, else that of web.base_url, else,
// where that is not set either, this machine.
func (s *Signing) ReturnHosts(p store.Preferences) []string {
	if len(p.ReturnHosts) > 0 {
		return p.ReturnHosts
	}
	if u, err := url.Parse(s.baseURL); err == nil && u.Hostname() != "" {
		return []string{u.Hostname()}
	}

	return []string{"localhost", "127.0.0.1", "::1"}
}

// hostRule is a host as addresses have it, with a port or without.
var hostRule = regexp.MustCompile(`^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)(:[0-9]{1,5})?$`)

// SetReturnHosts changes to which hosts recipients may return; none is the default.
func (s *Signing) SetReturnHosts(ctx context.Context, match web.IfMatch, hosts []string) (p store.Preferences, err error) {
	all := []string{}
	for i, host := range hosts {
		host = strings.ToLower(strings.TrimSpace(host))
		if !hostRule.MatchString(host) {
			return p, store.ErrInvalid.WithField(fmt.Sprintf("return_hosts.%d", i), "The host must be like app.example.com or app.example.com:8443, without https:// and without a path; letters beyond a to z as xn--….")
		}
		if !slices.Contains(all, host) {
			all = append(all, host)
		}
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if p, err = s.store.HeldPreferences(ctx, s.clock.Now()); err != nil {
			return err
		}
		if err := match.Check(p.Version); err != nil {
			return err
		}
		before := p.ReturnHosts
		p.ReturnHosts, p.Version, p.UpdatedAt = all, p.Version+1, s.clock.Now()
		if err := s.store.SavePreferences(ctx, &p); err != nil {
			return err
		}
		changes := map[string]audit.Change{}
		if !slices.Equal(before, all) {
			changes["return_hosts"] = audit.Change{Before: strings.Join(before, ", "), After: strings.Join(all, ", ")}
		}

		return s.trail.Record(ctx, audit.Entry{
			Action: "esign.settings_changed", Item: audit.Item{Type: "esign.settings", UUID: p.CompanyID}, Changes: changes,
		})
	})

	return p, err
}
