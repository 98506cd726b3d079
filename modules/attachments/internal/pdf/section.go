package pdf

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"regexp"
)

var (
	tableRule  = regexp.MustCompile(`^\s*(\d{1,9})\s+(\d{1,9})\s*?\r?\n?`)
	widthsRule = regexp.MustCompile(`/W\s*\[\s*(\d)\s+(\d)\s+(\d)\s*\]`)
	indexRule  = regexp.MustCompile(`/Index\s*\[([\d\s]*)\]`)
	sizeRule   = regexp.MustCompile(`/Size\s+(\d{1,9})`)
	streamRule = regexp.MustCompile(`stream\r?\n`)
	columnRule = regexp.MustCompile(`/Columns\s+(\d{1,5})`)
	predicted  = regexp.MustCompile(`/Predictor\s+1\d`)
	hybridRule = regexp.MustCompile(`/XRefStm\s+(\d{1,15})`)
	firstRule  = regexp.MustCompile(`/First\s+(\d{1,9})`)
	digitsRule = regexp.MustCompile(`\d{1,9}`)
	inUseRule  = regexp.MustCompile(`^(\d{10}) \d{5} n`)
)

const (
	// longestDictionary is how much is read of the dictionary of a section or stream.
	longestDictionary = 64 << 10
	mostTables        = 1000
	tableEntry        = 20
)

// place is where an object is: at an offset, or in a stream of objects.
type place struct{ at, stream int64 }

// section is a part of the cross references: a table or a stream, and a dictionary that leads on.
type section struct {
	dictionary []byte
	// table is where a table begins, rows are the entries of a stream.
	table int64
	rows  []byte
}

func (f *file) section(at int64) (section, bool) {
	head := f.read(at, longestDictionary)
	if text, is := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("xref")); is {
		begin := at + int64(len(head)-len(text))
		end, ok := f.tables(begin, func(int64, int64, int64) bool { return false })
		if !ok {
			return section{}, false
		}
		dictionary, _, _ := bytes.Cut(f.read(end, longestDictionary), []byte("startxref"))

		return section{dictionary: dictionary, table: begin}, true
	}
	dictionary, rows, ok := f.stream(at)

	return section{dictionary: dictionary, rows: rows}, ok
}

// tables goes through the tables at an offset: the first number, how many, and where the entries begin, until
// visit says that it is enough. It returns where they end.
func (f *file) tables(at int64, visit func(first, count, begin int64) bool) (int64, bool) {
	for range mostTables {
		head := f.read(at, 64)
		found := tableRule.FindSubmatchIndex(head)
		if found == nil {
			return at, bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("trailer"))
		}
		first, count := parseNumber(head[found[2]:found[3]]), parseNumber(head[found[4]:found[5]])
		begin := at + int64(found[5])
		for _, c := range f.read(begin, 4) {
			if c != ' ' && c != '\r' && c != '\n' {
				break
			}
			begin++
		}
		if visit(first, count, begin) {
			return at, true
		}
		at = begin + count*tableEntry
	}

	return at, false
}

// find looks for an object, in the latest section first.
func (f *file) find(at, id int64) (place, bool) {
	for range mostSections {
		s, ok := f.section(at)
		if !ok {
			return place{}, false
		}
		if found, ok := f.entry(s, id); ok {
			return found, true
		}
		if hybrid, is := matchNumber(hybridRule, s.dictionary); is {
			if more, ok := f.section(hybrid); ok {
				if found, ok := f.entry(more, id); ok {
					return found, true
				}
			}
		}
		if at, ok = matchNumber(prevRule, s.dictionary); !ok {
			return place{}, false
		}
	}

	return place{}, false
}

// entry looks for an object in a section.
func (f *file) entry(s section, id int64) (place, bool) {
	if s.rows != nil {
		return s.row(id)
	}
	var found place
	f.tables(s.table, func(first, count, begin int64) bool {
		if id < first || id >= first+count {
			return false
		}
		if at, used := matchNumber(inUseRule, f.read(begin+(id-first)*tableEntry, tableEntry)); used {
			found = place{at: at}
		}

		return true
	})

	return found, found.at > 0
}

// row looks for an object in the rows of a stream.
func (s section) row(id int64) (place, bool) {
	widths := widthsRule.FindSubmatch(s.dictionary)
	if widths == nil {
		return place{}, false
	}
	var w [3]int64
	for i := range w {
		w[i] = parseNumber(widths[i+1])
	}
	size, _ := matchNumber(sizeRule, s.dictionary)
	ranges := []int64{0, size}
	if index := indexRule.FindSubmatch(s.dictionary); index != nil {
		ranges = ranges[:0]
		for _, digits := range digitsRule.FindAll(index[1], -1) {
			ranges = append(ranges, parseNumber(digits))
		}
	}
	long, before := w[0]+w[1]+w[2], int64(0)
	for i := 0; i+1 < len(ranges); i += 2 {
		first, count := ranges[i], ranges[i+1]
		if at := (before + id - first) * long; id >= first && id < first+count && at >= 0 && at+long <= int64(len(s.rows)) {
			return placeOf(s.rows[at:at+long], w)
		}
		before += count
	}

	return place{}, false
}

func placeOf(row []byte, w [3]int64) (place, bool) {
	kind := int64(1)
	if w[0] > 0 {
		kind = bigEndian(row[:w[0]])
	}
	switch value := bigEndian(row[w[0] : w[0]+w[1]]); kind {
	case 1:
		return place{at: value}, value > 0
	case 2:
		return place{stream: value}, value > 0
	default:
		return place{}, false
	}
}

func bigEndian(b []byte) (n int64) {
	for _, c := range b {
		n = n<<8&0x7fffffffffffff00 | int64(c)
	}

	return n
}

// stream returns the dictionary and the unpacked bytes of a stream.
func (f *file) stream(at int64) (dictionary, data []byte, ok bool) {
	head := f.read(at, longestDictionary)
	begin := streamRule.FindIndex(head)
	if begin == nil || !bytes.Contains(head[:begin[0]], []byte("/FlateDecode")) {
		return nil, nil, false
	}
	dictionary = head[:begin[0]]
	packed := io.NewSectionReader(f.from, at+int64(begin[1]), f.size-at-int64(begin[1]))
	unpacker, err := zlib.NewReader(bufio.NewReaderSize(packed, 256<<10))
	if err != nil {
		return nil, nil, false
	}
	data, err = io.ReadAll(io.LimitReader(unpacker, f.budget+1))
	f.budget -= int64(len(data))
	if f.budget < 0 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil, false
	}
	if !predicted.Match(dictionary) {
		return dictionary, data, true
	}
	columns, found := matchNumber(columnRule, dictionary)
	if !found {
		columns = 1
	}
	data, ok = undoPredictor(data, int(columns))

	return dictionary, data, ok
}

// undoPredictor undoes the predictors of PNG that cross references are written with.
func undoPredictor(data []byte, columns int) ([]byte, bool) {
	if columns <= 0 {
		return nil, false
	}
	out, above := make([]byte, 0, len(data)), make([]byte, columns)
	for len(data) > columns {
		row := data[1 : columns+1]
		switch data[0] {
		case 0:
		case 2:
			for i := range row {
				row[i] += above[i]
			}
		default:
			return nil, false
		}
		out, above, data = append(out, row...), row, data[columns+1:]
	}

	return out, true
}

// unpackedObject returns an object, nil if it is not found, out of the stream of objects at an offset.
func (f *file) unpackedObject(at, id int64) []byte {
	dictionary, data, ok := f.stream(at)
	first, found := matchNumber(firstRule, dictionary)
	if !ok || !found || first > int64(len(data)) {
		return nil
	}
	numbers := digitsRule.FindAll(data[:first], -1)
	for i := 0; i+1 < len(numbers); i += 2 {
		if parseNumber(numbers[i]) != id {
			continue
		}
		begin, end := first+parseNumber(numbers[i+1]), int64(len(data))
		if i+3 < len(numbers) {
			end = first + parseNumber(numbers[i+3])
		}
		if begin > end || end > int64(len(data)) {
			return nil
		}

		return data[begin:end]
	}

	return nil
}
