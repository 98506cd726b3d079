package pdfjoin_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/carlos7ags/folio/reader"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/pdfjoin"
)

func TestMain(m *testing.M) {
	pdfjoin.ServeChild()
	os.Exit(m.Run()) //nolint:forbidigo // as testing does
}

// written is a PDF with a word on each page. Its pages inherit their size.
func written(t *testing.T, words ...string) []byte {
	t.Helper()
	pdf := fpdf.New("P", "mm", "Letter", "")
	pdf.SetFont("Helvetica", "", 20)
	for _, word := range words {
		pdf.AddPage()
		pdf.Cell(40, 10, word)
	}
	var b bytes.Buffer
	require.NoError(t, pdf.Output(&b))

	return b.Bytes()
}

// built is a PDF of objects, the first of which is its catalog.
func built(objects ...string) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, at)

	return []byte(b.String())
}

// words are the texts of a PDF, page by page.
func words(t *testing.T, file []byte) (all []string) {
	t.Helper()
	r, err := reader.Parse(file)
	require.NoError(t, err)
	for i := range r.PageCount() {
		page, err := r.Page(i)
		require.NoError(t, err)
		text, err := page.ExtractText()
		require.NoError(t, err)
		all = append(all, strings.Fields(text)...)
	}

	return all
}

func TestJoin_KeepsPagesInOrder(t *testing.T) {
	t.Parallel()
	inherits := built("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 300 300] /Rotate 90 /Resources << /Font << /F 5 0 R >> >> >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>", "<< /Length 40 >>\nstream\nBT /F 20 Tf 50 50 Td (Gamma) Tj ET        \nendstream",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	joined, pages, err := pdfjoin.Join(t.Context(), [][]byte{written(t, "Alpha", "Beta"), inherits, written(t, "Delta")})
	require.NoError(t, err)
	require.Equal(t, 4, pages)
	n, err := pdfjoin.Pages(t.Context(), joined)
	require.NoError(t, err)
	require.Equal(t, 4, n)
	require.Contains(t, string(joined), "/MediaBox [0.0 0.0 300.0 300.0]")
	require.Contains(t, string(joined), "/Rotate 90")
	require.Equal(t, []string{"Alpha", "Beta", "Gamma", "Delta"}, words(t, joined))
}

func TestStamp_IsOnEachPageAboveTheText(t *testing.T) {
	t.Parallel()
	stamped, err := pdfjoin.Stamp(t.Context(), written(t, "Alpha", "Beta"), "VOID")
	require.NoError(t, err)
	require.Equal(t, []string{"Alpha", "Beta"}, words(t, stamped))
	require.Equal(t, 2, bytes.Count(stamped, []byte("(VOID) Tj")))
	_, err = pdfjoin.Stamp(t.Context(), stamped, "void)")
	require.Error(t, err)
}

func TestPages_RefusesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	page := "<< /Type /Page /MediaBox [0 0 9 9] >>"
	doubling := []string{"<< /Type /Catalog /Pages 2 0 R >>"}
	for i := range 60 {
		doubling = append(doubling, fmt.Sprintf("<< /Type /Pages /Count 2 /Kids [%d 0 R %d 0 R] >>", i+3, i+3))
	}
	endless := built(doubling...)
	chain := []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>", "<< /Type /Page /MediaBox [0 0 9 9] /X 4 0 R >>"}
	for i := range 300_000 {
		chain = append(chain, fmt.Sprintf("[%d 0 R]", i+5))
	}
	const tooMuch = "takes too" // much memory, or long on a slow machine
	var secret bytes.Buffer
	locked := fpdf.New("P", "mm", "Letter", "")
	locked.SetProtection(0, "open", "own")
	locked.AddPage()
	require.NoError(t, locked.Output(&secret))
	for name, c := range map[string]struct {
		file []byte
		why  string
	}{
		"empty":          {nil, "damaged"},
		"no PDF":         {[]byte("hello, this is a text"), "damaged"},
		"no pages":       {built("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"), "no pages"},
		"201 pages":      {built("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 201 /Kids ["+strings.Repeat("3 0 R ", 201)+"] >>", page), "more than 200 pages"},
		"doubling pages": {built(append(doubling, page)...), tooMuch},
		"deep chain":     {built(chain...), "more than can be read"},
		"wide tree":      {built("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids ["+strings.Repeat("3 0 R ", 4_000_000)+"] >>", page), tooMuch},
		"password":       {secret.Bytes(), "password"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pdfjoin.Pages(t.Context(), c.file)
			require.ErrorIs(t, err, pdfjoin.ErrUnreadable)
			require.ErrorContains(t, err, c.why)
		})
	}
	t.Run("endless tree", func(t *testing.T) {
		t.Parallel()
		_, err := pdfjoin.PagesWithin(t.Context(), time.Second, endless)
		require.ErrorIs(t, err, pdfjoin.ErrUnreadable)
		require.ErrorContains(t, err, "too long")
	})
}

func TestJoin_SurvivesDamagedFiles(t *testing.T) {
	t.Parallel()
	whole := written(t, "Alpha", "Beta", "Gamma")
	rnd := rand.New(rand.NewPCG(7, 7))
	for range 40 {
		file := bytes.Clone(whole[:rnd.IntN(len(whole)/2)+len(whole)/2])
		for range rnd.IntN(60) {
			file[rnd.IntN(len(file))] = byte(rnd.IntN(256))
		}
		if _, _, err := pdfjoin.Join(t.Context(), [][]byte{whole, file}); err != nil {
			require.ErrorIs(t, err, pdfjoin.ErrUnreadable)
		}
	}
}

func TestJoin_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	_, err := pdfjoin.Pages(t.Context(), bytes.Repeat([]byte("x"), pdfjoin.MaxBytes+1))
	require.ErrorContains(t, err, "more than 50 MB")
}
