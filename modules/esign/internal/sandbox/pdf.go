package sandbox

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// document is the envelope as a PDF: what was filled in and signed, or who did what when.
func document(e *envelope, which provider.Document) io.ReadCloser {
	lines := []string{"Sandbox document: nothing in it is binding.", "", e.Subject, "Envelope " + e.ID.String() + ", " + e.Status}
	if which == provider.Certificate {
		lines = append([]string{"Certificate of completion", ""}, append(lines, certificate(e)...)...)
	} else {
		lines = append(lines, content(e)...)
	}

	return io.NopCloser(bytes.NewReader(renderPDF(lines)))
}

func content(e *envelope) []string {
	var lines []string
	for _, f := range e.Files {
		lines = append(lines, "", "Document: "+f.Name, "SHA-256 "+f.SHA256)
	}
	for _, r := range e.Recipients {
		lines = append(lines, "", strings.TrimSpace(r.Role+" "+r.Name))
		for _, t := range r.Tabs {
			if t.Fillable {
				lines = append(lines, "  "+t.Label+": "+t.Value)
			}
		}
		if r.SignedAt != nil {
			lines = append(lines, "  Signed: "+r.Signature+", "+r.SignedAt.UTC().Format(time.RFC3339))
		}
	}

	return lines
}

func certificate(e *envelope) []string {
	lines := []string{"Sent: " + formatStamp(e.SentAt), "Completed: " + formatStamp(e.CompletedAt)}
	for _, r := range e.Recipients {
		lines = append(lines, "", r.Name+" <"+r.Email+">, "+r.Status,
			"  Sent: "+formatStamp(r.SentAt), "  Viewed: "+formatStamp(r.DeliveredAt), "  Signed: "+formatStamp(r.SignedAt))
	}

	return lines
}

func formatStamp(at *time.Time) string {
	if at == nil {
		return "-"
	}

	return at.UTC().Format(time.RFC3339)
}

const (
	linesPerPage = 48
	charsPerLine = 95
)

// renderPDF is lines of text as a PDF 1.4 (ISO 32000-1), in a font that every reader has. What that font has no letter for is
// a question mark.
func renderPDF(lines []string) []byte {
	var sheets [][]string
	for _, line := range lines {
		for _, part := range wrapLine(latin1(line)) {
			if len(sheets) == 0 || len(sheets[len(sheets)-1]) == linesPerPage {
				sheets = append(sheets, nil)
			}
			sheets[len(sheets)-1] = append(sheets[len(sheets)-1], part)
		}
	}
	// Objects 1 to 3 are the catalogue, the pages and the font; each page is two more.
	var kids []string
	objects := make([]string, 3, 3+2*len(sheets))
	for _, sheet := range sheets {
		n := len(objects) + 1
		kids = append(kids, fmt.Sprintf("%d 0 R", n))
		var text strings.Builder
		text.WriteString("BT /F1 10 Tf 50 792 Td 15 TL\n")
		for _, line := range sheet {
			text.WriteString("(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line) + ") Tj T*\n")
		}
		text.WriteString("ET")
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", n+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", text.Len(), text.String()))
	}
	objects[0] = "<< /Type /Catalog /Pages 2 0 R >>"
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	objects[2] = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"

	return assemblePDF(objects)
}

// assemblePDF puts objects into a file, with the table of where they are.
func assemblePDF(objects []string) []byte {
	var file bytes.Buffer
	file.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var table strings.Builder
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n%s", len(objects)+1, table.String())
	fmt.Fprintf(&file, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)

	return file.Bytes()
}

// latin1 is a text in the font's letters, one byte each.
func latin1(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 0x20 && r < 0x7f, r >= 0xa0 && r <= 0xff:
			b.WriteByte(byte(r)) //nolint:gosec // it is below 256
		case r == '\t', r == '\n', r == '\r':
			b.WriteByte(' ')
		default:
			b.WriteByte('?')
		}
	}

	return b.String()
}

// wrapLine cuts a line into ones that fit.
func wrapLine(line string) []string {
	var parts []string
	for len(line) > charsPerLine {
		parts, line = append(parts, line[:charsPerLine]), line[charsPerLine:]
	}

	return append(parts, line)
}
