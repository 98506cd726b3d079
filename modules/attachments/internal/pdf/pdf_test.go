package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/internal/pdf"
)

func pages(content string) (int, bool) {
	return pdf.Pages(strings.NewReader(content), int64(len(content)))
}

// classic is a PDF with a table.
func classic(count string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, object := range []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count " + count + " >>"} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := b.Len()
	b.WriteString("xref\n0 3\n0000000000 65535 f \n")
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", at)

	return b.String()
}

// updated has another page tree behind it.
func updated(content, count string) string {
	before := strings.LastIndex(content, "xref\n0 3")
	at := len(content)
	content += "2 0 obj\n<< /Type /Pages /Count " + count + " >>\nendobj\n"
	table := len(content)

	return content + fmt.Sprintf("xref\n2 1\n%010d 00000 n \ntrailer\n<< /Size 3 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n", at, before, table)
}

func packed(t *testing.T, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())

	return b.String()
}

// modern is a PDF whose objects are in a stream, and whose cross references are one.
func modern(t *testing.T, count string) string {
	t.Helper()
	catalog, tree := "<< /Type /Catalog /Pages 2 0 R >> ", "<< /Type /Pages /Count "+count+" >>"
	head := fmt.Sprintf("1 0 2 %d ", len(catalog))
	content := "%PDF-1.5\n"
	holder := len(content)
	content += fmt.Sprintf("3 0 obj\n<< /Type /ObjStm /N 2 /First %d /Filter /FlateDecode >>\nstream\n%s\nendstream\nendobj\n",
		len(head), packed(t, []byte(head+catalog+tree)))
	at := len(content)
	var rows []byte
	above := make([]byte, 4)
	for _, row := range [][]byte{{0, 0, 0, 0}, {2, 0, 3, 0}, {2, 0, 3, 1}, {1, byte(holder >> 8), byte(holder), 0}} {
		rows = append(rows, 2) // the difference to the row above
		for i := range row {
			rows = append(rows, row[i]-above[i])
		}
		above = row
	}

	return content + fmt.Sprintf("4 0 obj\n<< /Type /XRef /Size 4 /W [1 2 1] /Root 1 0 R /Filter /FlateDecode "+
		"/DecodeParms << /Predictor 12 /Columns 4 >> >>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF", packed(t, rows), at)
}

func TestPages_AreThoseOfTheLatestTree(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]int{
		classic("7"):                7,
		updated(classic("7"), "12"): 12,
		modern(t, "31"):             31,
	} {
		got, ok := pages(content)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
}

func TestPages_OfWhatIsDamagedAreUnknown(t *testing.T) {
	t.Parallel()
	fine := classic("7")
	loop := strings.Replace(fine, "/Root 1 0 R", fmt.Sprintf("/Prev %d", strings.Index(fine, "xref")), 1)
	for _, content := range []string{
		"", "%PDF-1.4", "%PDF-1.4\nstartxref\n99999\n%%EOF", fine[:len(fine)-40], loop, strings.Replace(fine, "/Count", "/Kount", 1),
		classic("-1"), classic("99999999999999999999"), classic("999999999"),
		strings.Replace(fine, "0 3", "0 999999999", 1),
		"%PDF-1.5\n1 0 obj << /W [1 9 9] /Root 1 0 R /Filter /FlateDecode >> stream\n" + packed(t, make([]byte, 16<<20)) + "\nstartxref\n9\n%%EOF", // a bomb
	} {
		_, ok := pages(content)
		require.False(t, ok, "%.200q", content)
	}
}

func FuzzPages(f *testing.F) {
	t := &testing.T{}
	f.Add(classic("7"))
	f.Add(updated(classic("7"), "12"))
	f.Add(modern(t, "31"))
	f.Fuzz(func(t *testing.T, content string) {
		n, ok := pages(content)
		require.True(t, ok || n >= 0)
	})
}
