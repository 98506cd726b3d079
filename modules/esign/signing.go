package esign

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/web"
)

// signing has recipients sign embedded, and says where they may be led afterwards.
type signing struct {
	*core

	baseURL string
}

func newSigning(c *core, w web.Settings) *signing { return &signing{core: c, baseURL: w.BaseURL} }

// link asks the provider for an address at which an embedded recipient signs. It is good once and for some
// minutes, and is kept nowhere: so it is no answer to a request whose answer is kept, which would also hold up the
// transaction of that while the provider is asked.
func (s *signing) link(ctx context.Context, id, recipientID uuid.UUID, returnURL string) (string, error) {
	if database.InTransaction(ctx) {
		return "", errNoKey
	}
	row, err := s.envelope(ctx, id)
	if err != nil {
		return "", err
	}
	if err := s.mayReturn(ctx, returnURL); err != nil {
		return "", err
	}
	all, err := s.recipients(ctx, id)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(r recipient) bool { return r.ID == recipientID })
	switch {
	case i < 0:
		return "", errRecipient
	case !all[i].Embedded:
		return "", errNotHere
	case row.ExternalID == nil:
		return "", errNotThere.WithDetail("current", string(row.State))
	case !underWay(row.State):
		return "", errEnded.WithDetail("current", string(row.State))
	}
	from, err := s.accounts.Ready(ctx, row.AccountID)
	if err != nil {
		return "", err
	}
	open, err := s.vendors.dial(ctx, from)
	if err != nil {
		return "", failure(err)
	}
	calling, cancel := context.WithTimeout(ctx, s.settings.CallTimeout)
	defer cancel()
	address, err := open.SigningURL(calling, *row.ExternalID, all[i].outgoing(), returnURL)

	return address, failure(err)
}

// mayReturn refuses an address that a recipient may not be led to after signing.
func (s *signing) mayReturn(ctx context.Context, text string) error {
	u, err := url.Parse(text)
	if err != nil || len(text) > 2000 || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return errInvalid.WithField("return_url", "The return url must begin with https:// or http://, name a host, and have no user.")
	}
	p, err := s.preferences(ctx)
	if err != nil {
		return err
	}
	hosts := s.returnHosts(p)
	if slices.ContainsFunc(hosts, func(host string) bool {
		return strings.EqualFold(host, u.Host) || strings.EqualFold(host, u.Hostname())
	}) {
		return nil
	}

	return errInvalid.WithField("return_url", fmt.Sprintf(
		"The host %s is none of those to which recipients may return: %s. Add it to return_hosts of PATCH %s/settings.", u.Host, strings.Join(hosts, ", "), base))
}

// returnHosts are the hosts to which recipients may return: those that the company has set, else that of web.base_url, else,
// where that is not set either, this machine.
func (s *signing) returnHosts(p preferences) []string {
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

// set changes to which hosts recipients may return; none is the default.
func (s *signing) set(ctx context.Context, match web.IfMatch, hosts []string) (p preferences, err error) {
	all := []string{}
	for i, host := range hosts {
		host = strings.ToLower(strings.TrimSpace(host))
		if !hostRule.MatchString(host) {
			return p, errInvalid.WithField(fmt.Sprintf("return_hosts.%d", i), "The host must be like app.example.com or app.example.com:8443, without https:// and without a path; letters beyond a to z as xn--….")
		}
		if !slices.Contains(all, host) {
			all = append(all, host)
		}
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if p, err = s.heldPreferences(ctx, s.clock.Now()); err != nil {
			return err
		}
		if err := match.Check(p.Version); err != nil {
			return err
		}
		p.ReturnHosts, p.Version, p.UpdatedAt = all, p.Version+1, s.clock.Now()

		return s.savePreferences(ctx, &p)
	})

	return p, err
}
