// Package onetimecode proves that somebody is reached by a phone or an e-mail: with six digits that are sent there, and asked for.
//
//	code, text, err := codes.Issue(ctx, onetimecode.Request{Purpose: identity, Subject: carrier, Channel: notify.SMS, To: phone})
//	err := codes.Redeem(ctx, identity, carrier, typed, func(ctx context.Context, c onetimecode.Code) error { … })
//
// A code is good for ten minutes and five tries, and a newer one for the same purpose and subject takes its place. Only an HMAC of it is
// stored. Issue is throttled by subject and by company.
//
// It owns the table onetimecode_codes, rows of companies.
package onetimecode

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/secret"
)

const (
	// Life is how long a code is valid.
	Life = 10 * time.Minute
	// Tries is how many attempts a code has.
	Tries = 5

	// A subject gets so many codes in an hour and in a day, a company so many in an hour. Five tries of ten codes a day guess one of a
	// million codes once in 55 years.
	perHour, perDay, perCompany = 5, 10, 200

	keyPurpose = "onetimecode"
)

// The failures of codes.
var (
	ErrTooMany = errs.New(errs.TooMany, "onetimecode.too_many", "Too many codes were asked for.")
	ErrWrong   = errs.New(errs.Invalid, "onetimecode.wrong", "The code is wrong. Check it and try again.")
	ErrNone    = errs.New(errs.Conflict, "onetimecode.none", "There is no code that can be used: it was used, has expired, or was tried too often. Ask for a new one.")
)

// RedeemErrors are the failures of Redeem, for the documentation of an operation.
var RedeemErrors = []*errs.Error{ErrWrong, ErrNone}

// Purpose names what codes are for, as "<area>.<what>".
type Purpose string

// Request is what a code is issued for.
type Request struct {
	Purpose Purpose
	Subject item.Ref
	// Channel and To say where it goes.
	Channel, To string
}

// Code is a code without its text.
type Code struct {
	ID          uuid.UUID
	Channel, To string
	// Tries is how often it was typed.
	Tries                int64
	CreatedAt, ExpiresAt time.Time
}

// Service issues and redeems codes. It may be used from several goroutines.
type Service struct {
	db    *database.DB
	rows  repository
	keys  *secret.Keys
	clock clock.Clock
}

// New returns a service.
func New(db *database.DB, keys *secret.Keys, c clock.Clock) *Service {
	return &Service{db: db, rows: repository{db}, keys: keys, clock: c}
}

// Issue makes a code of the caller's company, in the caller's transaction, and ends those before it. The text, the second result, is for
// the channel alone. Errors: ErrTooMany.
func (s *Service) Issue(ctx context.Context, r Request) (code Code, text secret.Text, err error) {
	now := s.clock.Now()
	digits, err := newDigits()
	if err != nil {
		return code, text, err
	}
	keys, err := s.keys.DeriveAll(keyPurpose)
	if err != nil {
		return code, text, err
	}
	made := row{
		ID: database.NewID(), Purpose: r.Purpose, SubjectType: r.Subject.Type, SubjectID: r.Subject.UUID, Channel: r.Channel, Recipient: r.To,
		CreatedAt: now, ExpiresAt: now.Add(Life),
	}
	made.Hash = made.digest(keys[0], digits)
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.throttle(ctx, r, now); err != nil {
			return err
		}
		if err := s.rows.end(ctx, r.Purpose, r.Subject, now); err != nil {
			return err
		}

		return s.rows.create(ctx, &made)
	})

	return made.code(), secret.Hide(digits), err
}

func (s *Service) throttle(ctx context.Context, r Request, now time.Time) error {
	hour, day := now.Add(-time.Hour), now.Add(-24*time.Hour)
	for _, q := range []struct {
		of    *item.Ref
		since time.Time
		most  int64
	}{{&r.Subject, hour, perHour}, {&r.Subject, day, perDay}, {nil, hour, perCompany}} {
		n, oldest, err := s.rows.issued(ctx, r.Purpose, q.of, q.since)
		if err != nil {
			return err
		}
		if n >= q.most {
			return ErrTooMany.WithRetryAfter(max(time.Second, oldest.Sub(q.since)))
		}
	}

	return nil
}

// Current returns the code that can be redeemed, without its text. Errors: ErrNone.
func (s *Service) Current(ctx context.Context, p Purpose, about item.Ref) (Code, error) {
	found, err := s.rows.last(ctx, p, about)
	if err == nil && !found.usable(s.clock.Now()) {
		err = ErrNone
	}

	return found.code(), err
}

// Redeem ends a code of the caller's company that was typed, and calls do in the same transaction; if that fails, the code stays
// good. It is not called in a transaction, which would take a wrong try back. Errors: ErrWrong, whose detail tries_left says how many
// are left, ErrNone, and those of do.
func (s *Service) Redeem(ctx context.Context, p Purpose, about item.Ref, typed string, do func(ctx context.Context, c Code) error) error {
	now := s.clock.Now()
	var found row
	err := s.db.InTx(ctx, func(ctx context.Context) (err error) {
		if err = s.rows.try(ctx, p, about, now); err == nil {
			found, err = s.rows.last(ctx, p, about)
		}

		return err
	})
	if err != nil {
		return err
	}
	right, err := s.matches(found, typed)
	if err != nil {
		return err
	}
	if !right {
		return ErrWrong.WithField("code", "The code is wrong.").WithDetail("tries_left", Tries-found.Tries)
	}

	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.rows.redeem(ctx, found.ID, now); err != nil {
			return err
		}

		return do(ctx, found.code())
	})
}

// matches compares in constant time, with the keys derived from former master keys too.
func (s *Service) matches(found row, typed string) (bool, error) {
	keys, err := s.keys.DeriveAll(keyPurpose)
	if err != nil {
		return false, err
	}
	typed = strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(typed))
	right := false
	for _, key := range keys {
		right = hmac.Equal(found.digest(key, typed), found.Hash) || right
	}

	return right, nil
}

// newDigits returns six random digits.
func newDigits() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000)) //nolint:mnd // six digits
	if err != nil {
		return "", err
	}

	return fmt.Sprintf("%06d", n), nil
}

// digest is what is stored of a code: nothing that fits another code, another subject or another company.
func (r row) digest(key []byte, digits string) []byte {
	sum := hmac.New(sha256.New, key)
	sum.Write(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s\x00%s", r.ID, r.Purpose, r.SubjectType, r.SubjectID, digits))

	return sum.Sum(nil)
}

// IsNone reports whether an error says that there is no code to redeem.
func IsNone(err error) bool { return errors.Is(err, ErrNone) }
