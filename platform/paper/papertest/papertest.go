// Package papertest reads what package paper has printed.
package papertest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
)

var (
	streamRule = regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`)
	textRule   = regexp.MustCompile(`(?s)BT [-\d.]+ ([-\d.]+) Td \(((?:[^\\)]|\\.)*)\) ?Tj ET`)
	escapeRule = regexp.MustCompile(`(?s)\\(.)`)
)

// Text returns the text of a printed document: a line for each height at which something was printed, in the order of printing, and a form feed after
// each page.
func Text(t testing.TB, file []byte) string {
	t.Helper()
	require.True(t, bytes.HasPrefix(file, []byte("%PDF-")), "a PDF")
	decode := plain
	if bytes.Contains(file, []byte("/Identity-H")) {
		decode = wide
	}
	var out strings.Builder
	for _, stream := range streamRule.FindAllSubmatch(file, -1) {
		page, ok := inflated(stream[1])
		if !ok || !bytes.Contains(page, []byte("BT ")) {
			continue
		}
		height := ""
		for _, found := range textRule.FindAllSubmatch(page, -1) {
			switch {
			case height == "":
			case height == string(found[1]):
				out.WriteByte(' ')
			default:
				out.WriteByte('\n')
			}
			height = string(found[1])
			out.WriteString(decode(escapeRule.ReplaceAllFunc(found[2], unescape)))
		}
		out.WriteString("\n\f")
	}

	return out.String()
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
