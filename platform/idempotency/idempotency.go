// Package idempotency makes a repeated request one write: its answer is kept with a key that the
// client chose, in the transaction of the write, and a repeat gets the same answer.
//
// The web package does this for every JSON POST that has the header Idempotency-Key:
//
//	answer, replayed, err := keeper.Once(ctx, request, func(ctx context.Context) (Answer, error) {
//		return write(ctx) // all of its SQL joins the transaction in ctx
//	})
//
// Either the write and its answer are on disk, or neither is. A write that fails keeps nothing, so
// that a repeat runs it again.
package idempotency

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
)

// ErrReused, ErrInProgress and ErrExceeds are what Once refuses a request with.
var (
	ErrReused     = errs.New(errs.Invalid, "web.idempotency_key_reused", "This Idempotency-Key was used for another request. Use a new key for a new request.")
	ErrInProgress = errs.New(errs.Conflict, "web.idempotency_in_progress", "The first request with this Idempotency-Key is still running. Retry later to get its answer.").
			WithRetryAfter(time.Second)
	ErrExceeds = errs.New(errs.Forbidden, "web.idempotency_key_exceeds", "The first request with this Idempotency-Key had permissions that this one lacks. Retry with the token of the first, or use a new key.")

	errNobody   = errors.New("an Idempotency-Key needs a principal in the context")
	errRestless = errors.New("the Idempotency-Key was claimed and released too often")
)

// Request is a request that may be a repeat.
type Request struct {
	// Key is the client's.
	Key string
	// Fingerprint is the same for the same request, and for no other.
	Fingerprint []byte
	// Secret says that the answer carries a secret, and is encrypted where it is kept.
	Secret bool
}

// Keeper keeps answers. It may be used from several goroutines.
type Keeper struct {
	settings Settings
	rows     repository
	keys     *secret.Keys
	clock    clock.Clock
	turns    *turns
}

// New returns a keeper; it does no I/O.
func New(s Settings, db *database.DB, keys *secret.Keys, clk clock.Clock) *Keeper {
	return &Keeper{settings: s, rows: newRepository(db), keys: keys, clock: clk, turns: newTurns()}
}

// SealedIn returns the table and the column in which answers are that carry a secret.
func (k *Keeper) SealedIn() (table, column string) { return answersTable, answerColumn }

// Once runs write in a transaction and keeps its answer, or returns the answer that is kept, and
// whether it is that. A repeat at the same time waits for the first. Keys belong to the principal in
// ctx, who gets a kept answer only while allowed as much as when it was made. Write may run more than once, see
// database.InTx. Errors: ErrReused, ErrExceeds, ErrInProgress when ctx ends while the first is at work, and those
// of write.
func (k *Keeper) Once(ctx context.Context, r Request, write func(context.Context) (Answer, error)) (answer Answer, kept bool, err error) {
	who, ok := principal.From(ctx)
	if !ok {
		return Answer{}, false, errNobody
	}
	at := place{Company: who.Company, ID: rowID(who, r.Key)}
	leave, err := k.turns.enter(ctx, at)
	if err != nil {
		return Answer{}, false, ErrInProgress.WithCause(err)
	}
	defer leave()
	found, err := k.rows.find(ctx, at)
	switch {
	case errors.Is(err, database.ErrNotFound):
		var final bool
		if answer, final, err = k.attempt(ctx, at, who, r, write); final {
			return answer, false, safeToRepeat(err)
		}
	case err != nil:
		return Answer{}, false, fmt.Errorf("looking for the Idempotency-Key: %w", err)
	case found.ExpiresAt.After(k.clock.Now()):
		answer, err = k.replay(ctx, at, who, r, found)

		return answer, err == nil, err
	}
	err = k.rows.db.InTx(ctx, func(ctx context.Context) (err error) {
		answer, kept, err = k.once(ctx, at, who, r, write)

		return err
	})

	return answer, kept, safeToRepeat(err)
}

// safeToRepeat has a caller repeat soon what may or may not have been done: with the key that is safe.
func safeToRepeat(err error) error {
	if unknown, ok := errors.AsType[*errs.Error](err); ok && errors.Is(err, database.ErrOutcomeUnknown) {
		return unknown.WithRetryAfter(time.Second)
	}

	return err
}

// attempt writes and keeps the answer, as if nobody else had the key and nothing failed: so there is nothing to wait for before the
// commit. What fails is not final: another replica may have the key after all, for which an attempt leaves time to find out, and a
// part that failed may be allowed to.
func (k *Keeper) attempt(
	ctx context.Context, at place, who principal.Principal, r Request, write func(context.Context) (Answer, error),
) (answer Answer, final bool, err error) {
	patient, cancel := k.rows.withPatience(database.InOne(ctx))
	defer cancel()
	err = k.rows.db.InTx(patient, func(ctx context.Context) (err error) {
		if answer, err = write(ctx); err != nil {
			return err
		}
		n, err := k.answered(ctx, at, r, answer)
		n.Fingerprint, n.Role, n.Scopes, n.ExpiresAt = r.Fingerprint, who.Role, strings.Join(who.Scopes, " "), k.clock.Now().Add(k.settings.Keep)
		if err == nil {
			err = k.rows.add(ctx, n)
		}

		return err
	})
	if err == nil {
		return answer, true, nil
	}

	return Answer{}, ctx.Err() != nil || patient.Err() == nil && errors.Is(err, database.ErrOutcomeUnknown), err
}

// rowID is the id of the row for a key of a principal: of a person, or of the token that a program
// shows. 128 bits of a hash do not meet by chance.
func rowID(who principal.Principal, key string) uuid.UUID {
	whose := who.User
	if whose == uuid.Nil {
		whose = who.Token
	}
	hash := sha256.Sum256([]byte(string(who.Kind) + "\x00" + string(whose[:]) + key))

	return uuid.UUID(hash[:16])
}

// once is Once inside the transaction.
func (k *Keeper) once(
	ctx context.Context, at place, who principal.Principal, r Request, write func(context.Context) (Answer, error),
) (answer Answer, kept bool, err error) {
	found, err := k.claim(ctx, at, who, r)
	switch {
	case errors.Is(err, ErrInProgress): // on another replica
		return Answer{}, false, err
	case err != nil:
		return Answer{}, false, fmt.Errorf("claiming the Idempotency-Key: %w", err)
	case found != nil:
		answer, err = k.replay(ctx, at, who, r, *found)

		return answer, err == nil, err
	}
	if answer, err = write(ctx); err != nil {
		return Answer{}, false, err
	}

	return answer, false, k.saveAnswer(ctx, at, r, answer)
}

// claim makes the row of the key, and returns it if it was there. It waits for a transaction that
// makes the same row.
func (k *Keeper) claim(ctx context.Context, at place, who principal.Principal, r Request) (*row, error) {
	const tries = 5 // rows that expire, or are purged, in between
	for range tries {
		now := k.clock.Now()
		fresh := row{
			place: at, Fingerprint: r.Fingerprint, Role: who.Role, Scopes: strings.Join(who.Scopes, " "), ExpiresAt: now.Add(k.settings.Keep),
		}
		claimed, err := k.rows.insert(ctx, fresh)
		if claimed || err != nil {
			return nil, err
		}
		found, err := k.rows.find(ctx, at)
		if err != nil && !errors.Is(err, database.ErrNotFound) {
			return nil, err
		}
		if err == nil && found.ExpiresAt.After(now) {
			return &found, nil
		}
		claimed, err = k.rows.renew(ctx, fresh, now)
		if claimed || err != nil {
			return nil, err
		}
	}

	return nil, errRestless
}

// replay returns the answer in a row, if it is that of the same request and shows nothing that the caller
// may not see: a person may show another token by now, or have another role.
func (k *Keeper) replay(ctx context.Context, at place, who principal.Principal, r Request, found row) (Answer, error) {
	if !bytes.Equal(found.Fingerprint, r.Fingerprint) {
		return Answer{}, ErrReused
	}
	if found.Role != who.Role || !identity.Covers(who.Scopes, strings.Fields(found.Scopes)) {
		return Answer{}, ErrExceeds
	}
	text := found.Answer
	if found.Sealed {
		var err error
		if text, err = k.keys.Open(ctx, at.secret(), text); err != nil {
			return Answer{}, fmt.Errorf("stored answer of an Idempotency-Key: %w", err)
		}
	}

	return decode(found.Status, text)
}

// saveAnswer puts the answer into the row of the key.
func (k *Keeper) saveAnswer(ctx context.Context, at place, r Request, answer Answer) error {
	n, err := k.answered(ctx, at, r, answer)
	if err == nil {
		err = k.rows.answer(ctx, n)
	}
	if err != nil {
		return fmt.Errorf("storing the answer of an Idempotency-Key: %w", err)
	}

	return nil
}

// answered is the part of a row that has the answer.
func (k *Keeper) answered(ctx context.Context, at place, r Request, answer Answer) (row, error) {
	text, err := answer.encode()
	if err == nil && r.Secret {
		text, err = k.keys.Seal(ctx, at.secret(), text)
	}

	return row{place: at, Status: answer.Status, Sealed: r.Secret, Answer: text}, err
}
