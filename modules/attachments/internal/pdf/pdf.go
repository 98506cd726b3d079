// Package pdf finds out how many pages a PDF says that it has, and nothing else. It follows the cross
// references (ISO 32000-1, 7.5) to the root of the page tree, and reads no page.
//
// What it does for a file is bounded, whatever the file says: how many references it follows, how much it
// reads of each object, and how much it unpacks in all.
package pdf

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
)

const (
	// tail is where the last cross reference is said, from the end.
	tail = 2 << 10
	// longestObject is how much is read of an object.
	longestObject = 1 << 20
	// mostUnpacked is how many bytes are unpacked of a file in all.
	mostUnpacked = 8 << 20
	// mostReads is how often a file is read from another place: with a bucket, each is a request.
	mostReads = 300
	// mostSections is how many updates of a file are followed back.
	mostSections = 100
	// mostPages is more than any document has.
	mostPages = 10_000_000
)

var (
	startRule = regexp.MustCompile(`startxref\s+(\d{1,15})`)
	rootRule  = regexp.MustCompile(`/Root\s+(\d{1,9})\s+\d+\s+R`)
	pagesRule = regexp.MustCompile(`/Pages\s+(\d{1,9})\s+\d+\s+R`)
	countRule = regexp.MustCompile(`/Count\s+(\d{1,9})`)
	prevRule  = regexp.MustCompile(`/Prev\s+(\d{1,15})`)
)

// file is a PDF that is read.
type file struct {
	from   io.ReaderAt
	size   int64
	budget int64 // of what is unpacked
	reads  int   // that are left
}

// Pages returns how many pages a PDF has, and false if that cannot be found out: it is damaged, its objects
// are encrypted, or it is made in a way that is not known here.
func Pages(from io.ReaderAt, size int64) (int, bool) {
	f := &file{from: from, size: size, budget: mostUnpacked, reads: mostReads}
	end := max(0, size-tail)
	all := startRule.FindAllSubmatch(f.read(end, tail), -1)
	if len(all) == 0 {
		return 0, false
	}
	start := parseNumber(all[len(all)-1][1])
	root, found := f.root(start)
	if !found {
		return 0, false
	}
	pages, found := matchNumber(pagesRule, f.object(start, root))
	if !found {
		return 0, false
	}
	count, found := matchNumber(countRule, f.object(start, pages))

	return int(count), found && count <= mostPages
}

// read returns up to n bytes, fewer at the end of the file.
func (f *file) read(at, n int64) []byte {
	if f.reads--; f.reads < 0 || at < 0 || at >= f.size {
		return nil
	}
	b := make([]byte, min(n, f.size-at))
	got, err := f.from.ReadAt(b, at)
	if err != nil && got < len(b) {
		return b[:got]
	}

	return b
}

// matchNumber returns the number that a rule finds.
func matchNumber(rule *regexp.Regexp, text []byte) (int64, bool) {
	found := rule.FindSubmatch(text)
	if found == nil {
		return 0, false
	}

	return parseNumber(found[1]), true
}

// parseNumber reads digits, of which a rule has let no more through than fit.
func parseNumber(digits []byte) int64 {
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return -1
	}

	return n
}

// root returns the number of the catalog, as the latest section says it that says it.
func (f *file) root(at int64) (int64, bool) {
	for range mostSections {
		s, ok := f.section(at)
		if !ok {
			return 0, false
		}
		if root, found := matchNumber(rootRule, s.dictionary); found {
			return root, true
		}
		if at, ok = matchNumber(prevRule, s.dictionary); !ok {
			return 0, false
		}
	}

	return 0, false
}

// object returns the text of an object, nil if it is not found.
func (f *file) object(at, id int64) []byte {
	where, ok := f.find(at, id)
	if !ok {
		return nil
	}
	if where.stream == 0 {
		text, _, _ := bytes.Cut(f.read(where.at, longestObject), []byte("endobj"))

		return text
	}
	holder, ok := f.find(at, where.stream)
	if !ok || holder.stream != 0 {
		return nil
	}

	return f.unpackedObject(holder.at, id)
}
