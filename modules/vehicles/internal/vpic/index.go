package vpic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
)

const (
	// magic begins the data; its last byte is the version of the format (ADR 0073).
	magic = "vpic\x00\x00\x00\x01"
	// firstYear is the year of the first bit of a model's years, and that of a span's year 0.
	firstYear = 1980
	// mostIndex and mostBlock are more than the index and a block have, in bytes.
	mostIndex, mostBlock = 16 << 20, 1 << 20
	// mostBlocks is how many blocks stay in memory, some 80 kB each.
	mostBlocks = 32
)

var errData = errors.New("vpic: the data is damaged, or of another version")

// Data is the index, in memory, and the blocks of schemas, which are unpacked as they are used.
type Data struct {
	// Updated is the day of the data, as YYYY-MM-DD.
	Updated string
	// Patterns is how many there are.
	Patterns int

	types     []vehiclesapi.Type
	countries []string
	kinds     []kind
	bodies    []kind
	fuels     []string
	weights   []weight
	makes     []maker // by name, in upper case
	models    []model // by make and name
	wmis      []wmi
	firstSix  int // where WMIs of six characters begin
	spans     []span
	trims     []string
	packed    []packed
	blocks    *lru.Cache[int, *block]
	unpacker  *zstd.Decoder
	makers    []uint16 // makes of WMIs, one after the other
	popular   []uint16 // makes, the one with the most patterns first
}

// kind is a body class or a vehicle type of vPIC.
type kind struct {
	name string
	is   vehiclesapi.Type
}

type weight struct {
	class    string
	from, to int
}

type maker struct {
	name   string
	years  uint64
	types  uint32
	weight int32
	models [2]int32 // from, to
}

type model struct {
	name  string
	years uint64
	make  uint16
	types uint32
	most  uint8 // the most frequent type
	// weight is the logarithm of how many patterns it has.
	weight uint8
}

type wmi struct {
	code    string
	kind    int8 // -1: not known
	country int16
	makes   [2]int32 // from, to
	spans   [2]int32
}

type span struct {
	schema   uint16
	from, to uint8
}

type packed struct {
	first int // schema
	data  string
}

// Read reads the index of a data file.
func Read(file string) (*Data, error) {
	unpacker, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(mostIndex))
	if err != nil {
		return nil, err
	}
	rest, ok := strings.CutPrefix(file, magic)
	if !ok {
		return nil, errData
	}
	head := &reader{text: rest}
	index := head.take(head.number())
	if head.failed {
		return nil, errData
	}
	raw, err := unpacker.DecodeAll([]byte(index), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errData, err)
	}
	blocks, err := lru.New[int, *block](mostBlocks)
	if err != nil {
		return nil, err
	}
	d := &Data{blocks: blocks, unpacker: unpacker}
	r := &reader{text: string(raw)}
	d.read(r)
	d.readBlocks(r, head.text)
	if r.failed || r.text != "" {
		return nil, errData
	}

	return d, d.connect()
}

func (d *Data) read(r *reader) {
	d.Updated, d.Patterns = r.name(), r.number()
	for range r.count() {
		d.types = append(d.types, vehiclesapi.Type(r.name()))
	}
	for _, name := range r.names() {
		d.countries = append(d.countries, country(name))
	}
	d.kinds, d.bodies = d.readKinds(r), d.readKinds(r)
	d.fuels = r.names()
	for range r.count() {
		d.weights = append(d.weights, weight{r.name(), r.number(), r.number()})
	}
	for _, name := range r.names() {
		d.makes = append(d.makes, maker{name: name})
	}
	d.readModels(r)
	d.readWMIs(r)
	d.trims = r.names()
}

// country spells a country of vPIC, such as UNITED STATES (USA), without capitals and the abbreviation: United States.
func country(upper string) string {
	name, _, _ := strings.Cut(upper, " (")
	words := strings.Fields(strings.ToLower(name))
	for i, w := range words {
		if i == 0 || w != "and" && w != "of" && w != "the" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}

	return strings.Join(words, " ")
}

// countryOf is the country of a manufacturer by vPIC, "" for none.
func (d *Data) countryOf(w *wmi) string {
	if w == nil || w.country < 0 {
		return ""
	}

	return d.countries[w.country]
}

func (d *Data) readKinds(r *reader) []kind {
	names := r.names()
	kinds := make([]kind, len(names))
	for i, name := range names {
		kinds[i] = kind{name, at(r, d.types, r.number())}
	}

	return kinds
}

func (d *Data) readModels(r *reader) {
	names := r.names()
	d.models = make([]model, len(names))
	of := 0
	for i, name := range names {
		of += r.number()
		d.models[i] = model{name: name, make: uint16(of)} //nolint:gosec // connect checks it
	}
	for i := range d.models {
		d.models[i].years = r.uint64()
	}
	for i := range d.models {
		for n := range r.count() {
			t := r.number() % 32
			d.models[i].types |= 1 << t
			if n == 0 {
				d.models[i].most = uint8(t) //nolint:gosec // below 32
			}
		}
	}
	for i := range d.models {
		d.models[i].weight = r.byte()
	}
}

func (d *Data) readWMIs(r *reader) {
	codes := r.names()
	d.wmis = make([]wmi, len(codes))
	for i, code := range codes {
		d.wmis[i].code = code
		if len(code) == 3 {
			d.firstSix = i + 1
		}
	}
	for i := range d.wmis {
		d.wmis[i].kind = int8(min(r.number(), 100) - 1) //nolint:gosec // small, as is the next
	}
	for i := range d.wmis {
		d.wmis[i].country = int16(min(r.number(), 1000) - 1) //nolint:gosec // as above
	}
	for i := range d.wmis {
		from := len(d.makers)
		for range r.count() {
			d.makers = append(d.makers, uint16(r.number())) //nolint:gosec // connect checks it
		}
		d.wmis[i].makes = reach(from, len(d.makers))
	}
	for i := range d.wmis {
		from, schema := len(d.spans), 0
		for range r.count() {
			schema += r.number()
			begin := r.number()
			d.spans = append(d.spans, span{uint16(schema), uint8(begin), uint8(begin + r.number())}) //nolint:gosec // a block without it has no patterns
		}
		d.wmis[i].spans = reach(from, len(d.spans))
	}
	d.makers, d.spans = slices.Clip(d.makers), slices.Clip(d.spans)
}

func reach(from, to int) [2]int32 { return [2]int32{int32(from), int32(to)} } //nolint:gosec // of an index that fits in memory

func (d *Data) readBlocks(r *reader, file string) {
	in := &reader{text: file}
	for range r.count() {
		d.packed = append(d.packed, packed{r.number(), in.take(r.number())})
	}
	r.failed = r.failed || in.failed || in.text != ""
}

// connect checks the indexes, and computes what follows from them.
func (d *Data) connect() error {
	if len(d.makes) > 1<<16 || len(d.models) > 1<<16 || len(d.types) > 32 || len(d.packed) == 0 || d.packed[0].first != 0 {
		return errData
	}
	for i, m := range d.models {
		if int(m.make) >= len(d.makes) || (i > 0 && m.make < d.models[i-1].make) || int(m.most) >= len(d.types) {
			return errData
		}
		of := &d.makes[m.make]
		if of.models[1] == 0 {
			of.models[0] = int32(i)
		}
		of.models[1] = int32(i) + 1
		of.years |= m.years
		of.types |= m.types
		of.weight += 1 << min(m.weight, 24) >> 1
	}
	for _, w := range d.wmis {
		if int(w.kind) >= len(d.kinds) || int(w.country) >= len(d.countries) {
			return errData
		}
		for _, m := range d.makers[w.makes[0]:w.makes[1]] {
			if int(m) >= len(d.makes) {
				return errData
			}
			if of := &d.makes[m]; w.kind >= 0 && of.models[1] == 0 { // a make without models, such as one of trailers
				of.types |= d.bit(d.kinds[w.kind].is)
			}
		}
	}
	d.popular = make([]uint16, len(d.makes))
	for i := range d.popular {
		d.popular[i] = uint16(i)
	}
	slices.SortStableFunc(d.popular, func(a, b uint16) int { return int(d.makes[b].weight) - int(d.makes[a].weight) })

	return nil
}

// bit is that of a type in sets, 0 for one without models.
func (d *Data) bit(t vehiclesapi.Type) uint32 {
	i := slices.Index(d.types, t)
	if i < 0 {
		return 0
	}

	return 1 << i
}

// set are the types in a set.
func (d *Data) set(bits uint32) []vehiclesapi.Type {
	all := []vehiclesapi.Type{}
	for i, t := range d.types {
		if bits&(1<<i) != 0 {
			all = append(all, t)
		}
	}

	return all
}

// maker returns the entry of the manufacturer of a VIN, nil for one that is not known. Small manufacturers share three characters, of
// which the third is 9, and are told apart by three more (49 CFR 565.15).
func (d *Data) maker(number string) *wmi {
	find := func(in []wmi, code string) *wmi {
		i, ok := slices.BinarySearchFunc(in, code, func(w wmi, code string) int { return strings.Compare(w.code, code) })
		if !ok {
			return nil
		}

		return &in[i]
	}
	if number[2] == '9' && len(number) >= 14 {
		if w := find(d.wmis[d.firstSix:], number[:3]+number[11:14]); w != nil {
			return w
		}
	}

	return find(d.wmis[:d.firstSix], number[:3])
}

// reader reads the primitives of the format. It returns zeros once it has failed.
type reader struct {
	text   string
	failed bool
}

func (r *reader) number() int {
	var n uint64
	for i := 0; i < len(r.text) && i < 5; i++ {
		n |= uint64(r.text[i]&0x7f) << (7 * i)
		if r.text[i] < 0x80 {
			r.text = r.text[i+1:]

			return int(n) //nolint:gosec // of 35 bits
		}
	}
	r.fail()

	return 0
}

// count is a number of things that follow, each of at least a byte.
func (r *reader) count() int {
	n := r.number()
	if n > len(r.text) {
		r.fail()

		return 0
	}

	return n
}

func (r *reader) take(n int) string {
	if n > len(r.text) {
		r.fail()

		return ""
	}
	text := r.text[:n]
	r.text = r.text[n:]

	return text
}

func (r *reader) name() string { return r.take(r.number()) }

func (r *reader) names() []string {
	all := make([]string, r.count())
	for i := range all {
		all[i] = r.name()
	}

	return all
}

func (r *reader) byte() byte {
	if text := r.take(1); text != "" {
		return text[0]
	}

	return 0
}

func (r *reader) uint64() uint64 {
	text := r.take(8)
	var n uint64
	for i := range len(text) {
		n |= uint64(text[i]) << (8 * i)
	}

	return n
}

func (r *reader) fail() { r.text, r.failed = "", true }

// at returns an element, the zero value if there is none, which damages the data.
func at[T any](r *reader, of []T, i int) T {
	if i < 0 || i >= len(of) {
		r.fail()
		var none T

		return none
	}

	return of[i]
}
