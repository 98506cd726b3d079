package secret

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
)

const (
	// readEvery is after how long the data keys are read again before a value is sealed, and readFor for
	// how long they serve while another goroutine reads them.
	readEvery = time.Minute
	readFor   = 5 * time.Minute
	// spread is how long a new data key is known before values are sealed under it. It is longer than
	// readEvery, so that every process that seals has read it by then.
	spread = 2 * time.Minute
)

var errMissing = errors.New("a data key is encrypted under master keys that this process does not have")

// Load reads the data keys, and makes the first one. From then on, Seal uses them. Before, and where it
// is not called, values are sealed under the master key itself.
func (k *Keys) Load(ctx context.Context, db *database.DB) error {
	r := k.ring.Load()
	if r == nil {
		return errNotStarted
	}
	rows := repository{db: db}
	err := db.InTx(ctx, func(ctx context.Context) error {
		if err := rows.lock(ctx); err != nil {
			return err
		}
		data, missing, err := k.read(ctx, rows, r)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return missingMasters(missing)
		}
		if len(data) == 0 {
			from := k.clock.Now()
			if !k.fresh.Load() {
				from = from.Add(spread)
			}

			return k.create(ctx, rows, r, from)
		}

		return k.wrapMissing(ctx, rows, r, data)
	})
	if err != nil {
		return fmt.Errorf("loading the data keys: %w", err)
	}
	k.db.Store(db)

	return k.refresh(ctx)
}

// forWriting returns the keys, no older than they may be to seal under them.
func (k *Keys) forWriting(ctx context.Context) (*ring, error) {
	r := k.ring.Load()
	if r == nil {
		return nil, errNotStarted
	}
	if k.db.Load() == nil {
		return r, nil
	}
	r, err := k.recent(ctx, r)
	if err == nil && len(r.missing) > 0 {
		// Values under an older key would be lost when that is retired.
		err = missingMasters(r.missing)
	}

	return r, err
}

// recent returns the keys, read again if they are old.
func (k *Keys) recent(ctx context.Context, r *ring) (*ring, error) {
	age := k.clock.Now().Sub(r.readAt)
	if age < readEvery && age > -readEvery && !k.stale.Load() {
		return r, nil
	}
	if !k.reading.CompareAndSwap(false, true) && age < readFor && age > -readEvery {
		return r, nil
	}
	defer k.reading.Store(false)
	if err := k.refresh(ctx); err != nil {
		return nil, err
	}

	return k.ring.Load(), nil
}

func missingMasters(names []string) error {
	return fmt.Errorf("%w: %s; bring them back in secret.previous_keys", errMissing, strings.Join(names, ", "))
}

// refresh reads the data keys again. With one that none of the masters opens, this process reads what
// is sealed under the others, and seals nothing.
func (k *Keys) refresh(ctx context.Context) error {
	r := k.ring.Load()
	k.stale.Store(false)
	data, missing, err := k.read(ctx, repository{db: k.db.Load()}, r)
	if err != nil {
		k.stale.Store(true)

		return fmt.Errorf("reading the data keys: %w", err)
	}
	next, err := r.withDataKeys(data, k.clock.Now())
	if err != nil {
		return fmt.Errorf("reading the data keys: %w", err)
	}
	next.missing = missing
	k.ring.Store(next)

	return nil
}

// forget has the data keys read again before they are next used.
func (k *Keys) forget() { k.stale.Store(true) }

// read returns the data keys that the masters open, the oldest first, and the names of the masters
// that would open the others.
func (k *Keys) read(ctx context.Context, rows repository, r *ring) (data []dataKey, missing []string, err error) {
	stored, wraps, err := rows.dataKeys(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, row := range stored {
		id := uint32(row.ID) //nolint:gosec // it was one
		if at := slices.IndexFunc(r.data, func(d dataKey) bool { return d.id == id }); at >= 0 {
			known := r.data[at]
			known.primaryFrom = row.PrimaryFrom
			data = append(data, known)

			continue
		}
		key, names := unwrapKey(r, id, wraps)
		if key == nil {
			missing = append(missing, names...)

			continue
		}
		data = append(data, dataKey{id: id, key: key, createdAt: row.CreatedAt, primaryFrom: row.PrimaryFrom})
	}

	return data, missing, nil
}

// unwrapKey returns the key of an id, or nil and the names of the masters that it is encrypted under.
func unwrapKey(r *ring, id uint32, wraps []wrapRow) (key []byte, masters []string) {
	for _, wrap := range wraps {
		if wrap.DataKeyID != int64(id) {
			continue
		}
		masters = append(masters, keyName(wrap.MasterKeyID))
		at := slices.IndexFunc(r.ids, func(mine uint32) bool { return int64(mine) == wrap.MasterKeyID })
		if at < 0 {
			continue
		}
		opening, err := r.masters[at].wrapping()
		if err != nil {
			continue
		}
		if key, err := opening.Decrypt(wrap.Wrapped, wrapPlace(id)); err == nil && len(key) == keySize {
			return key, nil
		}
	}

	return nil, masters
}

// create makes a data key that values are sealed under from a time on.
func (k *Keys) create(ctx context.Context, rows repository, r *ring, from time.Time) error {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails, see its documentation
	fresh := dataKey{id: r.newKeyID(), key: key}
	if err := rows.addDataKey(ctx, dataKeyRow{ID: int64(fresh.id), PrimaryFrom: from, CreatedAt: k.clock.Now()}); err != nil {
		return err
	}

	return k.wrapMissing(ctx, rows, r, []dataKey{fresh})
}

// wrapMissing stores the data keys under each of the masters, where they are not: so a process that has
// one of them only can read what others seal.
func (k *Keys) wrapMissing(ctx context.Context, rows repository, r *ring, data []dataKey) error {
	_, wraps, err := rows.dataKeys(ctx)
	if err != nil {
		return err
	}
	for i, m := range r.masters {
		wrapping, err := m.wrapping()
		if err != nil {
			return err
		}
		for _, d := range data {
			if slices.ContainsFunc(wraps, func(w wrapRow) bool {
				return w.DataKeyID == int64(d.id) && w.MasterKeyID == int64(r.ids[i])
			}) {
				continue
			}
			wrapped, err := wrapping.Encrypt(d.key, wrapPlace(d.id))
			if err != nil {
				return err
			}
			if err := rows.addWrap(ctx, wrapRow{DataKeyID: int64(d.id), MasterKeyID: int64(r.ids[i]), Wrapped: wrapped}); err != nil {
				return err
			}
		}
	}

	return nil
}

// keyName is how people see the id of a key.
func keyName(id int64) string { return fmt.Sprintf("%08x", id) }

// headerOf is the beginning of what is sealed under a key, by its id in the database.
func headerOf(id int64) []byte {
	return binary.BigEndian.AppendUint32([]byte{version}, uint32(id)) //nolint:gosec // it was one
}
