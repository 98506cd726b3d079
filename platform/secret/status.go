package secret

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// The states of a key.
const (
	// Distributing keys are made known, and are not used to seal yet.
	Distributing = "distributing"
	// Primary is the data key that values are sealed under, and the master that wraps new data keys first.
	Primary = "primary"
	// Former keys only read; of masters, those to come as well.
	Former = "former"
	// Absent keys are not there: their values cannot be read.
	Absent = "absent"
)

// KeyStatus is a key, and how many values are sealed under it.
type KeyStatus struct {
	ID string `json:"id"`
	// Kind is data or master.
	Kind  string `json:"kind"`
	State string `json:"state"`
	// CreatedAt is zero where it is not known.
	CreatedAt   time.Time `json:"created_at,omitzero"`
	PrimaryFrom time.Time `json:"primary_from,omitzero"`
	Values      int64     `json:"values"`
	// Masters are those that a data key is encrypted under.
	Masters []string `json:"masters,omitempty"`
}

// Status returns the data keys and then the masters, the oldest first, as this process sees them.
func (r *Rotation) Status(ctx context.Context) ([]KeyStatus, error) {
	var all []KeyStatus
	err := r.rows.db.InTx(ctx, func(ctx context.Context) (err error) {
		all, err = r.status(ctx)

		return err
	})

	return all, err
}

func (r *Rotation) status(ctx context.Context) ([]KeyStatus, error) {
	counts, err := r.counts(ctx)
	if err != nil {
		return nil, err
	}
	data, wraps, err := r.rows.dataKeys(ctx)
	if err != nil {
		return nil, err
	}
	masters, err := r.rows.known(ctx)
	if err != nil {
		return nil, err
	}
	mine, now := r.keys.ring.Load(), r.clock.Now()
	var all []KeyStatus
	for _, row := range data {
		k := KeyStatus{ID: keyName(row.ID), Kind: "data", State: Former, CreatedAt: row.CreatedAt, PrimaryFrom: row.PrimaryFrom}
		for _, w := range wraps {
			if w.DataKeyID == row.ID {
				k.Masters = append(k.Masters, keyName(w.MasterKeyID))
			}
		}
		if row.PrimaryFrom.After(now) {
			k.State = Distributing
		} else if i := len(all) - 1; i >= 0 && all[i].State == Primary {
			all[i].State = Former
		}
		if k.State != Distributing {
			k.State = Primary
		}
		all = append(all, k)
	}
	for _, row := range masters {
		k := KeyStatus{ID: keyName(row.ID), Kind: "master", State: Absent, CreatedAt: row.CreatedAt}
		switch {
		case row.ID == int64(mine.ids[0]):
			k.State = Primary
		case mine.hasMaster(row.ID):
			k.State = Former
		}
		all = append(all, k)
	}

	// Keys to come that were never in use are in wraps alone.
	for _, w := range wraps {
		if id := keyName(w.MasterKeyID); !slices.ContainsFunc(all, func(k KeyStatus) bool { return k.ID == id }) {
			k := KeyStatus{ID: id, Kind: "master", State: Absent}
			if mine.hasMaster(w.MasterKeyID) {
				k.State = Former
			}
			all = append(all, k)
		}
	}

	return withCounts(all, counts), nil
}

// withCounts puts in how many values there are, those under keys that nobody knows as well.
func withCounts(all []KeyStatus, counts map[string]int64) []KeyStatus {
	for i := range all {
		all[i].Values = counts[all[i].ID]
		delete(counts, all[i].ID)
	}
	rest := make([]string, 0, len(counts))
	for id := range counts {
		rest = append(rest, id)
	}
	slices.Sort(rest)
	for _, id := range rest {
		all = append(all, KeyStatus{ID: id, Kind: "data", State: Absent, Values: counts[id]})
	}

	return all
}

// counts returns how many values there are under each key, by its name.
func (r *Rotation) counts(ctx context.Context) (map[string]int64, error) {
	columns, err := r.rows.columns(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the sealed columns: %w", err)
	}
	sums := map[string]int64{}
	for _, c := range columns {
		counts, err := r.rows.count(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("counting the values in %s.%s: %w", c.table, c.name, err)
		}
		for head, n := range counts {
			sums[hex.EncodeToString([]byte(head)[1:])] += n
		}
	}

	return sums, nil
}
