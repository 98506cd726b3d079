// Package passwords checks new passwords, hashes them, and compares passwords with hashes.
package passwords

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"sync/atomic"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/errs"
)

// What a hash costs: OWASP's first choice for argon2id,
// https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html.
const (
	hashMemory = 19 << 10 // KiB
	hashPasses = 2
	hashLanes  = 1
	saltLength = 16
	keyLength  = 32
)

// The lengths of a password, in characters. There are no rules of composition (NIST SP 800-63B,
// 5.1.1.2), but a few passwords are refused that are guessed first.
const (
	minPassword = 12
	maxPassword = 128
	minDistinct = 5
)

// ErrWeak refuses a password that is too short, or guessed first.
var ErrWeak = errs.New(errs.Invalid, "companies.weak_password", "The given data was invalid.")

// Hasher hashes passwords, a few at a time, so that the memory that this takes is bounded.
type Hasher struct {
	turns chan struct{}
	// hashed counts hashes: each leaves 19 MiB of garbage, which the collector would let grow to several times
	// what the service needs otherwise.
	hashed atomic.Int64
	// decoy is what the password for an account that does not exist is compared with.
	decoy hashParameters
}

// hashParameters is what a hash is made with.
type hashParameters struct {
	params argon2id.Params
	salt   string
}

// New returns a hasher that makes so many hashes at a time.
func New(atOnce int) *Hasher {
	return &Hasher{turns: make(chan struct{}, atOnce), decoy: freshSalt()}
}

func freshSalt() hashParameters {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails, see its documentation

	return hashParameters{
		params: argon2id.Params{
			Memory: hashMemory, Iterations: hashPasses, Parallelism: hashLanes, SaltLength: saltLength, KeyLength: keyLength,
		},
		salt: string(salt),
	}
}

// Hash returns the hash of a password in PHC form. It has the salt of one of the others, the hashes
// of the same person in other companies: so a login is one hash, however many companies the person
// is in, and the time that it takes tells nothing.
func (p *Hasher) Hash(ctx context.Context, password string, others []string) (string, error) {
	with := freshSalt()
	for _, other := range others {
		if same, _, err := parseHash(other); err == nil && same.params == with.params {
			with = same

			break
		}
	}
	key, err := p.key(ctx, password, with)
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString

	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		with.params.Memory, with.params.Iterations, with.params.Parallelism, encode([]byte(with.salt)), encode(key)), nil
}

// Match says of each hash whether it is that of the password. Without any it takes as long as with
// one.
func (p *Hasher) Match(ctx context.Context, password string, hashes []string) ([]bool, error) {
	keys := map[hashParameters][]byte{}
	matches := make([]bool, len(hashes))
	for i, hash := range hashes {
		with, want, err := parseHash(hash)
		if err != nil {
			return nil, fmt.Errorf("hash of a password: %w", err)
		}
		key, known := keys[with]
		if !known {
			if key, err = p.key(ctx, password, with); err != nil {
				return nil, err
			}
			keys[with] = key
		}
		matches[i] = subtle.ConstantTimeCompare(key, want) == 1
	}
	if len(hashes) == 0 {
		_, err := p.key(ctx, password, p.decoy)

		return nil, err
	}

	return matches, nil
}

func parseHash(hash string) (hashParameters, []byte, error) {
	params, salt, key, err := argon2id.DecodeHash(hash)
	if err != nil {
		return hashParameters{}, nil, err
	}

	return hashParameters{params: *params, salt: string(salt)}, key, nil
}

// key computes argon2id when it is the caller's turn.
func (p *Hasher) key(ctx context.Context, password string, with hashParameters) ([]byte, error) {
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a turn to hash a password: %w", ctx.Err())
	}
	defer func() { <-p.turns }()
	defer p.collect()

	return argon2.IDKey([]byte(norm.NFKC.String(password)), []byte(with.salt),
		with.params.Iterations, with.params.Memory, with.params.Parallelism, with.params.KeyLength), nil
}

// collect frees what hashes have left, once as many are done as run at the same time. It is within the turn of
// a hash, so that memory is bounded by the number of turns however many people log in.
func (p *Hasher) collect() {
	if p.hashed.Add(1)%int64(cap(p.turns)) == 0 {
		runtime.GC()
	}
}

// Check says what is wrong with a password for the field of that name; known is what
// everybody knows of the person.
func Check(field, password string, known ...string) error {
	normal := norm.NFKC.String(password)
	length := utf8.RuneCountInString(normal)
	refuse := func(text string) *errs.Error { return ErrWeak.WithField(field, text) }
	switch {
	case length < minPassword:
		return refuse(fmt.Sprintf("The password must have at least %d characters.", minPassword))
	case length > maxPassword:
		return refuse(fmt.Sprintf("The password must have at most %d characters.", maxPassword))
	case countDistinct(normal) < minDistinct:
		return refuse(fmt.Sprintf("The password must have at least %d different characters.", minDistinct))
	}
	for i, k := range known {
		known[i] = norm.NFKC.String(k)
	}
	guessed, err := guessedFirst(normal, known)
	if err != nil {
		return fmt.Errorf("common passwords: %w", err)
	}
	if guessed {
		return refuse("The password is too easy to guess: it is common, or made of the name, e-mail address or " +
			"company. Use a sentence of a few words.")
	}

	return nil
}

func countDistinct(text string) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}

	return len(seen)
}
