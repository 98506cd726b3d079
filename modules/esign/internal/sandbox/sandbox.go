// Package sandbox is a provider that is a part of this service, and behaves like a vendor of signatures over the whole
// life of an envelope: it keeps envelopes in tables of its own, gives each recipient a turn, has people sign on a page,
// and tells what happened by notifications in DocuSign's form, which are brought to us over HTTP. It sends no e-mail:
// who is to sign is on a list, and gets a link on request.
//
// It owns the tables esign_sandbox_*. Magic addresses of recipients fail in every way there is, see Cases.
package sandbox

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Name is how accounts name the provider.
const Name = "sandbox"

// revoked is the credential that makes an account whose calls are all refused.
const revoked = "revoked"

// Sandbox is the provider, and what people do at it.
type Sandbox struct {
	db    *database.DB
	store *store

	queue *jobs.Queue
	clock clock.Clock
	links *link.Service
	// courier brings us the notices of envelopes.
	courier *vendorsandbox.Courier
	// address is how the addresses of its pages begin.
	address string
}

// New returns the sandbox of a service.
func New(db *database.DB, queue *jobs.Queue, c clock.Clock, links *link.Service, w web.Settings) *Sandbox {
	return &Sandbox{
		db: db, store: &store{db: db}, queue: queue, clock: c, links: links, courier: vendorsandbox.NewCourier(db, c, outbox{db: db}),
		address: strings.TrimSuffix(w.BaseURL, "/") + "/esign/api/v1/sandbox/",
	}
}

// Name implements provider.Provider.
func (*Sandbox) Name() string { return Name }

// Environments implements provider.Provider.
func (*Sandbox) Environments() []string { return []string{"sandbox"} }

// Open implements provider.Provider. There may be no credentials; the key "revoked", with any value, makes an account
// whose calls are all refused.
func (s *Sandbox) Open(o provider.Opening) (provider.Account, error) {
	all := o.Credentials.Reveal()
	for name := range all {
		if name != revoked {
			return nil, &provider.Error{
				Reason: provider.Auth, Taken: provider.No,
				Detail: "The sandbox needs no credentials. It knows one, revoked: with it, the account's calls are all refused.",
			}
		}
	}
	_, refused := all[revoked]
	id, _ := uuid.Parse(o.Key) //nolint:errcheck // credentials are checked before there is an id

	return account{Sandbox: s, id: id, refused: refused}, nil
}

// account is an account at the sandbox.
type account struct {
	*Sandbox

	id      uuid.UUID
	refused bool
}

// enter is what each call begins with.
func (a account) enter() error {
	if a.refused {
		return refusal(provider.Auth, "USER_AUTHENTICATION_FAILED")
	}

	return nil
}

func refusal(reason provider.Reason, code string) error {
	return &provider.Error{Reason: reason, Taken: provider.No, Code: code}
}

// Check implements provider.Account.
func (a account) Check(context.Context) (provider.Found, error) {
	return provider.Found{ExternalID: a.id.String(), Name: "Sandbox"}, a.enter()
}

// Templates implements provider.Account.
func (a account) Templates(context.Context, string) (page []provider.Template, next string, err error) {
	if err := a.enter(); err != nil {
		return nil, "", err
	}
	for _, t := range templates {
		t.Roles = nil
		page = append(page, t)
	}

	return page, "", nil
}

// Template implements provider.Account.
func (a account) Template(_ context.Context, id string) (provider.Template, error) {
	if err := a.enter(); err != nil {
		return provider.Template{}, err
	}
	for _, t := range templates {
		if t.ID == id {
			return t, nil
		}
	}

	return provider.Template{}, refusal(provider.NotFound, "TEMPLATE_NOT_FOUND")
}
