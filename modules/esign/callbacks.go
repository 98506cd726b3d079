package esign

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/accounts"
	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/connection"
	"github.com/dispatchd/dispatchd/modules/esign/internal/reports"
	"github.com/dispatchd/dispatchd/modules/esign/internal/settings"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// noticeTime is how long a notification may take to arrive: as long as the vendor waits for the answer.
const noticeTime = 100 * time.Second

// receiver takes notifications.
type receiver struct {
	store    *store.Repository
	verifier *connection.Verifier
	reports  *reports.Service
	settings settings.Settings
}

func newReceiver(r *store.Repository, v *connection.Verifier, reportService *reports.Service, s settings.Settings) *receiver {
	return &receiver{store: r, verifier: v, reports: reportService, settings: s}
}

// connectKind is the kind of notifications of DocuSign Connect, and of who sends the same.
func connectKind() inbound.Kind[*receiver] {
	return inbound.Kind[*receiver]{
		Name: accounts.CallbackKind, Path: "/connection/callback/{uuid}", Summary: "Take a notification about an envelope",
		Description: "DocuSign Connect's messages in JSON (SIM). The address is that of GET /accounts/{uuid}/connection, which says " +
			"how they are verified too: by a bearer token, by X-DocuSign-Signature-1 to -n, or both.",
		Find: (*receiver).endpoint, Process: (*receiver).process, Answer: inbound.EmptyObject,
		Key:    func(n inbound.Notification) string { return connect.Key(n.Body) },
		Limit:  func(s *receiver) config.Size { return s.settings.MaxNotice },
		Errors: []*errs.Error{store.ErrConnectionOff, store.ErrNotice, store.ErrOtherAccount}, ReadTimeout: noticeTime,
	}
}

// endpoint returns whose endpoint it is, and how what comes there is verified and looked at.
func (s *receiver) endpoint(ctx context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	row, err := s.store.Connection(ctx, id)
	if err != nil {
		return inbound.Endpoint{}, err
	}
	if row.DisabledAt != nil {
		return inbound.Endpoint{}, store.ErrConnectionOff
	}
	scheme, err := s.verifier.Scheme(principal.AsCompany(ctx, row.CompanyID), row)

	return inbound.Endpoint{
		Company: row.CompanyID, Scheme: scheme,
		Check: func(_ context.Context, n inbound.Notification) error { return checkNotice(&row, n.Body) },
	}, err
}

// checkNotice refuses what is no notification, and those of another account at the vendor.
func checkNotice(a *store.Account, body []byte) error {
	if !connect.Valid(body) {
		return store.ErrNotice
	}
	head := connect.ReadHead(body)
	if head.Event == "" {
		return store.ErrNotice
	}
	if head.AccountID != "" && a.ExternalID != "" && !strings.EqualFold(head.AccountID, a.ExternalID) {
		return store.ErrOtherAccount
	}

	return nil
}

// process does what a notification asks for.
func (s *receiver) process(ctx context.Context, d inbound.Delivery) error {
	row, err := s.store.Connected(ctx, d.Endpoint)
	if errors.Is(err, store.ErrAccount) {
		return inbound.Ignored("the account was deleted, or has another address by now")
	}
	if err != nil {
		return err
	}
	n, err := connect.Read(d.Body)
	if err != nil {
		return jobs.Permanent(err)
	}
	if err := s.verifier.MarkUsed(ctx, d.Key); err != nil {
		return err
	}
	if n.EnvelopeID == "" {
		return inbound.Ignored("it is about no envelope: " + n.Event)
	}
	t := reports.FromNotice(n, d.ID, d.ReceivedAt)
	known, err := s.reports.Apply(ctx, row.ID, t)
	if err != nil || known {
		return err
	}
	if err := s.reports.StoreUnmatched(ctx, row.ID, t); err != nil {
		return err
	}

	return inbound.Ignored("there is no such envelope here: it is kept, and applied if it appears")
}
