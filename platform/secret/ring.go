package secret

import (
	"crypto/rand"
	"encoding/binary"
	"slices"
	"time"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/aesgcm"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// ring are the keys once they are read. It is not changed, but replaced.
type ring struct {
	masters []master
	ids     []uint32 // of the masters
	// envelopes are what each key encrypts values with, data keys and masters, by id.
	envelopes map[uint32]tink.AEAD
	// primary is the id of the key that new values are encrypted under.
	primary uint32
	data    []dataKey
	// missing names the masters that would open data keys which this process cannot read.
	missing []string
	// readAt is when the data keys were read; zero if they were not.
	readAt time.Time
}

// dataKey is a key of values.
type dataKey struct {
	id          uint32
	key         []byte
	createdAt   time.Time
	primaryFrom time.Time
}

// newRing makes the ring of the master keys alone, with the first in use.
func newRing(masters []master) (*ring, error) {
	r := &ring{masters: masters, envelopes: map[uint32]tink.AEAD{}}
	for _, m := range masters {
		id, err := m.id()
		if err != nil {
			return nil, err
		}
		key, err := m.derive("encrypt keys", keySize)
		if err != nil {
			return nil, err
		}
		if r.envelopes[id], err = newEnvelope(id, key); err != nil {
			return nil, err
		}
		r.ids = append(r.ids, id)
	}
	r.primary = r.ids[0]

	return r, nil
}

// withDataKeys returns the ring with these data keys, as it is at a time. The primary key is the data key that
// became so last; without one it is the first master.
func (r *ring) withDataKeys(data []dataKey, now time.Time) (*ring, error) {
	next, err := newRing(r.masters)
	if err != nil {
		return nil, err
	}
	next.data, next.readAt = data, now
	var newest time.Time
	for _, k := range data {
		if next.envelopes[k.id], err = newEnvelope(k.id, k.key); err != nil {
			return nil, err
		}
		if !k.primaryFrom.After(now) && !k.primaryFrom.Before(newest) {
			newest, next.primary = k.primaryFrom, k.id
		}
	}

	return next, nil
}

func (r *ring) hasMaster(id int64) bool {
	return slices.ContainsFunc(r.ids, func(mine uint32) bool { return int64(mine) == id })
}

// newKeyID is an id that the ring does not have.
func (r *ring) newKeyID() uint32 {
	for {
		var random [4]byte
		_, _ = rand.Read(random[:]) // never fails, see its documentation
		id := binary.BigEndian.Uint32(random[:])
		if _, taken := r.envelopes[id]; id != 0 && !taken {
			return id
		}
	}
}

// newEnvelope encrypts each value under a key of its own, and that under AES-256-GCM with this one.
func newEnvelope(id uint32, key []byte) (tink.AEAD, error) {
	parameters, err := aesgcm.NewParameters(aesgcm.ParametersOpts{
		KeySizeInBytes: keySize, IVSizeInBytes: 12, TagSizeInBytes: 16, Variant: aesgcm.VariantTink,
	})
	if err != nil {
		return nil, err
	}
	typed, err := aesgcm.NewKey(secretdata.NewBytesFromData(key, insecuresecretdataaccess.Token{}), id, parameters)
	if err != nil {
		return nil, err
	}
	manager := keyset.NewManager()
	if _, err := manager.AddKey(typed); err != nil {
		return nil, err
	}
	if err := manager.SetPrimary(id); err != nil {
		return nil, err
	}
	handle, err := manager.Handle()
	if err != nil {
		return nil, err
	}
	keys, err := aead.New(handle)
	if err != nil {
		return nil, err
	}

	return aead.NewKMSEnvelopeAEAD2(aead.AES256GCMKeyTemplate(), keys), nil
}

// wrapping encrypts data keys under the master.
func (m master) wrapping() (tink.AEAD, error) {
	id, err := m.id()
	if err != nil {
		return nil, err
	}
	key, err := m.derive("wrap data keys", keySize)
	if err != nil {
		return nil, err
	}

	return newEnvelope(id, key)
}

// wrapPlace is what a wrapped data key is bound to.
func wrapPlace(id uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte("secret_wraps\x00"), id)
}
