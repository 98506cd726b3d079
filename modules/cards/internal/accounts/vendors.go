// Package accounts decides about accounts at card vendors, and opens them for calls. Vendors are adapters of cardsapi.Vendor, of this
// area or of another one (platform/port).
package accounts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/cards/internal/settings"
	"github.com/dispatchd/dispatchd/modules/cards/internal/store"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/port"
	"github.com/dispatchd/dispatchd/platform/vendorerror"
)

// Vendors opens accounts at the vendors that a company can use.
type Vendors struct {
	Accounts *store.Accounts
	ports    *port.Registry
	inbox    *inbound.Inbox
	timeout  time.Duration
}

// NewVendors returns the vendors of the deployment.
func NewVendors(a *store.Accounts, ports *port.Registry, in *inbound.Inbox, s settings.Settings) *Vendors {
	return &Vendors{Accounts: a, ports: ports, inbox: in, timeout: s.CallTimeout}
}

// errNoVendor says that the company does not use the area of a vendor, or that this deployment does not have it.
var errNoVendor = &cardsapi.VendorError{Reason: cardsapi.ProviderDown, NotDone: true, Retryable: true, Detail: "The area of the vendor is not enabled."}

// all returns the adapters by name.
func (v *Vendors) all(ctx context.Context) ([]port.Adapter[cardsapi.Vendor], error) {
	return port.All[cardsapi.Vendor](ctx, v.ports)
}

// find returns a vendor that the company can use, nil for none.
func (v *Vendors) find(ctx context.Context, name string) (cardsapi.Vendor, error) {
	all, err := v.all(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(a port.Adapter[cardsapi.Vendor]) bool { return a.Name == name })
	if i < 0 {
		return nil, nil //nolint:nilnil // there is none, and nothing went wrong
	}

	return all[i].Value, nil
}

// Simulated are the vendors at which no money moves.
func (v *Vendors) Simulated(ctx context.Context) ([]string, error) {
	all, err := v.all(ctx)
	var names []string
	for _, a := range all {
		if a.Value.Capabilities().Simulated {
			names = append(names, a.Name)
		}
	}

	return names, err
}

// Open is an open account, and what its vendor can do.
type Open struct {
	cardsapi.Account

	Row     store.Account
	Can     cardsapi.Capabilities
	Explain func(code string) string
}

// KnowsRepeats reports whether the vendor still takes a repeat of a call that was first made at a time for the same call. It is half of
// what the vendor promises, since nobody knows when it began to count.
func (o Open) KnowsRepeats(firstCalled, now time.Time) bool {
	return o.Can.DedupesFor > 0 && now.Sub(firstCalled) < o.Can.DedupesFor/2
}

// Look is Find, and finds nothing where the vendor cannot search, which proves nothing.
func (o Open) Look(ctx context.Context, s cardsapi.VendorSearch) (found cardsapi.VendorFound, complete bool, err error) {
	if !o.Can.Finds {
		return found, false, nil
	}

	return o.Find(ctx, s)
}

// Open opens an account. A vendor that there is not is a VendorError that may pass.
func (v *Vendors) Open(ctx context.Context, row store.Account) (Open, error) {
	vendor, err := v.find(ctx, row.Provider)
	if err != nil {
		return Open{}, err
	}
	if vendor == nil {
		return Open{}, fmt.Errorf("account %s at %s: %w", row.ID, row.Provider, errNoVendor)
	}
	credentials, err := v.Accounts.Open(ctx, row)
	if err != nil {
		return Open{}, err
	}
	opened, err := vendor.Open(cardsapi.Opening{
		Account: row.ID.String(), Credentials: credentials.Reveal(), NotifyURL: v.NotifyURL(vendor.Capabilities().Notifications, row.EndpointID),
	})

	return Open{Account: opened, Row: row, Can: vendor.Capabilities(), Explain: vendor.Explain}, err
}

// OpenByID opens the account of an id.
func (v *Vendors) OpenByID(ctx context.Context, id uuid.UUID) (Open, error) {
	row, err := v.Accounts.One(ctx, id)
	if err != nil {
		return Open{}, err
	}

	return v.Open(ctx, row)
}

// NotifyURL is the address that a vendor is given, "" if there is none that it can reach.
func (v *Vendors) NotifyURL(kind string, endpoint uuid.UUID) string {
	address := v.inbox.URL(kind, endpoint)
	if strings.HasPrefix(address, "/") {
		return ""
	}

	return address
}

// OwnURL is NotifyURL, or the path if the service has no public address.
func (v *Vendors) OwnURL(kind string, endpoint uuid.UUID) string { return v.inbox.URL(kind, endpoint) }

// Context bounds a call of a vendor.
func (v *Vendors) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, v.timeout)
}

// check refuses a vendor that there is not, and credentials that it cannot use.
func (v *Vendors) check(ctx context.Context, name string, credentials map[string]string) error {
	vendor, err := v.find(ctx, name)
	if err != nil {
		return err
	}
	if vendor == nil {
		all, err := v.all(ctx)
		names := make([]string, len(all))
		for i, a := range all {
			names[i] = a.Name
		}

		return cmpError(err, store.ErrInvalid.WithField("provider", "The provider must be one of: "+strings.Join(names, ", ")+"."))
	}
	_, err = vendor.Open(cardsapi.Opening{Credentials: credentials})
	if failure, ok := errors.AsType[*cardsapi.VendorError](err); ok {
		return store.ErrInvalid.WithField("credentials", failure.Detail)
	}

	return err
}

// cmpError is the first error.
func cmpError(err, other error) error {
	if err != nil {
		return err
	}

	return other
}

// NoteHealth keeps what a call of an account has shown.
func (v *Vendors) NoteHealth(ctx context.Context, of store.Account, health error) (store.Account, error) {
	reason := ""
	if health != nil {
		reason = string(Refusal(health).Reason)
	}

	return v.Accounts.NoteProblem(ctx, of, reason, nil)
}

// NoteAuthFailure keeps that the credentials of an account do not work.
func (v *Vendors) NoteAuthFailure(ctx context.Context, of store.Account, err error) error {
	if reason := Refusal(err).Reason; reason != cardsapi.Auth && reason != cardsapi.Revoked {
		return nil
	}
	_, err = v.NoteHealth(ctx, of, err)

	return err
}

// Error is a vendor's failure as platform/handover decides by it.
type Error = vendorerror.Error[cardsapi.Reason]

// Refusal is a vendor's failure as platform/handover decides by it. What is no Failure leaves open what the vendor did.
func Refusal(err error) *Error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	failure, ok := errors.AsType[*cardsapi.VendorError](err)
	if !ok {
		return &Error{Reason: cardsapi.ProviderDown, Cause: err}
	}
	made := &Error{
		Reason: failure.Reason, Retryable: failure.Retryable, RetryAfter: failure.RetryAfter, Code: failure.Code, Detail: failure.Detail, Cause: err,
	}
	if failure.NotDone {
		made.Taken = vendorerror.No
	}

	return made
}

// Convert is Refusal for an answer and its error.
func Convert[A any](answer A, err error) (A, error) {
	if err == nil {
		return answer, nil
	}

	return answer, Refusal(err)
}

// IsFinal reports whether a failure forbids charging the card again.
func IsFinal(err error) bool {
	failure, ok := errors.AsType[*cardsapi.VendorError](err)

	return ok && failure.Final
}

// CallerError is what a caller is told of a vendor's failure.
func CallerError(err error) error {
	if err == nil {
		return nil
	}

	return vendorerror.ForCaller[cardsapi.Reason](Refusal(err), store.ErrRefused, store.ErrVendor)
}
