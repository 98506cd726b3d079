// Package sandbox is a provider that sends nothing and behaves like one that does: messages move on by
// themselves, magic numbers fail in every way there is, numbers can be bought.
//
// It remembers nothing. What it answers follows from what it is asked, so it is the same on every replica and
// after a restart: a repeat of a reference gets the same id, as from a vendor with idempotency keys.
package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/modules/sms/internal/segment"
)

// Name is how accounts name the provider.
const Name = "sandbox"

// Provider is the sandbox.
type Provider struct{}

// Name implements provider.Provider.
func (Provider) Name() string { return Name }

// Capabilities implements provider.Provider.
func (Provider) Capabilities() provider.Capabilities {
	return provider.Capabilities{MaxBody: 1600, MaxMedia: 10, DedupesFor: 24 * time.Hour, Simulated: true}
}

// Explain implements provider.Provider. The sandbox has codes of its own, whose reasons say as much.
func (Provider) Explain(string) string { return "" }

// Open implements provider.Provider. Credentials may be empty; the key "revoked", with any value, makes an
// account whose calls are all refused.
func (Provider) Open(o provider.Opening) (provider.Account, error) {
	_, revoked := o.Credentials.Reveal()["revoked"]

	return account{revoked: revoked}, nil
}

type account struct{ revoked bool }

// Health implements provider.Account.
func (a account) Health(context.Context) error {
	if a.revoked {
		return &provider.Error{Reason: provider.Auth, Taken: provider.No, Code: "sandbox_16", Detail: "Authenticate"}
	}

	return nil
}

// Send implements provider.Messages.
func (a account) Send(ctx context.Context, m provider.Outgoing) (provider.Accepted, error) {
	if err := a.Health(ctx); err != nil {
		return provider.Accepted{}, err
	}
	c := caseOf(m.To)
	if c.Refuses != nil {
		return provider.Accepted{}, c.Refuses()
	}

	return provider.Accepted{
		ID: ID(m.Reference), Status: provider.Sending, Raw: "queued", Segments: segment.Of(m.Body, false).Segments,
	}, nil
}

// ID is what a message is called whose reference is known.
func ID(reference string) string {
	sum := sha256.Sum256([]byte(reference))

	return "SB" + hex.EncodeToString(sum[:16])
}

// Fetch implements provider.Messages. The sandbox remembers nothing.
func (a account) Fetch(ctx context.Context, _ string) (provider.Update, error) {
	if err := a.Health(ctx); err != nil {
		return provider.Update{}, err
	}

	return provider.Update{}, &provider.Error{Reason: provider.NotSupported, Taken: provider.No}
}

// Find implements provider.Messages.
func (account) Find(context.Context, provider.Search) ([]provider.Update, bool, error) {
	return nil, false, &provider.Error{Reason: provider.NotSupported, Taken: provider.No}
}

// FetchInbound implements provider.Messages: messages from outside are made up here.
func (a account) FetchInbound(ctx context.Context, _ provider.Missed) ([]provider.Inbound, error) {
	return nil, a.Health(ctx)
}

// Media implements provider.Messages.
func (account) Media(context.Context, string) (provider.File, error) {
	return provider.File{}, &provider.Error{Reason: provider.NotSupported, Taken: provider.No}
}

// Script is what the sandbox tells of a message to a number after it was taken, one after the other.
func Script(to string) []Step { return caseOf(to).steps() }

// Step is something that the sandbox tells, a while after the one before.
type Step struct {
	After  time.Duration
	Update provider.Update
}

// Search implements provider.Numbers: numbers of 555-01, which belong to nobody.
func (a account) Search(ctx context.Context, q provider.NumberQuery) ([]provider.Available, error) {
	if err := a.Health(ctx); err != nil {
		return nil, err
	}
	if q.Country != "US" && q.Country != "CA" {
		return nil, nil
	}
	area, kind := q.AreaCode, provider.Local
	if q.Kind == provider.TollFree {
		area, kind = "800", provider.TollFree
	}
	if q.Kind == provider.Mobile {
		return nil, nil
	}
	if area == "" {
		area = map[string]string{"US": "202", "CA": "416"}[q.Country]
	}
	var found []provider.Available
	for n := range 100 {
		number := fmt.Sprintf("+1%s55501%02d", area, n)
		if len(found) == q.Limit || endingOf(number) < firstOffered || !strings.Contains(number, q.Contains) {
			continue
		}
		found = append(found, provider.Available{
			Number: number, Kind: kind, Locality: "Sandbox", Region: area,
			Features: provider.Features{SMS: true, MMS: kind == provider.Local, Voice: true},
		})
	}

	return found, nil
}

// firstOffered are the last two digits of the first number that can be bought.
const firstOffered = "60"

// Buy implements provider.Numbers: those that Search finds. A number that ends in 99 was bought by somebody else a moment ago.
func (a account) Buy(ctx context.Context, number string) (provider.Owned, error) {
	if err := a.Health(ctx); err != nil {
		return provider.Owned{}, err
	}
	if last := endingOf(number); last < firstOffered || last == "99" {
		return provider.Owned{}, &provider.Error{Reason: provider.NumberNotAvailable, Taken: provider.No, Code: "sandbox_99"}
	}

	return owned(number), nil
}

func owned(number string) provider.Owned {
	o := provider.Owned{
		ID: "PN" + strings.TrimPrefix(number, "+"), Number: number, Kind: provider.Local,
		Features: provider.Features{SMS: true, MMS: true, Voice: true}, Registration: provider.Registered,
	}
	if strings.HasPrefix(number, "+1800") {
		o.Kind, o.Features.MMS = provider.TollFree, false
	}

	return o
}

// Release implements provider.Numbers.
func (a account) Release(ctx context.Context, _ provider.Owned) error { return a.Health(ctx) }

// SetCallbacks implements provider.Numbers: messages from outside are made up here.
func (a account) SetCallbacks(ctx context.Context, _ provider.Owned) error { return a.Health(ctx) }

// List implements provider.Numbers: two numbers that were bought elsewhere, one of them not registered.
func (a account) List(ctx context.Context) ([]provider.Owned, error) {
	if err := a.Health(ctx); err != nil {
		return nil, err
	}
	second := owned("+12025550151")
	second.Registration = provider.Unregistered

	return []provider.Owned{owned("+12025550150"), second}, nil
}
