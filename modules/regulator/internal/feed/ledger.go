package feed

import "slices"

// ledger has the keys and digests of the rows that a table has, in the order of the keys, and notes which of them a file has: 16 bytes
// and a bit for each row.
type ledger struct {
	keys, digests []int64
	seen          []uint64
	// next is where the key after the last one stands, since most files have the order of the table.
	next int
	// count is how many were seen, and added are the keys that the table did not have.
	count int64
	added []int64
	// most is the greatest key there is.
	most int64
}

const wordBits = 64

func (l *ledger) load(key, digest int64) {
	l.keys, l.digests, l.most = append(l.keys, key), append(l.digests, digest), key
}

// beyond reports whether a key is greater than all there are, so that it is certainly new.
func (l *ledger) beyond(key int64) bool { return key > l.most }

// see notes a row of the file, and reports whether the table has its key, and the same row.
func (l *ledger) see(key, digest int64) (known, same bool) {
	at := l.next
	if at >= len(l.keys) || l.keys[at] != key {
		if at, known = slices.BinarySearch(l.keys, key); !known {
			l.added, l.most = append(l.added, key), max(l.most, key)

			return false, false
		}
	}
	l.next = at + 1
	if l.seen == nil {
		l.seen = make([]uint64, len(l.keys)/wordBits+1)
	}
	if bit := uint64(1) << (at % wordBits); l.seen[at/wordBits]&bit == 0 {
		l.seen[at/wordBits] |= bit
		l.count++
	}
	same, l.digests[at] = l.digests[at] == digest, digest

	return true, same
}

// rows returns how many different keys were seen.
func (l *ledger) rows() int64 {
	slices.Sort(l.added)
	l.added = slices.Compact(l.added)

	return l.count + int64(len(l.added))
}

// unseen returns the keys that the file did not have.
func (l *ledger) unseen() []int64 {
	var all []int64
	for at, key := range l.keys {
		if l.seen == nil || l.seen[at/wordBits]&(1<<(at%wordBits)) == 0 {
			all = append(all, key)
		}
	}

	return all
}
