package feed

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
)

// arenaSize is how many bytes of entries a sorter keeps in memory.
const arenaSize = 16 << 20

// entry is a row of the index by which carriers are found.
type entry struct {
	folded, state string
	usdot         int64
}

// sorter sorts any number of entries in the order of the index, in memory for arenaSize of them: the rest waits in temporary files,
// which have no name and are gone with the process.
type sorter struct {
	arena []byte
	refs  []entryRef
	runs  []*os.File
}

// entryRef is where an entry stands in the arena. Most comparisons end with its first bytes.
type entryRef struct {
	first uint64
	at    uint32
	size  uint32
}

const (
	usdotBytes = 8
	// meanEntry is about how many bytes an entry has.
	meanEntry = 32
)

// add adds an entry. Neither text has a NUL.
func (s *sorter) add(e entry) error {
	size := len(e.folded) + len(e.state) + usdotBytes + 2
	if len(s.arena)+size > arenaSize {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if s.arena == nil {
		s.arena, s.refs = make([]byte, 0, arenaSize), make([]entryRef, 0, arenaSize/meanEntry)
	}
	at := len(s.arena)
	s.arena = append(append(append(append(s.arena, e.folded...), 0), e.state...), 0)
	s.arena = binary.BigEndian.AppendUint64(s.arena, uint64(e.usdot)) //nolint:gosec // never negative
	var first [8]byte
	copy(first[:], s.arena[at:])
	s.refs = append(s.refs, entryRef{binary.BigEndian.Uint64(first[:]), uint32(at), uint32(size)}) //nolint:gosec // below arenaSize

	return nil
}

func (s *sorter) bytes(r entryRef) []byte { return s.arena[r.at : r.at+r.size] }

func (s *sorter) sort() {
	slices.SortFunc(s.refs, func(a, b entryRef) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}

		return bytes.Compare(s.bytes(a), s.bytes(b))
	})
}

// spill writes what is in memory to a file, sorted.
func (s *sorter) spill() error {
	file, err := os.CreateTemp("", "dispatchd-entries-*")
	if err != nil {
		return err
	}
	s.runs = append(s.runs, file)
	if err := os.Remove(file.Name()); err != nil {
		return err
	}
	s.sort()
	out := bufio.NewWriterSize(file, readBuffer)
	for _, r := range s.refs {
		if _, err := out.Write(binary.AppendUvarint(out.AvailableBuffer(), uint64(r.size))); err != nil {
			return err
		}
		if _, err := out.Write(s.bytes(r)); err != nil {
			return err
		}
	}
	s.arena, s.refs = s.arena[:0], s.refs[:0]

	return out.Flush()
}

// sorted returns all entries in their order, each once. It is called once, when all have been added.
func (s *sorter) sorted() iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		var last []byte
		for text, err := range s.merged() {
			if err != nil {
				yield(entry{}, err)

				return
			}
			if bytes.Equal(text, last) {
				continue
			}
			last = append(last[:0], text...)
			if !yield(entryOf(text), nil) {
				return
			}
		}
	}
}

func entryOf(text []byte) entry {
	number := len(text) - usdotBytes
	folded, state, _ := bytes.Cut(text[:number-1], []byte{0})

	return entry{string(folded), string(state), int64(binary.BigEndian.Uint64(text[number:]))} //nolint:gosec // as add wrote it
}

func (s *sorter) merged() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if len(s.runs) == 0 {
			s.sort()
			for _, r := range s.refs {
				if !yield(s.bytes(r), nil) {
					return
				}
			}

			return
		}
		all, err := s.openRuns()
		for err == nil && len(all) > 0 {
			if !yield(all[0].text, nil) {
				return
			}
			if err = all[0].next(); errors.Is(err, io.EOF) {
				heap.Pop(&all)
				err = nil

				continue
			}
			heap.Fix(&all, 0)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func (s *sorter) openRuns() (runs, error) {
	if err := s.spill(); err != nil {
		return nil, err
	}
	s.arena, s.refs = nil, nil
	all := make(runs, 0, len(s.runs))
	for _, file := range s.runs {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		r := &sortedRun{from: bufio.NewReaderSize(file, readBuffer/4)} //nolint:mnd // there are many
		switch err := r.next(); {
		case err == nil:
			all = append(all, r)
		case !errors.Is(err, io.EOF):
			return nil, err
		}
	}
	heap.Init(&all)

	return all, nil
}

// close frees the files.
func (s *sorter) close() error {
	var problems []error
	for _, file := range s.runs {
		problems = append(problems, file.Close())
	}

	return errors.Join(problems...)
}

// sortedRun reads a file of sorted entries.
type sortedRun struct {
	from *bufio.Reader
	text []byte
}

// next reads the next entry; io.EOF at the end.
func (r *sortedRun) next() error {
	size, err := binary.ReadUvarint(r.from)
	if err != nil {
		return err
	}
	r.text = slices.Grow(r.text[:0], int(size))[:size] //nolint:gosec // as spill wrote it
	_, err = io.ReadFull(r.from, r.text)

	return err
}

// runs are a heap by their first entries.
type runs []*sortedRun

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return bytes.Compare(r[i].text, r[j].text) < 0 }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }

// Push implements heap.Interface.
func (r *runs) Push(x any) {
	if one, ok := x.(*sortedRun); ok {
		*r = append(*r, one)
	}
}

// Pop implements heap.Interface.
func (r *runs) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]

	return last
}
