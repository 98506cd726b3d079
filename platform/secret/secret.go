// Package secret encrypts what is stored, and derives the keys that other packages need, from one
// master key.
//
// It is envelope encryption (Tink): each value is encrypted under a key of its own, which is stored
// beside it, encrypted under a key that derives from the master key. A value is bound to its place,
// so that it cannot be moved to another row, column or company:
//
//	sealed, err := keys.Encrypt([]byte(password), secret.Place{Table: "sms_accounts", Column: "password", Company: company, ID: id})
//
// To change the master key, put a new one in front of it. The old one still decrypts; Outdated finds
// what is to be encrypted again before it can go.
package secret

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/google/uuid"
)

const (
	// version is the first byte of what Encrypt returns; the id of the master key follows.
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
	ring     atomic.Pointer[ring]
}

// New returns keys that are not read yet; it does no I/O. file is where the master key is kept if
// the settings have none; "" means that they must have one.
func New(s Settings, file string) *Keys { return &Keys{settings: s, file: file} }

// Start reads the master key, and makes it if there is none and there may be a file of it.
func (k *Keys) Start(context.Context) error {
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
	r, err := newRing(masters)
	if err != nil {
		return fmt.Errorf("secret.key: %w", err)
	}
	k.ring.Store(r)

	return nil
}

// Encrypt encrypts a value for its place. The result is about 130 bytes longer.
func (k *Keys) Encrypt(value []byte, at Place) ([]byte, error) {
	r := k.ring.Load()
	if r == nil {
		return nil, errNotStarted
	}
	sealed, err := r.envelope.Encrypt(value, at.associated())
	if err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}

	return append(binary.BigEndian.AppendUint32([]byte{version}, r.ids[0]), sealed...), nil
}

// Decrypt returns what was encrypted for the place. Errors: ErrUnreadable.
func (k *Keys) Decrypt(sealed []byte, at Place) ([]byte, error) {
	r := k.ring.Load()
	if r == nil {
		return nil, errNotStarted
	}
	if len(sealed) < headerSize || sealed[0] != version {
		return nil, ErrUnreadable
	}
	value, err := r.envelope.Decrypt(sealed[headerSize:], at.associated())
	if err != nil {
		return nil, ErrUnreadable
	}

	return value, nil
}

// Outdated reports whether a value was not encrypted under the key in use: decrypt and encrypt it
// again before the former key goes.
func (k *Keys) Outdated(sealed []byte) bool {
	r := k.ring.Load()

	return r == nil || len(sealed) < headerSize || sealed[0] != version ||
		binary.BigEndian.Uint32(sealed[1:]) != r.ids[0]
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
