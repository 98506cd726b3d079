package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

const (
	// magic begins the file; its last byte is the version of the format.
	magic = "vpic\x00\x00\x00\x01"
	// blockSize is how large a block of schemas is about to be, in bytes before compression.
	blockSize = 48 << 10
	// frequent is how often a trim must be there to be known to the parser of listings.
	frequent = 3
)

// buffer is written to in the primitives of the format: unsigned varints, and texts with their length.
type buffer struct{ bytes.Buffer }

func (b *buffer) number(n int) { b.Write(binary.AppendUvarint(nil, uint64(n))) } //nolint:gosec // never negative

func (b *buffer) text(s string) {
	b.number(len(s))
	b.WriteString(s)
}

func (b *buffer) names(all []named) {
	b.number(len(all))
	for _, n := range all {
		b.text(n.name)
	}
}

// write writes the data file, and says what is in it.
func (s *source) write(out io.Writer) (string, error) {
	s.catalogue()
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderCRC(true), zstd.WithWindowSize(8<<20))
	if err != nil {
		return "", err
	}
	var blocks [][]byte
	var firsts []int
	patterns, raw := 0, 0
	for from := 0; from < len(s.schemas); {
		to := s.blockEnd(from)
		b := block(s.schemas[from:to])
		blocks, firsts = append(blocks, packer.EncodeAll(b, nil)), append(firsts, from)
		for _, x := range s.schemas[from:to] {
			patterns += len(x.patterns)
		}
		raw += len(b)
		from = to
	}
	index := s.index(blocks, firsts, patterns)
	packed := packer.EncodeAll(index, nil)
	head := buffer{}
	head.WriteString(magic)
	head.number(len(packed))
	size := 0
	for _, part := range append([][]byte{head.Bytes(), packed}, blocks...) {
		n, err := out.Write(part)
		if size += n; err != nil {
			return "", err
		}
	}

	return fmt.Sprintf("%d WMIs, %d makes, %d models, %d schemas, %d patterns, %d blocks; data of %s; index %d bytes (%d compressed), blocks %d bytes, file %d bytes",
		len(s.wmis), len(s.makes), len(s.models), len(s.schemas), patterns, len(blocks), s.updated, len(index), len(packed), raw, size), nil
}

// blockEnd is where the block that begins with a schema ends.
func (s *source) blockEnd(from int) int {
	size, to := 0, from
	for to < len(s.schemas) && (to == from || size < blockSize) {
		size += 5*len(s.schemas[to].patterns) + 2
		to++
	}

	return to
}

// block is one of schemas: their keys and texts, each once, then the patterns in columns.
func block(schemas []*schema) []byte {
	keys, values := map[string]int{}, map[string]int{}
	for _, x := range schemas {
		for _, p := range x.patterns {
			keys[p.key] = 0
			if textual(p.element) {
				values[p.value] = 0
			}
		}
	}
	b := &buffer{}
	b.dictionary(keys)
	b.dictionary(values)
	b.number(len(schemas))
	for _, x := range schemas {
		b.number(len(x.patterns))
	}
	column := func(of func(p pattern) byte) {
		for _, x := range schemas {
			for _, p := range x.patterns {
				b.WriteByte(of(p))
			}
		}
	}
	value := func(p pattern) int {
		if textual(p.element) {
			return values[p.value]
		}

		return number(p.value)
	}
	column(func(p pattern) byte { return byte(p.element) })
	column(func(p pattern) byte { return byte(keys[p.key]) })
	column(func(p pattern) byte { return byte(keys[p.key] >> 8) })
	column(func(p pattern) byte { return byte(value(p)) })
	column(func(p pattern) byte { return byte(value(p) >> 8) })

	return b.Bytes()
}

// dictionary writes texts in their order, and numbers them.
func (b *buffer) dictionary(of map[string]int) {
	all := make([]string, 0, len(of))
	for text := range of {
		all = append(all, text)
	}
	slices.Sort(all)
	b.number(len(all))
	for i, text := range all {
		of[text] = i
		b.text(text)
	}
}

// textual reports whether the values of an element are texts.
func textual(element int) bool {
	return !slices.Contains([]int{elementModel, elementBody, elementFuel, elementSecondFuel, elementWeight}, element)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err) // read wrote it
	}

	return n
}

// index is everything but the schemas.
func (s *source) index(blocks [][]byte, firsts []int, patterns int) []byte {
	b := &buffer{}
	b.text(s.updated)
	b.number(patterns)
	b.number(len(loadTypes))
	for _, t := range loadTypes {
		b.text(t)
	}
	b.names(s.countries)
	b.names(s.types)
	for _, t := range s.types {
		b.number(slices.Index(loadTypes, byKind[t.name]))
	}
	b.names(s.bodies)
	for _, body := range s.bodies {
		b.number(slices.Index(loadTypes, loadType(body.name)))
	}
	b.names(s.fuels)
	b.number(len(s.weights))
	for _, w := range s.weights {
		b.text(w.class)
		b.number(int(w.from))
		b.number(int(w.to))
	}
	b.names(s.makes)
	s.writeModels(b)
	s.writeWMIs(b)
	trims := s.trims()
	b.number(len(trims))
	for _, t := range trims {
		b.text(t)
	}
	b.number(len(blocks))
	for i, packed := range blocks {
		b.number(firsts[i])
		b.number(len(packed))
	}

	return b.Bytes()
}

// writeModels writes columns: names, makes, years, types and how many patterns a model has, as a power of two.
func (s *source) writeModels(b *buffer) {
	b.number(len(s.models))
	before := 0
	for _, m := range s.models {
		b.text(m.name)
	}
	for _, m := range s.models {
		b.number(m.make - before)
		before = m.make
	}
	for _, m := range s.models {
		b.Write(binary.LittleEndian.AppendUint64(nil, m.years))
	}
	for _, m := range s.models {
		types := m.types()
		b.number(len(types))
		for _, t := range types {
			b.number(t)
		}
	}
	for _, m := range s.models {
		b.number(bits.Len(uint(m.patterns))) //nolint:gosec // a count
	}
}

// writeWMIs writes the WMIs, those of six characters after those of three, and the schemas of each by year.
func (s *source) writeWMIs(b *buffer) {
	slices.SortStableFunc(s.wmis, func(a, c *wmi) int {
		return cmp.Or(cmp.Compare(len(a.code), len(c.code)), strings.Compare(a.code, c.code))
	})
	b.number(len(s.wmis))
	for _, w := range s.wmis {
		b.text(w.code)
	}
	for _, w := range s.wmis {
		b.number(w.kind + 1)
	}
	for _, w := range s.wmis {
		b.number(w.country + 1)
	}
	for _, w := range s.wmis {
		b.number(len(w.makes))
		for _, m := range w.makes {
			b.number(m)
		}
	}
	for _, w := range s.wmis {
		used := slices.DeleteFunc(slices.Clone(w.spans), func(x span) bool { return len(x.schema.patterns) == 0 })
		slices.SortFunc(used, func(a, c span) int {
			return cmp.Or(cmp.Compare(a.schema.index, c.schema.index), cmp.Compare(a.from, c.from))
		})
		b.number(len(used))
		at := 0
		for _, x := range used {
			b.number(x.schema.index - at)
			b.number(x.from - firstYear)
			b.number(x.to - x.from)
			at = x.schema.index
		}
	}
}

// trims are the names of trims that more than a few patterns have, the most frequent first.
func (s *source) trims() []string {
	count := map[string]int{}
	for _, x := range s.schemas {
		for _, p := range x.patterns {
			if p.element == elementTrim {
				count[p.value]++
			}
		}
	}
	var all []string
	for t, n := range count {
		if n >= frequent && len(t) <= 40 {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b)) })

	return all
}
