// Package secret encrypts what is stored, and derives the keys that other packages need, from one
// master key.
//
// It is envelope encryption (Tink): each value is encrypted under a key of its own, which is stored
// beside it, encrypted under a data key; data keys are in the database, encrypted under the master
// key. A value is bound to its place, so that it cannot be moved to another row, column or company:
//
//	sealed, err := keys.Seal(ctx, secret.Place{Table: "sms_accounts", Column: "password", Company: company, ID: id}, []byte(password))
//
// Data keys and the master key change while values are there, see Rotation; an area declares the
// columns in which it keeps sealed values:
//
//	secret.Column("sms_accounts", "password")
package secret

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

const (
	// version is the first byte of what Seal returns; the id of the key follows.
	version    = 1
	headerSize = 1 + 4
	// derivedSize is the size in bytes of what Derive returns.
	derivedSize = 32
)

var (
	// ErrUnreadable says that a value was not encrypted under any of the keys, was changed, or stands
	// in another place than it was encrypted for.
	ErrUnreadable = errors.New("secret: the value cannot be decrypted")

	errNotStarted = errors.New("secret: not started")
	errNoKey      = errors.New(`no master key, which PostgreSQL needs: print one with "dispatchd secret new", keep a copy of it, and ` +
		"set secret.key (environment: DISPATCHD_SECRET__KEY), to the key or to file:/path, the same on every replica")
)

// Place is where a value stands.
type Place struct {
	Table, Column string
	// Company is uuid.Nil where the row is nobody's.
	Company uuid.UUID
	// ID is the id of the row.
	ID uuid.UUID
}

// associated returns the place as bytes, no two places alike: names of tables and columns hold no
// zero byte.
func (p Place) associated() []byte {
	data := append([]byte(p.Table), 0)
	data = append(append(data, p.Column...), 0)

	return append(append(data, p.Company[:]...), p.ID[:]...)
}

// Keys encrypts and derives. It may be used from several goroutines, after Start.
type Keys struct {
	settings Settings
	file     string
	clock    clock.Clock
	ring     atomic.Pointer[ring]
	// db has the data keys, after Load; nil before.
	db      atomic.Pointer[database.DB]
	fresh   atomic.Bool // the database was never used with a master key
	stale   atomic.Bool // somebody said that the data keys have changed
	reading atomic.Bool
}

// New returns keys that are not read yet; it does no I/O. file is where the master key is kept if
// the settings have none; "" means that they must have one.
func New(s Settings, file string) *Keys { return &Keys{settings: s, file: file, clock: clock.System{}} }

// UseClock sets the clock, before Start.
func (k *Keys) UseClock(c clock.Clock) { k.clock = c }

// Start reads the master key, and makes it if there is none and there may be a file of it.
func (k *Keys) Start(context.Context) error { return k.load() }

// Check reports what Start would refuse. Where Start would make a key, it does nothing.
func (k *Keys) Check() error {
	if k.settings.Key == "" && k.file != "" {
		if _, err := os.Stat(k.file); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}

	return k.load()
}

func (k *Keys) load() error {
	text := k.settings.Key.Reveal()
	if text == "" && k.file == "" {
		return errNoKey
	}
	if text == "" {
		var err error
		if text, err = fromFile(k.file); err != nil {
			return err
		}
	}
	masters, err := parseMasters(text)
	if err != nil && k.settings.Key == "" {
		return fmt.Errorf("%s: %w", k.file, err)
	}
	if err != nil {
		return fmt.Errorf("secret.key: %w", err)
	}
	former, err := k.settings.former(masters)
	if err != nil {
		return fmt.Errorf("secret.previous_keys: %w", err)
	}
	masters = append(masters, former...)
	r, err := newRing(masters)
	if err != nil {
		return fmt.Errorf("secret.key: %w", err)
	}
	k.ring.Store(r)

	return nil
}

// Seal encrypts a value for its place. The result is about 130 bytes longer, and goes into a column of
// type bytea that is declared by Column. Now and then it reads the data keys, in the transaction of
// ctx if there is one.
func (k *Keys) Seal(ctx context.Context, at Place, value []byte) ([]byte, error) {
	r, err := k.forWriting(ctx)
	if err != nil {
		return nil, err
	}
	sealed, err := r.envelopes[r.primary].Encrypt(value, at.associated())
	if err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}

	return slices.Concat(keyHeader(r.primary), sealed), nil
}

// Open returns what was sealed for the place. Errors: ErrUnreadable, and those of a database that is
// asked for a key which this process has not seen yet.
func (k *Keys) Open(ctx context.Context, at Place, sealed []byte) ([]byte, error) {
	id, ok := keyOf(sealed)
	r := k.ring.Load()
	if r == nil {
		return nil, errNotStarted
	}
	if !ok {
		return nil, ErrUnreadable
	}
	if _, known := r.envelopes[id]; !known && k.db.Load() != nil {
		if err := k.refresh(ctx); err != nil {
			return nil, err
		}
		r = k.ring.Load()
	}
	envelope, known := r.envelopes[id]
	if !known {
		return nil, ErrUnreadable
	}
	value, err := envelope.Decrypt(sealed[headerSize:], at.associated())
	if err != nil {
		return nil, ErrUnreadable
	}

	return value, nil
}

func keyHeader(id uint32) []byte { return binary.BigEndian.AppendUint32([]byte{version}, id) }

// keyOf returns the id of the key that a value was sealed under; false if it is not sealed.
func keyOf(sealed []byte) (uint32, bool) {
	if len(sealed) < headerSize || sealed[0] != version {
		return 0, false
	}

	return binary.BigEndian.Uint32(sealed[1:headerSize]), true
}

// Derive returns 32 bytes, the key for a purpose of the caller's ("<area>.<what>"), the same on every
// replica. It changes with the master key: who must understand what was made before uses DeriveAll.
func (k *Keys) Derive(purpose string) ([]byte, error) {
	all, err := k.DeriveAll(purpose)
	if err != nil {
		return nil, err
	}

	return all[0], nil
}

// DeriveAll is Derive for the master key in use, which comes first, and for each former one.
func (k *Keys) DeriveAll(purpose string) ([][]byte, error) {
	r := k.ring.Load()
	if r == nil {
		return nil, errNotStarted
	}
	all := make([][]byte, 0, len(r.masters))
	for _, m := range r.masters {
		key, err := m.derive("derived/"+purpose, derivedSize)
		if err != nil {
			return nil, err
		}
		all = append(all, key)
	}

	return all, nil
}
