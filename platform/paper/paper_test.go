package paper_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"codeberg.org/go-fonts/dejavu/dejavusansmono"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
)

func samples() map[string]paper.Paper {
	all := map[string]paper.Paper{
		"confirmation-1": rateConfirmation(plainNames, 1), "confirmation-9": rateConfirmation(plainNames, 9), "confirmation-40": rateConfirmation(plainNames, 40),
		"bol-1": billOfLading(plainNames, 1, 12), "bol-9": billOfLading(plainNames, 9, 40), "bol-short": billOfLading(plainNames, 1, 0),
	}
	for _, n := range []int{0, 1, 50, 300} {
		all["invoice-"+strconv.Itoa(n)] = invoice(plainNames, n)
	}
	for script, n := range inScripts {
		all["script-"+script] = rateConfirmation(n, 2)
	}

	return all
}

// printed is a paper as PDF, without warnings.
func printed(t *testing.T, doc paper.Paper) []byte {
	t.Helper()
	file, warnings, err := paper.New().PDF(t.Context(), doc)
	require.NoError(t, err)
	require.Empty(t, warnings)

	return file
}

func textOf(t *testing.T, blocks ...paper.Block) string {
	t.Helper()

	return papertest.Text(t, printed(t, paper.Paper{Blocks: blocks, Created: sampleCreated}))
}

func TestSamples_ArePrinted(t *testing.T) {
	t.Parallel()
	dir, printer := os.Getenv("PAPER_SAMPLES"), paper.New()
	for name, doc := range samples() {
		if dir == "" && name == "bol-9" {
			continue // forty photos take a while
		}
		file, warnings, err := printer.PDF(t.Context(), doc)
		require.NoError(t, err)
		require.Empty(t, warnings, name)
		html, _, err := printer.HTML(t.Context(), doc)
		require.NoError(t, err)
		if dir != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+".pdf"), file, 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+".html"), []byte(html), 0o600))
		}
	}
}

// everywhere is a paper that has a text in each of its parts.
func everywhere(text string) paper.Paper {
	at := func(part string) string { return part + " " + text }

	return paper.Paper{
		Head:  paper.Head{Name: at("Head"), Lines: []string{at("Line")}, Website: at("Website"), TaxID: at("Tax")},
		Title: at("Title"), Number: at("Number"), Date: at("Date"), Details: []paper.Fact{{Name: at("Detail"), Text: at("Value")}}, Foot: at("Foot"),
		Created: sampleCreated,
		Blocks: []paper.Block{
			paper.Heading{Text: at("Heading")},
			paper.Text{Text: at("Text")},
			paper.Rich{Text: "**" + at("Bold") + "**\n\n- " + at("Item") + "\n\n*" + at("Italic") + "*"},
			paper.Facts{Title: at("Facts"), Items: []paper.Fact{{Name: at("Fact"), Text: at("Known")}}},
			paper.Parties{{Label: at("Role"), Name: at("Party"), Lines: []string{at("Street")}}},
			paper.Columns{Cells: [][]paper.Block{{paper.Text{Text: at("Left")}}, {paper.Text{Text: at("Right")}}}},
			paper.Table{
				Title: at("Table"), Columns: []paper.Column{{Title: at("Column")}, {Title: "Other"}},
				Rows: []paper.Row{{Cells: []string{at("Cell"), ""}, Note: at("Note")}}, Totals: []paper.Row{{Cells: []string{at("Sum"), ""}, Strong: true}},
			},
			paper.Table{Columns: []paper.Column{{Title: "Nothing"}}, Empty: at("Empty")},
			paper.Amounts{{Label: at("Amount"), Value: "1"}, {Label: "Total", Value: at("Due"), Strong: true}},
			paper.Photos{Title: at("Photos"), Items: []paper.Photo{{Caption: at("Caption")}}},
			paper.Image{Picture: picture(logoPNG(), ""), Caption: at("Image")},
			paper.Outline{Title: at("Outline"), Marks: []paper.Mark{{Side: "left", X: 1, Y: 1, Label: at("Mark")}}},
			paper.Outline{None: at("None")},
			paper.Signature{Label: at("Signer"), Name: at("Name"), Text: at("Statement"), Time: at("Time"), Strokes: "M10 10L500 150"},
			paper.Code{Address: "https://example.com", Text: at("Scan")},
			paper.Box{Title: at("Box"), Blocks: []paper.Block{paper.Text{Text: at("Inside")}}},
			paper.KeepTogether{Blocks: []paper.Block{paper.Text{Text: at("Kept")}}},
			paper.Line{},
			paper.Space{Height: 5},
			paper.PageBreak{},
			paper.Text{Text: at("Next")},
		},
	}
}

var everyPart = strings.Fields("Head Line Website Tax Title Number Date Detail Value Foot Heading Text Bold Item Italic Facts Fact Known Role Party Street Left Right " +
	"Table Column Cell Note Sum Empty Amount Due Photos Caption Image Outline Mark None Signer Name Statement Time Scan Box Inside Kept Next")

func TestPDF_KeepsNamesInEveryPartAndScript(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"José Peña", "Łukasz Żółć", "Иван Петров", "Ελένη Παππά", "Nguyễn Văn Đức", "דוד לוי", "محمد عبد الله"} {
		text := strings.ReplaceAll(papertest.Text(t, printed(t, everywhere(name))), "\n", " ")
		for _, part := range everyPart {
			require.Contains(t, text, part+" "+name)
		}
	}
}

func TestHTML_KeepsNamesInEveryPartAndScript(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"José Peña", "王小明", "دافيد <b>&", "O'Neil \"Jr\""} {
		html, warnings, err := paper.New().HTML(t.Context(), everywhere(name))
		require.NoError(t, err)
		require.Empty(t, warnings)
		escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;").Replace(name)
		for _, part := range everyPart {
			require.Contains(t, html, part+" "+escaped)
		}
	}
}

func TestPDF_GivesTheSameBytes(t *testing.T) {
	t.Parallel()
	printer := paper.New()
	for _, doc := range []paper.Paper{everywhere("José"), everywhere("Иван 王 محمد"), billOfLading(plainNames, 2, 3)} {
		one, _, err := printer.PDF(t.Context(), doc)
		require.NoError(t, err)
		for range 3 {
			two, _, err := paper.New().PDF(t.Context(), doc)
			require.NoError(t, err)
			require.Equal(t, one, two)
		}
	}
}

func TestPDF_HasTheLettersOfChineseJapaneseAndKorean(t *testing.T) {
	t.Parallel()
	const names = "王小明 東京運送 たなか タナカ 김철수 한국운송"
	file, warnings, err := paper.New().PDF(t.Context(), paper.Paper{Created: sampleCreated, Title: names, Blocks: []paper.Block{
		paper.Parties{{Label: "Carrier", Name: names}}, paper.Text{Text: "Haul Co " + names},
	}})
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Equal(t, 3, strings.Count(papertest.Text(t, file), names))
	require.Less(t, len(file), 80_000, "only the letters that it has are embedded")
}

func TestPDF_SpellsLettersThatNoFontHasAndWarns(t *testing.T) {
	t.Parallel()
	doc := paper.Paper{Created: sampleCreated, Blocks: []paper.Block{
		paper.Parties{{Label: "Carrier", Name: "राम र"}},
		paper.Table{Title: "Vehicles", Columns: []paper.Column{{Title: "Vehicle"}}, Rows: []paper.Row{{Cells: []string{"Ford"}}, {Cells: []string{"Ann 😀 Lee"}}}},
	}}
	file, warnings, err := paper.New().PDF(t.Context(), doc)
	require.NoError(t, err)
	text := papertest.Text(t, file)
	require.Contains(t, text, "raam r (U+0930 U+093E U+092E U+0930)")
	require.Contains(t, text, "Ann (U+1F600) Lee")
	require.Len(t, warnings, 2)
	require.Equal(t, []string{paper.WarnLetters, "राम", "Carrier: राम र"}, []string{warnings[0].Code, warnings[0].Characters, warnings[0].Where})
	require.Equal(t, []string{paper.WarnLetters, "😀", "Vehicles: row 2"}, []string{warnings[1].Code, warnings[1].Characters, warnings[1].Where})
}

func TestPDF_TakesLettersFromFontFiles(t *testing.T) {
	t.Parallel()
	const letter = "⌔" // of no built-in font
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, content, 0o600))

		return file
	}
	mono := dejavusansmono.TTF
	for _, name := range []string{write("mono.ttf", mono), write("mono.ttc", collection(mono))} {
		file, warnings, err := paper.New(name).PDF(t.Context(), paper.Paper{Blocks: []paper.Block{paper.Text{Text: "Sign " + letter}}})
		require.NoError(t, err)
		require.Empty(t, warnings)
		require.Contains(t, papertest.Text(t, file), "Sign "+letter)
	}
	for _, name := range []string{write("cut.ttf", mono[:len(mono)/2]), write("text.ttf", []byte("this is no font, but some text")), write("none.ttf", nil), filepath.Join(dir, "missing.ttf")} {
		file, warnings, err := paper.New(name).PDF(t.Context(), paper.Paper{Blocks: []paper.Block{paper.Text{Text: "Sign " + letter}}})
		require.NoError(t, err)
		require.Contains(t, papertest.Text(t, file), "Sign (U+2314)")
		require.Len(t, warnings, 2)
		require.Equal(t, paper.WarnFont, warnings[1].Code)
		require.Equal(t, filepath.Base(name), warnings[1].Where)
	}
}

// collection is a collection of one font.
func collection(font []byte) []byte {
	const header = 16
	out := append([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x01"), 0, 0, 0, header)
	out = append(out, font...)
	tables := int(font[4])<<8 | int(font[5])
	for i := range tables { // offsets are from the beginning of the file
		at := header + 12 + 16*i + 8
		offset := int(out[at])<<24 | int(out[at+1])<<16 | int(out[at+2])<<8 | int(out[at+3]) + header
		out[at], out[at+1], out[at+2], out[at+3] = byte(offset>>24), byte(offset>>16), byte(offset>>8), byte(offset)
	}

	return out
}

func TestPDF_CutsNothing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 40)
	for name, block := range map[string]paper.Block{
		"text":   paper.Text{Text: long},
		"fact":   paper.Facts{Items: []paper.Fact{{Name: "Number", Text: long}, {Name: long, Text: "x"}}},
		"table":  paper.Table{Columns: []paper.Column{{Title: "A"}, {Title: "B", Align: paper.Right}}, Rows: []paper.Row{{Cells: []string{"x", long}}}},
		"party":  paper.Parties{{Name: long}, {Name: "x"}, {Name: "y"}},
		"amount": paper.Amounts{{Label: "Total", Value: long}},
		"box":    paper.Box{Blocks: []paper.Block{paper.Columns{Cells: [][]paper.Block{{paper.Text{Text: long}}, {}}}}},
	} {
		text := strings.ReplaceAll(textOf(t, block), "\n", "")
		require.Contains(t, strings.ReplaceAll(strings.ReplaceAll(text, " x ", ""), " ", ""), long, name)
	}
}

func TestPDF_GoesOnOnTheNextPage(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 4000 {
		words = append(words, "w"+strconv.Itoa(i))
	}
	long := strings.Join(words, " ")
	for name, block := range map[string]paper.Block{
		"text": paper.Text{Text: long}, "rich": paper.Rich{Text: long},
		"fact":    paper.Facts{Items: []paper.Fact{{Name: "Notes", Text: long}}},
		"table":   paper.Table{Columns: []paper.Column{{Title: "A"}}, Rows: []paper.Row{{Cells: []string{long}}}},
		"note":    paper.Table{Columns: []paper.Column{{Title: "A"}}, Rows: []paper.Row{{Cells: []string{"x"}, Note: long}}},
		"party":   paper.Parties{{Name: "A", Lines: words}, {Name: "B"}},
		"columns": paper.Columns{Cells: [][]paper.Block{{paper.Text{Text: long}}, {paper.Text{Text: "beside"}}}},
		"box":     paper.Box{Title: "Terms", Blocks: []paper.Block{paper.Text{Text: long}}},
		"boxes":   paper.Box{Blocks: []paper.Block{paper.Box{Blocks: []paper.Block{paper.Text{Text: long}}}}},
		"kept":    paper.KeepTogether{Blocks: []paper.Block{paper.Text{Text: long}}},
		"sign":    paper.Signature{Name: "Ann", Text: long},
	} {
		file := printed(t, paper.Paper{Title: "Notes", Blocks: []paper.Block{block}})
		text := strings.Join(strings.Fields(papertest.Text(t, file)), " ")
		require.Greater(t, papertest.Pages(t, file), 1, name)
		for _, word := range words {
			require.Contains(t, text, word, name)
		}
	}
}

func TestPDF_RepeatsTheHeadOfATableAndPrintsItsTotalsOnce(t *testing.T) {
	t.Parallel()
	doc := invoice(plainNames, 300)
	table, is := doc.Blocks[1].(paper.Table)
	require.True(t, is)
	table.Totals = []paper.Row{{Cells: []string{"Sum of all lines"}, Strong: true}}
	doc.Blocks[1] = table
	pages := strings.Split(strings.TrimSuffix(papertest.Text(t, printed(t, doc)), "\f"), "\f")
	require.Greater(t, len(pages), 7)
	for i, page := range pages {
		require.Contains(t, page, fmt.Sprintf("Page %d of %d", i+1, len(pages)))
		if strings.Contains(page, "Transport of") {
			require.Equal(t, 1, strings.Count(page, "Description Delivered Qty Price Amount"), page)
		}
	}
	text := strings.Join(pages, "")
	require.Equal(t, 1, strings.Count(text, "Sum of all lines"))
	require.Equal(t, 1, strings.Count(text, "Balance due"))
	for i := range 300 {
		require.Contains(t, text, fmt.Sprintf("(L-2026-%05d)", i+1))
	}
	last := pages[len(pages)-1]
	require.NotContains(t, last, "Sum of all lines\nTransport", "the last row is on the page of the totals")
}

func TestPDF_FitsOnOnePageWhereOneWillDo(t *testing.T) {
	t.Parallel()
	for name, doc := range map[string]paper.Paper{"confirmation": rateConfirmation(plainNames, 1), "invoice": invoice(plainNames, 1)} {
		require.Equal(t, 1, papertest.Pages(t, printed(t, doc)), name)
	}
	for n := range 10 { // the acceptance is never alone on the second page, unless the first is full
		require.LessOrEqual(t, papertest.Pages(t, printed(t, rateConfirmation(plainNames, n))), 2)
	}
}

func TestPDF_KeepsBlocksTogether(t *testing.T) {
	t.Parallel()
	for n := 0; n < 60; n += 2 {
		blocks := []paper.Block{
			paper.Text{Text: strings.Repeat("line\n", n)},
			paper.Heading{Text: "Heading"},
			paper.Text{Text: "below"},
			paper.Box{Title: "Acceptance", Blocks: []paper.Block{paper.Text{Text: "agreed"}, paper.Signature{Name: "Ann"}}},
			paper.KeepTogether{Blocks: []paper.Block{paper.Text{Text: "one"}, paper.Text{Text: "two"}, paper.Amounts{{Label: "three"}}}},
		}
		for page := range strings.SplitSeq(textOf(t, blocks...), "\f") {
			for _, together := range [][]string{{"Heading", "below"}, {"Acceptance", "agreed", "Ann"}, {"one", "two", "three"}} {
				for _, part := range together {
					require.Equal(t, strings.Contains(page, together[0]), strings.Contains(page, part), part)
				}
			}
		}
	}
}

func TestPDF_HasTheSizeOfTheCountry(t *testing.T) {
	t.Parallel()
	for country, box := range map[string]string{"": "612.00 792.00", "US": "612.00 792.00", "MX": "612.00 792.00", "DE": "595.28 841.89", "JP": "595.28 841.89"} {
		require.Contains(t, string(printed(t, paper.Paper{Size: paper.SizeIn(country)})), "/MediaBox [0 0 "+box, country)
	}
	require.Contains(t, string(printed(t, paper.Paper{Size: paper.Legal})), "/MediaBox [0 0 612.00 1008.00")
}

func TestPDF_PrintsAStampOnEachPage(t *testing.T) {
	t.Parallel()
	doc := paper.Paper{Stamp: "VOID", Blocks: []paper.Block{paper.Text{Text: "one"}, paper.PageBreak{}, paper.Text{Text: "two"}}}
	require.Equal(t, 2, strings.Count(papertest.Text(t, printed(t, doc)), "VOID"))
}

func TestPDF_LinksOnlyToSafeAddresses(t *testing.T) {
	t.Parallel()
	file := printed(t, paper.Paper{Blocks: []paper.Block{paper.Rich{Text: "See [this](https://example.com/a?b=c) and [that](javascript:alert(1)) and [file](file:///etc/passwd)."}}})
	require.Contains(t, string(file), "/URI (https://example.com/a?b=c)")
	require.Equal(t, 1, bytes.Count(file, []byte("/URI (")))
	require.Contains(t, papertest.Text(t, file), "[file](file:///etc/passwd)")
}

func TestPDF_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := paper.New().PDF(ctx, invoice(plainNames, 1))
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = paper.New().HTML(ctx, invoice(plainNames, 1))
	require.ErrorIs(t, err, context.Canceled)
}

// counted counts how many of its files are open, and the most that were at a time.
type counted struct {
	content           []byte
	now, most, opened atomic.Int64
}

func (c *counted) picture() paper.Picture {
	return paper.Picture{Open: func(context.Context) (io.ReadCloser, error) {
		c.opened.Add(1)
		c.most.Store(max(c.most.Load(), c.now.Add(1)))

		return &countedFile{bytes.NewReader(c.content), c}, nil
	}}
}

type countedFile struct {
	io.Reader
	of *counted
}

func (f *countedFile) Close() error {
	f.of.now.Add(-1)

	return nil
}

func TestPDF_OpensOnePictureAtATimeAndPrintsItSmall(t *testing.T) {
	t.Parallel()
	files := &counted{content: photo(2400, 1800, 40)}
	items := make([]paper.Photo, 12)
	for i := range items {
		items[i] = paper.Photo{Picture: files.picture(), Caption: strconv.Itoa(i)}
	}
	file := printed(t, paper.Paper{Blocks: []paper.Block{paper.Photos{Items: items}}})
	require.EqualValues(t, 1, files.most.Load())
	require.Zero(t, files.now.Load())
	require.EqualValues(t, len(items), files.opened.Load())
	require.Less(t, len(file), len(files.content)*2, "pictures are as small as they may be")
}

func TestPrinter_PutsAFrameInThePlaceOfAPictureThatCannotBeRead(t *testing.T) {
	t.Parallel()
	broken := func(open func(context.Context) (io.ReadCloser, error)) paper.Photo {
		return paper.Photo{Picture: paper.Picture{Open: open}, Caption: "Front"}
	}
	for name, photo := range map[string]paper.Photo{
		"not there": broken(func(context.Context) (io.ReadCloser, error) { return nil, errors.New("gone") }),
		"no image":  {Picture: picture([]byte("text"), ""), Caption: "Front"},
		"cut":       {Picture: picture(photo(600, 400, 1)[:300], ""), Caption: "Front"},
		"bomb":      {Picture: picture(pngOf(60_000, 60_000), ""), Caption: "Front"},
	} {
		doc := paper.Paper{Blocks: []paper.Block{paper.Photos{Title: "Photos", Items: []paper.Photo{photo}}, paper.Image{Picture: photo.Picture, Caption: "Single"}}}
		file, warnings, err := paper.New().PDF(t.Context(), doc)
		require.NoError(t, err)
		require.Contains(t, papertest.Text(t, file), "Picture not available", name)
		require.Contains(t, papertest.Text(t, file), "Front", name)
		require.Len(t, warnings, 2, name)
		require.Equal(t, []string{paper.WarnPicture, "Photos: Front"}, []string{warnings[0].Code, warnings[0].Where})
		require.Equal(t, "Image: Single", warnings[1].Where)
		html, warnings, err := paper.New().HTML(t.Context(), doc)
		require.NoError(t, err)
		require.Contains(t, html, "Picture not available", name)
		require.Len(t, warnings, 2, name)
	}
}

// pngOf is the head of a PNG of a size, without the pixels.
func pngOf(wide, high int) []byte {
	head := logoPNG()[:33:33]
	for i := range 4 {
		head[16+i], head[20+i] = byte(wide>>(24-8*i)), byte(high>>(24-8*i))
	}

	return head
}

func TestHTML_NeedsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	html, _, err := paper.New().HTML(t.Context(), billOfLading(plainNames, 1, 2))
	require.NoError(t, err)
	require.NotContains(t, html, "<script")
	require.NotContains(t, html, "<link")
	require.Equal(t, 3, strings.Count(html, `src="data:image/`))
	require.Contains(t, html, `<html lang="en" dir="ltr">`)
	require.Contains(t, html, `alt="Front left"`)
}

func TestHTML_UsesTheAddressOfAPicture(t *testing.T) {
	t.Parallel()
	html, warnings, err := paper.New().HTML(t.Context(), paper.Paper{Blocks: []paper.Block{paper.Image{Picture: paper.Picture{Address: `/logo?a=1&b="x"`, Alt: "Logo"}}}})
	require.NoError(t, err)
	require.Empty(t, warnings)
	require.Contains(t, html, `<img src="/logo?a=1&amp;b=&#34;x&#34;" alt="Logo">`)
}

func TestHTML_KeepsTheOrderOfNumbersAmongHebrew(t *testing.T) {
	t.Parallel()
	html, _, err := paper.New().HTML(t.Context(), paper.Paper{Language: "he", Blocks: []paper.Block{paper.Text{Text: "דוד, (312) 555-0190"}}})
	require.NoError(t, err)
	require.Contains(t, html, `דוד, <bdi dir="ltr">(312) 555-0190</bdi>`)
	require.Contains(t, html, `dir="rtl"`)
}

func TestSettings_WantFontFiles(t *testing.T) {
	t.Parallel()
	require.NoError(t, paper.Defaults().Validate())
	file := filepath.Join(t.TempDir(), "font.TTF")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, paper.Settings{Fonts: []string{file}}.Validate())
	require.ErrorContains(t, paper.Settings{Fonts: []string{"/fonts/noto.otf"}}.Validate(), "want a .ttf or .ttc file")
	require.ErrorContains(t, paper.Settings{Fonts: []string{file + ".ttf"}}.Validate(), "there is no such file")
}

func FuzzPrinter(f *testing.F) {
	for _, seed := range []string{"", "Ann Lee", "**bold* [x](y", "דוד (", "محمد\u200d\u0301 [3] 12%", "王😀\x00\t\r\n", "\u202eabc", "-\n- \n1. ", strings.Repeat("x", 500), "ﷺ\u0644\u0627\u0301", "\xfa", "a😀"} {
		f.Add(seed)
	}
	printer := paper.New()
	f.Fuzz(func(t *testing.T, text string) {
		const most = 3000
		if len(text) > most {
			return
		}
		doc := everywhere(text)
		doc.Blocks = append(doc.Blocks, paper.Rich{Text: text})
		doc.Created = time.Unix(0, 0)
		_, _, err := printer.PDF(t.Context(), doc)
		require.NoError(t, err)
		_, _, err = printer.HTML(t.Context(), doc)
		require.NoError(t, err)
	})
}
