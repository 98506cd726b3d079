package legacy

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"github.com/go-fonts/dejavu/dejavusanscondensed"
	"github.com/go-fonts/dejavu/dejavusanscondensedbold"
	"github.com/mozillazg/go-unidecode"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

const (
	// builtIn is a font that every reader of PDF has, of the letters of Windows-1252 alone. embedded has Latin, Greek, Cyrillic, Hebrew and Arabic letters, and
	// makes a file larger.
	builtIn  = "Helvetica"
	embedded = "DejaVu"
)

// letters writes the texts of a document in a font that has their letters.
type letters struct {
	font string
	// encode makes a text one that the font takes.
	encode func(string) string
}

// lettersOf chooses the font of a document: the built-in one, unless a text has other letters.
func lettersOf(pdf *fpdf.Fpdf, d Document) (letters, error) {
	all, err := json.Marshal(d) //nolint:musttag // only its letters are looked at
	if err != nil {
		return letters{}, err
	}
	for _, r := range norm.NFC.String(string(all)) {
		if _, there := charmap.Windows1252.EncodeRune(r); !there && !unseen(r) {
			pdf.AddUTF8FontFromBytes(embedded, "", dejavusanscondensed.TTF)
			pdf.AddUTF8FontFromBytes(embedded, "B", dejavusanscondensedbold.TTF)

			return letters{embedded, visual}, nil
		}
	}
	translate := pdf.UnicodeTranslatorFromDescriptor("cp1252")

	return letters{builtIn, func(text string) string { return translate(clean(text)) }}, nil
}

// unseen reports whether a character has no shape of its own, such as one that joins others.
func unseen(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.IsControl(r) && r != '\n' && r != '\t'
}

// clean composes letters with their accents, and drops what has no shape.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}

		return r
	}, norm.NFC.String(text))
}

// visual is a text as the embedded font takes it: what it has no letters for is spelled in Latin letters, and what is read from right to left is turned around.
func visual(text string) string {
	lines := strings.Split(spelled(clean(text)), "\n")
	for i, line := range lines {
		lines[i] = ordered(line)
	}

	return strings.Join(lines, "\n")
}

// spelled replaces runs of letters without a shape by a transcription and their codes: "Wang Wei (U+738B U+4F1F)".
func spelled(text string) string {
	var out, missing strings.Builder
	flush := func() {
		if missing.Len() == 0 {
			return
		}
		run, codes := strings.TrimRight(missing.String(), " "), []string{}
		for _, r := range run {
			if r != ' ' {
				codes = append(codes, fmt.Sprintf("U+%04X", r))
			}
		}
		latin := strings.Join(strings.Fields(unidecode.Unidecode(run)), " ")
		out.WriteString(strings.TrimSpace(latin + " (" + strings.Join(codes, " ") + ")"))
		out.WriteString(strings.Repeat(" ", missing.Len()-len(run)))
		missing.Reset()
	}
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t', r != ' ' && hasShape(r):
			flush()
			out.WriteRune(r)
		case r == ' ' && missing.Len() == 0:
			out.WriteRune(r)
		default:
			missing.WriteRune(r)
		}
	}
	flush()

	return out.String()
}

// ordered puts a line into the order in which it is printed.
func ordered(line string) string {
	const mark = "\u200e" // has the line itself be read from left to right
	var p bidi.Paragraph
	if !strings.ContainsFunc(line, fromRight) {
		return line
	}
	if _, err := p.SetString(mark + line); err != nil {
		return line
	}
	order, err := p.Order()
	if err != nil {
		return line
	}
	var out strings.Builder
	for i := range order.NumRuns() {
		run := order.Run(i)
		text := run.String()
		if run.Direction() == bidi.RightToLeft {
			text = bidi.ReverseString(text)
		}
		out.WriteString(text)
	}

	return strings.ReplaceAll(out.String(), mark, "")
}

// fromRight reports whether a letter is read from right to left.
func fromRight(r rune) bool {
	properties, _ := bidi.LookupRune(r)

	return properties.Class() == bidi.R || properties.Class() == bidi.AL
}

// shapes are the letters of the embedded font.
var shapes = sync.OnceValue(func() *sfnt.Font {
	font, err := sfnt.Parse(dejavusanscondensed.TTF)
	if err != nil {
		panic(err) // of our own list of modules
	}

	return font
})

// lastPlain is the last letter that the library prints.
const lastPlain = 0xFFFF

func hasShape(r rune) bool {
	if r > lastPlain {
		return false
	}
	var buffer sfnt.Buffer
	glyph, err := shapes().GlyphIndex(&buffer, r)

	return err == nil && glyph != 0
}
