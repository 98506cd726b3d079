package vpic

import (
	"fmt"
	"slices"
)

// The elements that patterns tell, in the numbers of the format.
const (
	elementModel = iota
	elementBody
	elementSeries
	elementTrim
	elementDoors
	elementFuel
	elementSecondFuel
	elementDisplacement
	elementCylinders
	elementEngine
	elementWeight
	elements
)

// block has the patterns of schemas that follow one another.
type block struct {
	first    int // schema
	keys     []key
	texts    []string
	starts   []int32 // where the patterns of a schema begin; one more than schemas
	patterns []pattern
}

// pattern says that VINs which match a key have a value: the index of a model, body, fuel or weight class, or of a text of the block.
type pattern struct {
	key, value uint16
	element    uint8
}

// key is what the characters 4 to 8 of a VIN, a bar, and the characters 10 to 17 are matched with: * any character, # a digit, [A-C1] one
// of several. It need not reach to the end.
type key struct {
	text string
	// specific is how much it says: 2 for each character, 1 for each choice.
	specific int
}

// block returns the block that has a schema.
func (d *Data) block(schema int) (*block, error) {
	i, ok := slices.BinarySearchFunc(d.packed, schema, func(p packed, schema int) int { return p.first - schema })
	if !ok {
		i--
	}
	if b, ok := d.blocks.Get(i); ok {
		return b, nil
	}
	raw, err := d.unpacker.DecodeAll([]byte(d.packed[i].data), make([]byte, 0, mostBlock/8))
	if err != nil {
		return nil, fmt.Errorf("%w: block %d: %w", errData, i, err)
	}
	b := d.readBlock(d.packed[i].first, string(raw))
	if b == nil {
		return nil, fmt.Errorf("%w: block %d", errData, i)
	}
	d.blocks.Add(i, b)

	return b, nil
}

// readBlock reads a block, nil for a damaged one.
func (d *Data) readBlock(first int, raw string) *block {
	r := &reader{text: raw}
	b := &block{first: first}
	for _, text := range r.names() {
		b.keys = append(b.keys, key{text, specificity(text)})
	}
	b.texts = r.names()
	b.starts = []int32{0}
	total := 0
	for range r.count() {
		total += r.number()
		b.starts = append(b.starts, int32(total)) //nolint:gosec // the columns are as long
	}
	element, keyLow, keyHigh, low, high := r.take(total), r.take(total), r.take(total), r.take(total), r.take(total)
	if r.failed || r.text != "" {
		return nil
	}
	limits := [elements]int{
		elementModel: len(d.models), elementBody: len(d.bodies), elementFuel: len(d.fuels), elementSecondFuel: len(d.fuels), elementWeight: len(d.weights),
	}
	b.patterns = make([]pattern, total)
	for i := range b.patterns {
		p := pattern{uint16(keyLow[i]) | uint16(keyHigh[i])<<8, uint16(low[i]) | uint16(high[i])<<8, element[i]}
		if int(p.key) >= len(b.keys) || p.element >= elements {
			return nil
		}
		limit := limits[p.element]
		if limit == 0 {
			limit = len(b.texts)
		}
		if int(p.value) >= limit {
			return nil
		}
		b.patterns[i] = p
	}

	return b
}

// of returns the patterns of a schema.
func (b *block) of(schema int) []pattern {
	i := schema - b.first
	if i+1 >= len(b.starts) {
		return nil
	}

	return b.patterns[b.starts[i]:b.starts[i+1]]
}

func specificity(text string) int {
	n := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '*', '|':
		case '#':
			n++
		case '[':
			n++
			i = classEnd(text, i)
		default:
			n += 2
		}
	}

	return n
}

// classEnd is where the class that begins at i has its bracket, or the end.
func classEnd(text string, i int) int {
	for i < len(text)-1 && text[i] != ']' {
		i++
	}

	return i
}

// matches reports whether the characters of a VIN match a key. What is not known of the VIN matches * alone.
func matches(text, number string) bool {
	place := 0
	for i := 0; i < len(text); i++ {
		if place == len(number) {
			return false
		}
		c := number[place]
		place++
		switch text[i] {
		case '*':
		case '#':
			if c < '0' || c > '9' {
				return false
			}
		case '[':
			end := classEnd(text, i)
			if !inClass(text[min(i+1, end):end], c) {
				return false
			}
			i = end
		default:
			if text[i] != c || c == unknown {
				return false
			}
		}
	}

	return true
}

// inClass reports whether a character is in a class such as A-C1.
func inClass(class string, c byte) bool {
	for i := 0; i < len(class); i++ {
		if i+2 < len(class) && class[i+1] == '-' {
			if class[i] <= c && c <= class[i+2] {
				return c != unknown
			}
			i += 2

			continue
		}
		if class[i] == c {
			return c != unknown
		}
	}

	return false
}

// CountPatterns unpacks every block, and returns how many patterns they have. It checks a data file.
func (d *Data) CountPatterns() (int, error) {
	n := 0
	for _, p := range d.packed {
		b, err := d.block(p.first)
		if err != nil {
			return 0, err
		}
		n += len(b.patterns)
	}

	return n, nil
}
