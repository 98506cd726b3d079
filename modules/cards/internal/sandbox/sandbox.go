// Package sandbox is a vendor of card payments that is part of the service: it behaves like a vendor over the whole life of a payment,
// keeps what it was given in tables of its own, and reports by notifications in Square's form, which arrive over HTTP. No money moves.
//
// It owns the tables cards_sandbox_*. Magic tokens fail in every way there is, see Cases.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/vendorsandbox"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Name is how accounts name the vendor, Kind how its notifications are called, SignatureKey the credential that signs them.
const (
	Name         = "sandbox"
	Kind         = "sandbox"
	SignatureKey = "signature_key"
)

// revoked is the credential that makes an account whose calls are all refused.
const revoked = "revoked"

const (
	dedupesFor    = 24 * time.Hour
	disputeAfter  = time.Minute
	disputeFee    = 1500
	evidenceDays  = 14
	feePerMille   = 29 // 2.9 %, and
	feeFixed      = 30 // units
	pageSize      = 100
	percentPerMil = 1000
)

// Sandbox is the vendor.
type Sandbox struct {
	db      *database.DB
	store   *box
	queue   *jobs.Queue
	clock   clock.Clock
	courier *vendorsandbox.Courier
	// address is how the addresses of its operations begin.
	address string
}

// New returns the sandbox of a service.
func New(db *database.DB, queue *jobs.Queue, c clock.Clock, w web.Settings) *Sandbox {
	return &Sandbox{
		db: db, store: &box{db: db}, queue: queue, clock: c, courier: vendorsandbox.NewCourier(db, c, outbox{db: db}),
		address: strings.TrimSuffix(w.BaseURL, "/") + "/cards/api/v1/sandbox",
	}
}

// Capabilities implements cardsapi.Vendor.
func (*Sandbox) Capabilities() cardsapi.Capabilities {
	return cardsapi.Capabilities{Capture: true, DedupesFor: dedupesFor, Finds: true, Notifications: "cards." + Kind, Simulated: true}
}

// Explain implements cardsapi.Vendor.
func (*Sandbox) Explain(string) string { return "" }

// Open implements cardsapi.Vendor. There may be no credentials; the key "revoked", with any value, makes an account whose calls are all
// refused.
func (s *Sandbox) Open(o cardsapi.Opening) (cardsapi.Account, error) {
	for name := range o.Credentials {
		if name != revoked && name != SignatureKey {
			return cardsapi.Account{}, refused(cardsapi.Auth, "UNAUTHORIZED", "The sandbox needs no credentials. It knows revoked: with it, the account's calls are all refused.")
		}
	}
	_, refuses := o.Credentials[revoked]
	id, _ := uuid.Parse(o.Account) //nolint:errcheck // credentials are checked before there is an id

	return cardsapi.AccountOf(account{box: s, db: s.db, store: s.store, queue: s.queue, clock: s.clock, id: id, refused: refuses}), nil
}

// account is an account at the sandbox.
type account struct {
	box     *Sandbox
	db      *database.DB
	store   *box
	queue   *jobs.Queue
	clock   clock.Clock
	id      uuid.UUID
	refused bool
}

// enter is what each call begins with.
func (a account) enter() error {
	if a.refused {
		return refused(cardsapi.Auth, "ACCESS_TOKEN_REVOKED", "The access token was revoked.")
	}

	return nil
}

// Health implements cardsapi.VendorConnection.
func (a account) Health(context.Context) error { return a.enter() }

// Page implements cardsapi.VendorConnection.
func (a account) Page() cardsapi.PageConfig {
	return cardsapi.PageConfig{Application: "sandbox", Location: a.id.String()}
}

// errLost is an answer that is lost.
var errLost = errors.New("sandbox: the connection broke before the answer")

// SaveCard implements cardsapi.VendorVault.
func (a account) SaveCard(ctx context.Context, o cardsapi.VendorCardOrder) (cardsapi.VendorCard, error) {
	var row thing
	var lost bool
	c, err := a.caseOf(o.Token.ID)
	if err != nil {
		return cardsapi.VendorCard{}, err
	}
	if c.Refuses != nil && !c.Later {
		return cardsapi.VendorCard{}, c.Refuses
	}
	err = a.db.InTx(ctx, func(ctx context.Context) error {
		known, err := a.store.referenced(ctx, a.id, kindCard, o.Reference)
		if err != nil || known != nil {
			if known != nil {
				row = *known
			}

			return err
		}
		if lost, err = a.drops(ctx, c, o.Reference); err != nil || lost {
			return err
		}
		row = a.newThing(kindCard, o.Reference, statusEnabled)
		row.Token, lost = o.Token.ID, c.Loses

		return a.store.insert(ctx, &row)
	})
	if err == nil && lost {
		err = errLost
	}
	customer := o.Customer
	if customer == "" {
		customer = "cust_" + o.Reference
	}

	return cardsapi.VendorCard{
		ID: row.ID.String(), Customer: customer, Brand: "VISA", Last4: "1111", Month: 12, Year: a.clock.Now().UTC().Year() + 2, Enabled: true, //nolint:mnd // any
	}, err
}

// caseOf is what a token does.
func (a account) caseOf(token string) (Case, error) {
	if err := a.enter(); err != nil {
		return Case{}, err
	}
	c, known := caseOf(token)
	if !known {
		return c, refused(cardsapi.InvalidToken, "SOURCE_USED", "There is no such token. Use a magic token, such as tok_ok.")
	}

	return c, nil
}

func (a account) newThing(kind, reference, status string) thing {
	now := a.box.now()

	return thing{ID: database.NewID(), AccountID: a.id, Kind: kind, Reference: reference, Status: status, CreatedAt: now, ChangedAt: now}
}

func (s *Sandbox) now() time.Time { return s.clock.Now() }

// drops reports whether a call is lost: the first one of a reference.
func (a account) drops(ctx context.Context, c Case, reference string) (bool, error) {
	if !c.Drops {
		return false, nil
	}
	known, err := a.store.referenced(ctx, a.id, kindDropped, reference)
	if err != nil || known != nil {
		return false, err
	}
	row := a.newThing(kindDropped, reference, statusFailed)

	return true, a.store.insert(ctx, &row)
}

// RemoveCard implements cardsapi.VendorVault.
func (a account) RemoveCard(ctx context.Context, id string) error {
	if err := a.enter(); err != nil {
		return err
	}

	return a.db.InTx(ctx, func(ctx context.Context) error {
		row, err := a.store.locked(ctx, a.id, kindCard, id)
		if err != nil {
			return err
		}
		row.Status, row.ChangedAt = statusDisabled, a.box.now()

		return a.store.save(ctx, &row)
	})
}

// Charge implements cardsapi.VendorPayments.
func (a account) Charge(ctx context.Context, o cardsapi.VendorCharge) (made cardsapi.VendorPayment, err error) {
	if err := a.enter(); err != nil {
		return made, err
	}
	var lost bool
	err = a.db.InTx(ctx, func(ctx context.Context) error {
		known, err := a.store.referenced(ctx, a.id, kindPayment, o.Reference)
		if err != nil {
			return err
		}
		if known != nil {
			made = a.box.wire(*known, nil).vendor()

			return nil
		}
		token := o.Token.ID
		if o.Card != "" {
			card, err := a.store.locked(ctx, a.id, kindCard, o.Card)
			if err != nil {
				return err
			}
			if card.Status != statusEnabled {
				return notFound()
			}
			token = card.Token
		}
		c, err := a.caseOf(token)
		if err != nil {
			return err
		}
		if c.Refuses != nil {
			return c.Refuses
		}
		if lost, err = a.drops(ctx, c, o.Reference); err != nil || lost {
			return err
		}
		row, err := a.take(ctx, o, c)
		made, lost = a.box.wire(row, nil).vendor(), c.Loses

		return err
	})
	if err == nil && lost {
		return cardsapi.VendorPayment{}, errLost
	}

	return made, err
}

// take stores a new payment, with what follows from its case.
func (a account) take(ctx context.Context, o cardsapi.VendorCharge, c Case) (thing, error) {
	row := a.newThing(kindPayment, o.Reference, statusCompleted)
	row.Token, row.Units, row.Currency = c.Token, o.Amount.Units, o.Amount.Currency
	switch {
	case c.Asks && !o.Present:
		return row, refused(cardsapi.ActionRequired, "CARD_DECLINED_VERIFICATION_REQUIRED", "The bank asks the cardholder to confirm the payment.")
	case c.Asks:
		row.Status = statusPending
		if o.Authorize {
			row.Token += authorizes
		}
	case o.Authorize:
		row.Status = statusApproved
	default:
		row.Fee = feeOf(row.Units)
	}
	if err := a.store.insert(ctx, &row); err != nil {
		return row, err
	}
	if c.Disputes && row.Status == statusCompleted {
		job := PlayJob{Account: a.id, Payment: row.ID, Event: EventDisputeOpen}
		if err := a.queue.Enqueue(ctx, job, jobs.At(a.clock.Now().Add(disputeAfter))); err != nil {
			return row, err
		}
	}

	err := a.box.notifyPayment(ctx, &row, "payment.created")

	return row, err
}

// authorizes marks the token of a payment that is only reserved once the cardholder has confirmed it.
const authorizes = "+authorize"

// feeOf is 2.9 % and 30 units, rounded half up.
func feeOf(units int64) int64 { return (units*feePerMille+percentPerMil/2)/percentPerMil + feeFixed }

// Capture implements cardsapi.VendorPayments.
func (a account) Capture(ctx context.Context, id string) (cardsapi.VendorPayment, error) {
	return a.end(ctx, id, statusCompleted)
}

// Cancel implements cardsapi.VendorPayments.
func (a account) Cancel(ctx context.Context, id string) (cardsapi.VendorPayment, error) {
	return a.end(ctx, id, statusCanceled)
}

func (a account) end(ctx context.Context, id, status string) (made cardsapi.VendorPayment, err error) {
	if err := a.enter(); err != nil {
		return made, err
	}
	err = a.db.InTx(ctx, func(ctx context.Context) error {
		row, err := a.store.locked(ctx, a.id, kindPayment, id)
		if err != nil {
			return err
		}
		open := row.Status == statusApproved || row.Status == statusPending && status == statusCanceled
		switch {
		case row.Status == status:
		case !open:
			return refused(cardsapi.UnknownReason, "BAD_REQUEST", "The payment is "+row.Status+".")
		default:
			if row.Status = status; status == statusCompleted {
				row.Fee = feeOf(row.Units)
			}
			if err := a.box.notifyPayment(ctx, &row, "payment.updated"); err != nil {
				return err
			}
		}
		made = a.box.wire(row, nil).vendor()

		return nil
	})

	return made, err
}

// Refund implements cardsapi.VendorPayments.
func (a account) Refund(ctx context.Context, o cardsapi.VendorRefundOrder) (made cardsapi.VendorRefund, err error) {
	if err := a.enter(); err != nil {
		return made, err
	}
	err = a.db.InTx(ctx, func(ctx context.Context) error {
		known, err := a.store.referenced(ctx, a.id, kindRefund, o.Reference)
		if err != nil {
			return err
		}
		if known != nil {
			made = wireRefundOf(*known).vendor()

			return nil
		}
		row, err := a.giveBack(ctx, o)
		made = wireRefundOf(row).vendor()

		return err
	})

	return made, err
}

// giveBack stores a new refund.
func (a account) giveBack(ctx context.Context, o cardsapi.VendorRefundOrder) (thing, error) {
	of, err := a.store.locked(ctx, a.id, kindPayment, o.Payment)
	if err != nil {
		return thing{}, err
	}
	given, err := a.store.children(ctx, kindRefund, of.ID)
	if err != nil {
		return thing{}, err
	}
	left := of.Units
	for _, r := range given {
		if r.Status != statusFailed {
			left -= r.Units
		}
	}
	if of.Status != statusCompleted || o.Amount.Units > left || o.Amount.Currency != of.Currency {
		return thing{}, refused(cardsapi.NotRefundable, "REFUND_AMOUNT_INVALID", "The amount cannot be refunded.")
	}
	row := a.newThing(kindRefund, o.Reference, statusCompleted)
	row.ParentID, row.Units, row.Currency = &of.ID, o.Amount.Units, o.Amount.Currency
	if c, _ := caseOf(of.Token); c.FailsRefunds {
		row.Status = statusPending
		job := PlayJob{Account: a.id, Payment: of.ID, Refund: row.ID, Event: eventRefundFailed}
		if err := a.queue.Enqueue(ctx, job); err != nil {
			return row, err
		}
	}
	if err := a.store.insert(ctx, &row); err != nil {
		return row, err
	}
	w := wireRefundOf(row)

	return row, a.box.notify(ctx, &of, "refund.created", kindRefund, row.ID, envelopeObject{Refund: &w})
}

// Payment implements cardsapi.VendorLookup.
func (a account) Payment(ctx context.Context, id string) (made cardsapi.VendorPayment, err error) {
	if err := a.enter(); err != nil {
		return made, err
	}
	err = a.db.InTx(ctx, func(ctx context.Context) error {
		row, err := a.store.locked(ctx, a.id, kindPayment, id)
		if err != nil {
			return err
		}
		refunds, err := a.store.children(ctx, kindRefund, row.ID)
		made = a.box.wire(row, refunds).vendor()

		return err
	})

	return made, err
}

// ReadRefund implements cardsapi.VendorLookup.
func (a account) ReadRefund(ctx context.Context, id string) (made cardsapi.VendorRefund, err error) {
	if err := a.enter(); err != nil {
		return made, err
	}
	err = a.db.InTx(ctx, func(ctx context.Context) error {
		row, err := a.store.locked(ctx, a.id, kindRefund, id)
		made = wireRefundOf(row).vendor()

		return err
	})

	return made, err
}

// Find implements cardsapi.VendorLookup.
func (a account) Find(ctx context.Context, s cardsapi.VendorSearch) (found cardsapi.VendorFound, complete bool, err error) {
	if err := a.enter(); err != nil {
		return found, false, err
	}
	kind := kindPayment
	if s.Payment != "" {
		kind = kindRefund
	}
	row, err := a.store.referenced(ctx, a.id, kind, s.Reference)
	switch {
	case err != nil || row == nil:
		return found, err == nil, err
	case kind == kindRefund:
		found.Refunds = []cardsapi.VendorRefund{wireRefundOf(*row).vendor()}
	default:
		found.Payments = []cardsapi.VendorPayment{a.box.wire(*row, nil).vendor()}
	}

	return found, true, nil
}

// notifyPayment stores a payment that has changed, and reports it.
func (s *Sandbox) notifyPayment(ctx context.Context, row *thing, event string) error {
	row.ChangedAt = s.now()
	refunds, err := s.store.children(ctx, kindRefund, row.ID)
	if err != nil {
		return err
	}
	w := s.wire(*row, refunds)

	return s.notify(ctx, row, event, kindPayment, row.ID, envelopeObject{Payment: &w})
}

// notify adds a notice to those of a payment that is held, and has it delivered.
func (s *Sandbox) notify(ctx context.Context, of *thing, event, kind string, about uuid.UUID, object envelopeObject) error {
	now, id := s.now(), database.NewID()
	body, err := json.Marshal(envelope{
		MerchantID: of.AccountID.String(), Type: event, EventID: id.String(), CreatedAt: now,
		Data: envelopeData{Type: kind, ID: about.String(), Object: object},
	})
	if err != nil {
		return err
	}
	of.Notices++
	if err := s.store.save(ctx, of); err != nil {
		return err
	}
	n := notice{ID: id, AccountID: of.AccountID, ThingID: of.ID, Seq: of.Notices, Event: event, Body: body, CreatedAt: now}
	if err := s.store.insert(ctx, &n); err != nil {
		return err
	}

	return s.queue.Enqueue(ctx, DeliverJob{Payment: of.ID})
}

// DeliverJob is the job that delivers the notices of a payment.
type DeliverJob struct {
	Payment uuid.UUID `json:"payment"`
}

// Kind implements jobs.Args.
func (DeliverJob) Kind() string { return "cards.sandbox_notify" }

// Deliver does the job: it sends the notices of a payment by send.
func (s *Sandbox) Deliver(ctx context.Context, args DeliverJob, send func(context.Context, *vendorsandbox.Notice) error) error {
	return s.courier.Deliver(ctx, args.Payment, send)
}

// ForgetAccount deletes what an account had.
func (s *Sandbox) ForgetAccount(ctx context.Context, account uuid.UUID) error {
	return s.store.deleteAccount(ctx, account)
}
