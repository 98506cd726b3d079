package esign

import (
	"context"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
)

// signingLink asks the provider for an address at which an embedded recipient signs. It is good once and for some
// minutes, and is kept nowhere: so it is no answer to a request whose answer is kept, which would also hold up the
// transaction of that while the provider is asked.
func (s *envelopes) signingLink(ctx context.Context, id, recipientID uuid.UUID, returnURL string) (string, error) {
	if database.InTransaction(ctx) {
		return "", errNoKey
	}
	if err := isReturn(returnURL); err != nil {
		return "", err
	}
	row, err := s.envelope(ctx, id)
	if err != nil {
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

// isReturn checks where a recipient is led after signing.
func isReturn(text string) error {
	u, err := url.Parse(text)
	if err != nil || len(text) > 2000 || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return errInvalid.WithField("return_url", "The return url must begin with https:// or http://, name a host, and have no user.")
	}

	return nil
}
