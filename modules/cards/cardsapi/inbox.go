package cardsapi

import (
	"context"
	"errors"
)

// Inbox applies the notifications of a vendor.
type Inbox struct {
	Vendor   string
	Accounts VendorAccounts
	Reports  Reports
}

// Read returns what a notification says to an account, or why that is nothing.
type Read func(VendorAccount) (n Notice, ignored string, err error)

// Apply has what arrived at an endpoint applied, in the transaction of its processing. It returns why that changes nothing, "" if it does.
func (i Inbox) Apply(ctx context.Context, endpoint string, read Read) (ignored string, err error) {
	a, err := i.Accounts.ByEndpoint(ctx, i.Vendor, endpoint)
	if errors.Is(err, ErrAccount) {
		return "the account was deleted", nil
	}
	if err != nil {
		return "", err
	}
	n, ignored, err := read(a)
	if err != nil || ignored != "" {
		return ignored, err
	}
	err = i.Reports.Report(ctx, a.UUID, n)
	if errors.Is(err, ErrNotHere) {
		return "it is about a payment that was not made here", nil
	}

	return "", err
}
