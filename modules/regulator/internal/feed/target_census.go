package feed

import (
	"context"
	"slices"
)

// censusTarget is the table of the census, with the index of names and the counts of shared contacts.
type censusTarget struct {
	repository *Repository
	file       *censusFile
	// index sorts the entries of a new index: until the census was once imported completely, there is none. Nil keeps up the one there is.
	index *sorter
	// contacts are hashes of the contacts of all carriers in the file.
	contacts []int64
}

func newCensusTarget(repository *Repository, head []string, indexed bool) (*censusTarget, []string) {
	file, missing := newCensusFile(head)
	t := &censusTarget{repository: repository, file: file}
	if !indexed {
		t.index = &sorter{}
	}

	return t, missing
}

func (t *censusTarget) read(cells []string) (line, error) {
	c, err := t.file.carrier(cells)
	if err != nil {
		return line{}, err
	}
	l := line{key: c.USDOT, carrier: c}
	if l.body, l.digest, err = encoded(c); err != nil {
		return line{}, err
	}
	contacts := c.Contacts()
	for _, contact := range []int64{contacts.Phone, contacts.Email, contacts.Address} {
		if contact != 0 {
			t.contacts = append(t.contacts, contact)
		}
	}
	if t.index != nil {
		for _, text := range c.Entries() {
			if err := t.index.add(entry{text, c.PhysicalState, c.USDOT}); err != nil {
				return line{}, &failedError{err}
			}
		}
	}

	return l, nil
}

func (t *censusTarget) ledger(ctx context.Context, _ []int64) (*ledger, error) {
	return t.repository.carrierLedger(ctx)
}

func (t *censusTarget) write(ctx context.Context, all []line) error {
	changes := make([]carrierChange, len(all))
	for i, l := range all {
		changes[i] = carrierChange{carrier: l.carrier, digest: l.digest, body: l.body, known: l.known, fresh: l.fresh}
	}

	return t.repository.putCarriers(ctx, changes, t.index == nil)
}

func (t *censusTarget) delete(ctx context.Context, usdots []int64) error {
	return t.repository.deleteCarriers(ctx, usdots)
}

// finish writes the index, if it is a new one, and counts the contacts that carriers share.
func (t *censusTarget) finish(ctx context.Context) error {
	if t.index != nil {
		if err := t.repository.rebuildNames(ctx, t.index.sorted()); err != nil {
			return err
		}
	}
	l, err := t.repository.sharedLedger(ctx)
	if err != nil {
		return err
	}
	slices.Sort(t.contacts)
	var changed [][]any
	for rest := t.contacts; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n] == rest[0] {
			n++
		}
		if n > 1 {
			if _, same := l.see(rest[0], int64(n)); !same {
				changed = append(changed, []any{rest[0], int64(n)})
			}
		}
		rest = rest[n:]
	}
	for some := range slices.Chunk(changed, batch) {
		if err := t.repository.inTx(ctx, func(ctx context.Context) error { return t.repository.putShared(ctx, some) }); err != nil {
			return err
		}
	}
	for gone := range slices.Chunk(l.unseen(), deleteBatch) {
		if err := t.repository.inTx(ctx, func(ctx context.Context) error { return t.repository.deleteShared(ctx, gone) }); err != nil {
			return err
		}
	}

	return nil
}

func (t *censusTarget) close() error {
	if t.index == nil {
		return nil
	}

	return t.index.close()
}
