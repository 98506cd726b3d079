package paper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"codeberg.org/go-fonts/dejavu/dejavusansbold"
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansitalic"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/dispatchd/dispatchd/platform/paper/eastasian"
)

// font is a font that letters are looked for in.
type font struct {
	// family is its name in the PDF, without spaces.
	family string
	data   []byte
	parsed *sfnt.Font
	units  int
	// bold and italic say for which texts it is looked at first.
	bold, italic bool
	// later has the font opened for the first letter from first on, nil for one that is open.
	later func() error
	first rune
}

// fontSet are the fonts of a Printer, in the order in which a letter is looked for in them. They are loaded for the first paper.
type fontSet struct {
	fonts    []*font
	warnings []Warning
}

// loadFonts returns the embedded fonts, and those in the files.
func loadFonts(files []string) (*fontSet, error) {
	set := &fontSet{}
	embedded := []*font{
		{family: "text", data: liberationsansregular.TTF},
		{family: "textbold", data: liberationsansbold.TTF, bold: true},
		{family: "textitalic", data: liberationsansitalic.TTF, italic: true},
		{family: "wide", data: dejavusans.TTF},
		{family: "widebold", data: dejavusansbold.TTF, bold: true},
	}
	for _, f := range embedded {
		if err := f.parse(); err != nil {
			return nil, fmt.Errorf("embedded font %s: %w", f.family, err)
		}
		set.fonts = append(set.fonts, f)
	}
	set.fonts = append(set.fonts, eastAsian())
	for i, name := range files {
		f, err := loadFont(name)
		if err != nil {
			set.warnings = append(set.warnings, Warning{Code: WarnFont, Where: filepath.Base(name), Text: "The font cannot be used: " + err.Error() + "."})

			continue
		}
		f.family = "file" + strconv.Itoa(i)
		set.fonts = append(set.fonts, f)
	}

	return set, nil
}

// eastAsian is the embedded font for Chinese, Japanese and Korean. Most papers have no letter of it, so it is unpacked for the first that has.
func eastAsian() *font {
	const jamo = 0x1100 // where its scripts begin
	f := &font{family: "east", first: jamo}
	f.later = sync.OnceValue(func() (err error) {
		if f.data, err = eastasian.TTF(); err != nil {
			return err
		}

		return f.parse()
	})

	return f
}

// has reports whether the font may have a letter, and opens it if need be.
func (f *font) has(r rune) bool {
	return r <= lastPlain && (f.later == nil || r >= f.first && f.later() == nil)
}

// loadFont reads the font in a file, TrueType (.ttf) or the first of a collection (.ttc).
func loadFont(name string) (*font, error) {
	data, err := os.ReadFile(name) //nolint:gosec // named by whoever runs the service
	if err != nil {
		return nil, errors.New("the file cannot be read")
	}
	if data, err = firstOf(data); err != nil {
		return nil, err
	}
	f := &font{data: data}
	if err := f.parse(); err != nil {
		return nil, err
	}

	return f, f.usable()
}

func (f *font) parse() (err error) {
	if f.parsed, err = sfnt.Parse(f.data); err != nil {
		return errors.New("it is no TrueType font")
	}
	f.units = int(f.parsed.UnitsPerEm())

	return nil
}

// usable tries the font with the library that writes it, which panics over some that are damaged.
func (f *font) usable() (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it is damaged")
		}
	}()
	if restricted(f.data) {
		return errors.New("its license does not let it be embedded")
	}
	pdf := fpdf.New("P", "mm", "Letter", "")
	pdf.AddUTF8FontFromBytes("f", "", f.data)
	pdf.AddPage()
	pdf.SetFont("f", "", 10) //nolint:mnd // any size
	pdf.Text(10, 10, "a1")   //nolint:mnd // anywhere
	if err := pdf.Output(discard{}); err != nil {
		return errors.New("it has no outlines of TrueType")
	}

	return nil
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// lazily returns a function that loads fonts once.
func lazily(files []string) func() (*fontSet, error) {
	return sync.OnceValues(func() (*fontSet, error) { return loadFonts(files) })
}

// em is the width of a letter in thousandths of the size of its font.
const em = 1000

// face is a font as a paper uses it.
type face struct {
	of     *font
	widths map[rune]int
	added  bool
}

// width returns how wide a letter is in thousandths of the size, and whether the font has it.
func (f *face) width(r rune) (int, bool) {
	if w, known := f.widths[r]; known {
		return w, w >= 0
	}
	w := -1
	if !f.of.has(r) {
		f.widths[r] = w

		return w, false
	}
	var buffer sfnt.Buffer
	if glyph, err := f.of.parsed.GlyphIndex(&buffer, r); err == nil && glyph != 0 {
		if advance, err := f.of.parsed.GlyphAdvance(&buffer, glyph, fixed.I(f.of.units), 0); err == nil {
			w = (advance.Round()*em + f.of.units/2) / f.of.units
		}
	}
	f.widths[r] = w

	return w, w >= 0
}

// lastPlain is the last letter that the library prints.
const lastPlain = 0xFFFF
