package identity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/telemetry"
)

const (
	// freeAttempts is how many attempts may fail in one place before it is locked out; freeAnywhere is the
	// same for all places together from which the account was never entered.
	freeAttempts = 5
	freeAnywhere = 50
	// firstLock is for how long it is locked then; each further failure doubles that, up to lastLock.
	firstLock = time.Minute
	lastLock  = time.Hour
	// attemptsLife is after how long without an attempt the failures are forgotten.
	attemptsLife = 24 * time.Hour
	// trustLife is for how long after a login its network stays trusted.
	trustLife = 90 * 24 * time.Hour
	// maxAccounts is in how many companies one address may log in.
	maxAccounts = 100
)

// Account is what somebody wants to log in to: an address in one company or, where Company is
// uuid.Nil, wherever the password is right. It may or may not exist.
type Account struct {
	Email   string
	Company uuid.UUID
}

// attemptNetwork is where an attempt comes from: an IPv4 address, or the /64 of an IPv6 address, which is what
// one customer of a provider has. Attempts without an address count as one network.
func attemptNetwork(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}

	return netip.PrefixFrom(ip, 64).Masked().String()
}

// attemptKey is what attempts are counted by. It tells neither the address nor the account.
func attemptKey(kind string, parts ...string) digest {
	return sha256.Sum256([]byte(kind + "\x00" + strings.Join(parts, "\x00")))
}

// A failed login counts for the account at its network and, unless the account was entered from there before,
// for the account anywhere: whichever company is asked for, since one guess is good for all.
func (a Account) hereKey(network string) digest {
	return attemptKey("here", strings.ToLower(a.Email), network)
}

func (a Account) anywhereKey() digest { return attemptKey("anywhere", strings.ToLower(a.Email)) }

func (a Account) trustedKey(network string) digest {
	return attemptKey("trusted", strings.ToLower(a.Email), a.Company.String(), network)
}

// Attempt is that somebody has tried to show a password.
type Attempt struct {
	// Wait is for how long the password is not looked at; zero if the attempt may go on.
	Wait time.Duration
	// Locks is for how long further attempts are locked out if this one fails, zero if they are not.
	Locks time.Duration

	counted []counter
}

// counter is a key under which attempts are counted, how many may fail, and how many did with this one.
type counter struct {
	key            digest
	free, failures int64
}

// CountLogin counts an attempt to log in from an IP address before the password is looked at, so that of
// attempts at the same time none is free. Whether the account exists makes no difference. An attempt that
// may not go on is not counted.
//
// A stranger who guesses locks out the network that the guesses come from. Only after many more, from
// several networks, is the account locked to all networks but those from which it was entered in the last
// 90 days. A login calls LoginProved.
func (s *Service) CountLogin(ctx context.Context, a Account, address string) (made Attempt, err error) {
	err = s.bookkeeping(ctx, func(ctx context.Context) error {
		from := attemptNetwork(address)
		counters := []counter{{key: a.hereKey(from), free: freeAttempts}}
		trusted, err := s.rows.trusted(ctx, a.trustedKey(from), s.clock.Now())
		if err != nil {
			return err
		}
		if !trusted {
			counters = append(counters, counter{key: a.anywhereKey(), free: freeAnywhere})
		}
		made, err = s.count(ctx, counters)

		return err
	})
	if err != nil {
		return Attempt{}, fmt.Errorf("attempts to log in: %w", err)
	}

	return made, nil
}

// CountPassword counts an attempt of a user, who is logged in, to show the password once more. Nobody who
// cannot show a token of the user gets this far, so strangers lock nobody out. Who showed the right one calls
// ForgetAttempt.
func (s *Service) CountPassword(ctx context.Context, user uuid.UUID) (made Attempt, err error) {
	err = s.bookkeeping(ctx, func(ctx context.Context) error {
		made, err = s.count(ctx, []counter{{key: attemptKey("user", user.String()), free: freeAttempts}})

		return err
	})
	if err != nil {
		return Attempt{}, fmt.Errorf("attempts to show a password: %w", err)
	}

	return made, nil
}

// count counts an attempt under each key, or under none if one of them is locked.
func (s *Service) count(ctx context.Context, counters []counter) (made Attempt, err error) {
	now := s.clock.Now()
	slices.SortFunc(counters, func(a, b counter) int { return bytes.Compare(a.key[:], b.key[:]) }) // rows are locked in one order
	next := make([]attempts, len(counters))
	for i, c := range counters {
		known, err := s.rows.attempts(ctx, c.key, now)
		if err != nil {
			return Attempt{}, err
		}
		var one Attempt
		next[i], one = known.next(now, c.free)
		made.Wait, made.Locks = max(made.Wait, one.Wait), max(made.Locks, one.Locks)
		counters[i].failures = next[i].failures
	}
	if made.Wait > 0 {
		return Attempt{Wait: made.Wait}, nil
	}
	for i, c := range counters {
		if err := s.rows.keepAttempts(ctx, c.key, next[i]); err != nil {
			return Attempt{}, err
		}
	}
	made.counted = counters

	return made, nil
}

// LoginProved records that the password of an attempt was right in the companies named. Their accounts trust
// the network of the address from then on. If everywhere says that it was right in all companies of the
// address, the failures so far are forgotten; else the attempt counts as none, so that nobody who has
// an account of the same address in another company gets to guess for longer.
func (s *Service) LoginProved(ctx context.Context, email, address string, made Attempt, in []uuid.UUID, everywhere bool) error {
	if everywhere {
		in = append(slices.Clone(in), uuid.Nil)
	}

	return s.bookkeeping(ctx, func(ctx context.Context) error {
		settle := s.rows.forgetAttempts
		if !everywhere {
			settle = s.undoAttempt
		}
		if err := settle(ctx, made.counted); err != nil {
			return err
		}
		for _, company := range in {
			if err := s.trust(ctx, Account{Email: email, Company: company}, address); err != nil {
				return err
			}
		}

		return nil
	})
}

// LetIn trusts the network of an address, from which a user has proved by a link who they are. If everywhere
// says that the account is the only one of the address, its failures there and at all networks together are
// forgotten too.
func (s *Service) LetIn(ctx context.Context, a Account, address string, everywhere bool) error {
	return s.bookkeeping(ctx, func(ctx context.Context) error {
		if err := s.trust(ctx, a, address); err != nil || !everywhere {
			return err
		}
		if err := s.trust(ctx, Account{Email: a.Email}, address); err != nil {
			return err
		}

		return s.rows.forgetAttempts(ctx, []counter{{key: a.hereKey(attemptNetwork(address))}, {key: a.anywhereKey()}})
	})
}

func (s *Service) trust(ctx context.Context, a Account, address string) error {
	now := s.clock.Now()

	return s.rows.trust(ctx, a.trustedKey(attemptNetwork(address)), now, now.Add(trustLife))
}

// ForgetAttempt forgets an attempt, and those that failed before it under the same keys.
func (s *Service) ForgetAttempt(ctx context.Context, made Attempt) error {
	return s.bookkeeping(ctx, func(ctx context.Context) error { return s.rows.forgetAttempts(ctx, made.counted) })
}

// undoAttempt takes back an attempt, and the lock that it began; a lock that others began since stays.
func (s *Service) undoAttempt(ctx context.Context, counted []counter) error {
	for _, c := range counted {
		known, err := s.rows.attempts(ctx, c.key, s.clock.Now())
		if err != nil {
			return err
		}
		if known.failures == c.failures {
			known.lockedUntil = time.Time{}
		}
		known.failures = max(known.failures-1, 0)
		if err := s.rows.keepAttempts(ctx, c.key, known); err != nil {
			return err
		}
	}

	return nil
}

// bookkeeping runs do in a transaction that is no write of a call: what the call did is recorded
// apart.
func (s *Service) bookkeeping(ctx context.Context, do func(context.Context) error) error {
	return s.db.InTx(telemetry.WithOperation(ctx, telemetry.Operation{}), do)
}

// DropAttempts removes what counts no more.
func (s *Service) DropAttempts(ctx context.Context) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		now := s.clock.Now()

		return s.rows.dropAttempts(ctx, now.Add(-attemptsLife), now)
	})
}

// attempts is what is known of the attempts under a key.
type attempts struct {
	failures    int64
	lockedUntil time.Time
	last        time.Time
}

// next returns what is known after one more attempt, which is taken to fail.
func (a attempts) next(now time.Time, free int64) (attempts, Attempt) {
	if wait := a.lockedUntil.Sub(now); wait > 0 {
		return a, Attempt{Wait: wait}
	}
	if now.Sub(a.last) >= attemptsLife {
		a.failures = 0
	}
	a.failures, a.last, a.lockedUntil = a.failures+1, now, time.Time{}
	lock := lockAfter(a.failures, free)
	if lock > 0 {
		a.lockedUntil = now.Add(lock)
	}

	return a, Attempt{Locks: lock}
}

// lockAfter is for how long attempts are locked out after so many failures.
func lockAfter(failures, free int64) time.Duration {
	switch over := failures - free; {
	case over < 0:
		return 0
	case over >= 6: // 64 minutes
		return lastLock
	default:
		return firstLock << over
	}
}
