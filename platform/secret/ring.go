package secret

import (
	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/aesgcm"
	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/secretdata"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// ring are the keys once they are read.
type ring struct {
	masters  []master
	ids      []uint32
	envelope tink.AEAD
}

// newRing makes the ring of the master keys, with the first in use.
func newRing(masters []master) (*ring, error) {
	r := &ring{masters: masters}
	manager := keyset.NewManager()
	for _, m := range masters {
		key, err := m.encrypting()
		if err != nil {
			return nil, err
		}
		id, err := manager.AddKey(key)
		if err != nil {
			return nil, err
		}
		r.ids = append(r.ids, id)
	}
	if err := manager.SetPrimary(r.ids[0]); err != nil {
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
	r.envelope = aead.NewKMSEnvelopeAEAD2(aead.AES256GCMKeyTemplate(), keys)

	return r, nil
}

// encrypting returns the key that encrypts the keys of values: AES-256-GCM, with the master's id.
func (m master) encrypting() (*aesgcm.Key, error) {
	parameters, err := aesgcm.NewParameters(aesgcm.ParametersOpts{
		KeySizeInBytes: keySize, IVSizeInBytes: 12, TagSizeInBytes: 16, Variant: aesgcm.VariantTink,
	})
	if err != nil {
		return nil, err
	}
	id, err := m.id()
	if err != nil {
		return nil, err
	}
	key, err := m.derive("encrypt keys", keySize)
	if err != nil {
		return nil, err
	}

	return aesgcm.NewKey(secretdata.NewBytesFromData(key, insecuresecretdataaccess.Token{}), id, parameters)
}
