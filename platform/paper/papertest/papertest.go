// Package papertest reads what package paper has printed.
package papertest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

var (
	streamRule = regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`)
	textRule   = regexp.MustCompile(`(?s)BT /(\w+) ([\d.]+) Tf ET|BT ([-\d.]+) ([-\d.]+) Td \(((?:[^\\)]|\\.)*)\) ?Tj ET`)
	escapeRule = regexp.MustCompile(`(?s)\\(.)`)
	fontRule   = regexp.MustCompile(`/(F[0-9a-f]{8,}) (\d+) 0 R`)
	widthsRule = regexp.MustCompile(`(?s)\n(\d+) 0 obj\n<</Type /Font\n/Subtype /CIDFontType2.*?/DW (\d+)\n/W \[(.*?)\]\n/CIDToGIDMap`)
	pageRule   = regexp.MustCompile(`/Type /Page\b[^s]`)
)

// Text returns the text of a printed document: a line for each height at which something was printed, in the order of printing, and a form feed after
// each page. What is read from right to left is in the order in which it is read, its letters in their plain forms.
func Text(t testing.TB, file []byte) string {
	t.Helper()
	require.True(t, bytes.HasPrefix(file, []byte("%PDF-")), "a PDF")
	decode := plain
	if bytes.Contains(file, []byte("/Identity-H")) {
		decode = wide
	}
	fonts := fontsOf(file)
	var out strings.Builder
	for _, stream := range streamRule.FindAllSubmatch(file, -1) {
		page, ok := inflated(stream[1])
		if !ok || !bytes.Contains(page, []byte("BT ")) {
			continue
		}
		out.WriteString(pageText(page, fonts, decode))
		out.WriteString("\n\f")
	}

	return out.String()
}

// Pages returns how many pages a printed document has.
func Pages(t testing.TB, file []byte) int {
	t.Helper()

	return len(pageRule.FindAll(file, -1))
}

func pageText(page []byte, fonts map[string]widths, decode func([]byte) string) string {
	var lines []string
	line, height, end := "", "", math.Inf(1)
	var font widths
	size := 0.0
	for _, found := range textRule.FindAllSubmatch(page, -1) {
		if len(found[1]) > 0 {
			font, size = fonts[string(found[1])], number(found[2])

			continue
		}
		x, text := number(found[3]), decode(escapeRule.ReplaceAllFunc(found[5], unescape))
		const rounding = 0.1 // points
		switch {
		case height == string(found[4]) && math.Abs(x-end) < rounding:
			line += text
		case height == string(found[4]):
			line += " " + text
		default:
			if height != "" {
				lines = append(lines, logical(line))
			}
			line = text
		}
		height, end = string(found[4]), x+font.of(text)*size/1000
	}

	return strings.Join(append(lines, logical(line)), "\n")
}

func number(text []byte) float64 {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return math.NaN()
	}

	return n
}

// widths are those of the letters of a font, in thousandths of its size.
type widths struct {
	standard float64
	letters  map[rune]float64
}

// of is the width of a text; without widths it is not known.
func (w widths) of(text string) (sum float64) {
	if w.letters == nil {
		return math.Inf(1)
	}
	for _, r := range text {
		if width, ok := w.letters[r]; ok {
			sum += width
		} else {
			sum += w.standard
		}
	}

	return sum
}

// fontsOf reads the widths of the embedded fonts, by their names.
func fontsOf(file []byte) map[string]widths {
	objects, fonts := map[int]widths{}, map[string]widths{}
	for _, found := range widthsRule.FindAllSubmatch(file, -1) {
		objects[int(number(found[1]))] = widths{number(found[2]), lettersOf(string(found[3]))}
	}
	for _, found := range fontRule.FindAllSubmatch(file, -1) {
		if of, ok := objects[int(number(found[2]))+1]; ok { // what describes a font follows it
			fonts[string(found[1])] = of
		}
	}

	return fonts
}

// lettersOf reads an array of widths (ISO 32000-1, 9.7.4.3): first [width …] and first last width.
func lettersOf(array string) map[rune]float64 {
	all := map[rune]float64{}
	fields := strings.Fields(strings.NewReplacer("[", " [ ", "]", " ] ").Replace(array))
	for i := 0; i+2 < len(fields); {
		from := rune(number([]byte(fields[i])))
		if fields[i+1] != "[" {
			for r := from; r <= rune(number([]byte(fields[i+1]))); r++ {
				all[r] = number([]byte(fields[i+2]))
			}
			i += 3

			continue
		}
		for i += 2; i < len(fields) && fields[i] != "]"; i++ {
			all[from] = number([]byte(fields[i]))
			from++
		}
		i++
	}

	return all
}

// logical puts a line into the order in which it is read.
func logical(line string) string {
	if !strings.ContainsFunc(line, fromRight) {
		return line
	}
	runes := []rune(line)
	for from := 0; from < len(runes); from++ {
		if !fromRight(runes[from]) {
			continue
		}
		end := from + 1
		for to := end; to < len(runes) && !unicode.Is(unicode.Latin, runes[to]) && !unicode.IsDigit(runes[to]); to++ {
			if fromRight(runes[to]) || unicode.Is(unicode.Mn, runes[to]) {
				end = to + 1
			}
		}
		for begin := from; begin > 0 && strings.ContainsRune(brackets, runes[begin-1]); begin-- {
			from = begin - 1
		}
		turnAround(runes[from:end])
		from = end
	}

	return norm.NFKC.String(string(runes))
}

// brackets are drawn the other way around in a text from right to left.
const brackets = "()[]{}"

func turnAround(runes []rune) {
	slices.Reverse(runes)
	for i, r := range runes {
		if at := strings.IndexRune(brackets, r); at >= 0 {
			runes[i] = rune(brackets[at^1])
		}
	}
}

func fromRight(r rune) bool {
	properties, _ := bidi.LookupRune(r)

	return properties.Class() == bidi.R || properties.Class() == bidi.AL
}

func unescape(escaped []byte) []byte {
	if escaped[1] == 'r' {
		return []byte("\r")
	}

	return escaped[1:]
}

// plain is a text in Windows-1252.
func plain(text []byte) string {
	decoded, err := charmap.Windows1252.NewDecoder().Bytes(text)
	if err != nil {
		return err.Error()
	}

	return string(decoded)
}

// wide is a text in UTF-16.
func wide(text []byte) string {
	const unit = 2
	var units []uint16
	for ; len(text) >= unit; text = text[unit:] {
		units = append(units, binary.BigEndian.Uint16(text))
	}

	return string(utf16.Decode(units))
}

func inflated(stream []byte) ([]byte, bool) {
	r, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil, false
	}
	text, err := io.ReadAll(r)

	return text, err == nil
}
