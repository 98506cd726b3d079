package identity

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

const (
	// freeAttempts is how many attempts to log in may fail before the account is locked.
	freeAttempts = 5
	// firstLock is for how long it is locked then; each further failure doubles that, up to lastLock.
	firstLock = time.Minute
	lastLock  = time.Hour
	// attemptsLife is after how long without an attempt the failures are forgotten.
	attemptsLife = 24 * time.Hour
	// maxAccounts is in how many companies one address may log in.
	maxAccounts = 100
)

// Account is what somebody wants to log in to: an address in one company or, where Company is
// uuid.Nil, wherever the password is right. It may or may not exist.
type Account struct {
	Email   string
	Company uuid.UUID
}

// key is what attempts are counted by: it does not tell the address.
func (a Account) key() digest {
	return sha256.Sum256([]byte(strings.ToLower(a.Email) + "\x00" + a.Company.String()))
}

// Attempt is that somebody has tried to log in.
type Attempt struct {
	// Wait is for how long nobody can log in to the account; zero if the attempt may go on.
	Wait time.Duration
	// Locks is for how long the account is locked if this attempt fails, zero if it is not.
	Locks time.Duration
}

// CountAttempt counts an attempt to log in before the password is looked at, so that of attempts at
// the same time none is free. Whether the account exists makes no difference. An attempt that may not
// go on is not counted. A login calls ForgetAttempts.
func (s *Service) CountAttempt(ctx context.Context, a Account) (made Attempt, err error) {
	now := s.clock.Now()
	err = s.bookkeeping(ctx, func(ctx context.Context) error {
		known, err := s.rows.attempts(ctx, a.key(), now)
		if err != nil {
			return err
		}
		var next attempts
		if next, made = known.next(now); made.Wait > 0 {
			return nil
		}

		return s.rows.keepAttempts(ctx, a.key(), next)
	})
	if err != nil {
		return Attempt{}, fmt.Errorf("attempts to log in: %w", err)
	}

	return made, nil
}

// ForgetAttempts ends the lock of an account, and counts anew.
func (s *Service) ForgetAttempts(ctx context.Context, a Account) error {
	return s.bookkeeping(ctx, func(ctx context.Context) error { return s.rows.forgetAttempts(ctx, a.key()) })
}

// bookkeeping runs do in a transaction that is no write of a call: what the call did is recorded
// apart.
func (s *Service) bookkeeping(ctx context.Context, do func(context.Context) error) error {
	return s.db.InTx(telemetry.WithOperation(ctx, telemetry.Operation{}), do)
}

// DropAttempts removes what counts no more.
func (s *Service) DropAttempts(ctx context.Context) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		return s.rows.dropAttempts(ctx, s.clock.Now().Add(-attemptsLife))
	})
}

// attempts is what is known of the attempts to log in to an account.
type attempts struct {
	failures    int64
	lockedUntil time.Time
	last        time.Time
}

// next returns what is known after one more attempt, which is taken to fail.
func (a attempts) next(now time.Time) (attempts, Attempt) {
	if wait := a.lockedUntil.Sub(now); wait > 0 {
		return a, Attempt{Wait: wait}
	}
	if now.Sub(a.last) >= attemptsLife {
		a.failures = 0
	}
	a.failures, a.last, a.lockedUntil = a.failures+1, now, time.Time{}
	lock := lockAfter(a.failures)
	if lock > 0 {
		a.lockedUntil = now.Add(lock)
	}

	return a, Attempt{Locks: lock}
}

// lockAfter is for how long an account is locked after so many failures.
func lockAfter(failures int64) time.Duration {
	switch over := failures - freeAttempts; {
	case over < 0:
		return 0
	case over >= 6: // 64 minutes
		return lastLock
	default:
		return firstLock << over
	}
}
