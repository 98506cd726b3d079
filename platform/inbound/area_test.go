package inbound_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/module"
)

// bell is an area that hears from a vendor: each notification is a row of rings.
type bell struct {
	db *database.DB
	// act is what the processor does beside that.
	act func(ctx context.Context, d inbound.Delivery) error

	runs    atomic.Int64
	revoked atomic.Bool
	gone    atomic.Bool
	keyless atomic.Bool
}

const ringTable = "CREATE TABLE rings (company text NOT NULL, delivery text NOT NULL, body text NOT NULL)"

// endpoint is the only one: its id is the company's.
func (b *bell) endpoint(_ context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	if b.revoked.Load() || id.Version() != 7 {
		return inbound.Endpoint{}, errs.New(errs.NotFound, "bell.gone", "It is gone.")
	}
	if b.gone.Load() {
		return inbound.Endpoint{}, errBroken
	}
	scheme := verify.Any(
		verify.DocuSign(verify.Key{ID: "new", Secret: []byte("new key")}, verify.Key{ID: "old", Secret: []byte("old key")}),
		verify.Twilio(verify.Key{ID: "twilio", Secret: []byte("auth token")}),
		verify.Bearer(verify.Key{ID: "token", Secret: []byte("bearer token")}),
	)
	if b.keyless.Load() {
		scheme = verify.DocuSign()
	}

	return inbound.Endpoint{Company: id, Scheme: scheme, Check: b.check}, nil
}

// tower is the endpoint that companies share: the body lists those for whom it rings.
func (*bell) tower(context.Context, uuid.UUID) (inbound.Endpoint, error) {
	return inbound.Endpoint{
		Scheme: verify.DocuSign(verify.Key{ID: "tower", Secret: []byte("tower key")}),
		Owners: func(_ context.Context, n inbound.Notification) (all []inbound.Owner, err error) {
			var companies []uuid.UUID
			err = json.Unmarshal(n.Body, &companies)
			for _, id := range companies {
				all = append(all, inbound.Owner{Company: id, Endpoint: id})
			}

			return all, err
		},
	}, nil
}

var (
	errBroken = errs.New(errs.Gone, "bell.broken", "It is broken.")
	errCrack  = errs.New(errs.Malformed, "bell.crack", "It sounds wrong.")
)

// check refuses what has a crack, and fails at what is cursed.
func (*bell) check(_ context.Context, n inbound.Notification) error {
	switch string(n.Body) {
	case `"crack"`:
		return errCrack
	case `"curse"`:
		return errors.New("cursed")
	default:
		return nil
	}
}

func (b *bell) ring(ctx context.Context, d inbound.Delivery) error {
	b.runs.Add(1)
	tx, err := b.db.SQLTx(ctx)
	if err != nil {
		return err
	}
	if err := insertRing(ctx, tx, d); err != nil {
		return err
	}
	if b.act == nil {
		return nil
	}

	return b.act(ctx, d)
}

func insertRing(ctx context.Context, tx *sql.Tx, d inbound.Delivery) error {
	_, err := tx.ExecContext(context.WithoutCancel(ctx), "INSERT INTO rings (company, delivery, body) VALUES ($1, $2, $3)",
		d.Endpoint.String(), d.ID.String(), string(d.Body))

	return err
}

// module is the area; it and what works for it are made together.
func (b *bell) module() module.Module {
	return module.New("bell", "Bell",
		fx.Supply(b, fx.Private),
		fx.Invoke(func(db *database.DB) { b.db = db }),
		inbound.Receiver(inbound.Kind[*bell]{
			Name: "ring", Path: "/rings/{uuid}", Summary: "Ring", Find: (*bell).endpoint, Process: (*bell).ring,
			Answer: inbound.EmptyObject, Limit: func(*bell) config.Size { return 64 * config.KiB }, Errors: []*errs.Error{errBroken, errCrack}, SecretHeaders: []string{"X-Mine"},
		}),
		inbound.Receiver(inbound.Kind[*bell]{
			Name: "message", Path: "/messages/{uuid}", Summary: "Message", Find: (*bell).endpoint, Process: (*bell).ring,
			Answer: inbound.EmptyTwiML, Consumes: []string{"application/x-www-form-urlencoded"},
			Key: inbound.ByHeader("I-Test-Key"),
		}),
		inbound.Receiver(inbound.Kind[*bell]{
			Name: "peal", Path: "/peals/{uuid}", Summary: "Peal", Find: (*bell).endpoint, Process: (*bell).ring,
			Answer: inbound.EmptyObject, MaxBody: 32 * config.MiB, ReadTimeout: 100 * time.Second,
		}),
		inbound.Receiver(inbound.Kind[*bell]{
			Name: "hour", Path: "/hours/{uuid}", Summary: "Hour", Find: (*bell).tower, Process: (*bell).ring, Answer: inbound.EmptyObject,
		}),
	)
}

func count(t *testing.T, db *database.DB, query string) int {
	t.Helper()
	var n int
	require.NoError(t, db.SQL().QueryRowContext(t.Context(), query).Scan(&n))

	return n
}
