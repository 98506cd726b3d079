package exchange

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func FuzzShield_ComesBackAndStartsNoFormula(f *testing.F) {
	for _, cell := range []string{"", "'", "''", "=1", "'=1", "-5", "'-5", "-5.", "-1e3", "+1", "@x", "\t", "\r", "\n=", "＝1", "it's"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		text := shield(cell)
		back, value := unshield(text)
		require.True(t, value, "an empty cell is no value")
		require.Equal(t, cell, back)
		if !plainNumber.MatchString(text) {
			for _, s := range starters() {
				require.False(t, strings.HasPrefix(text, s))
			}
		}
		require.Equal(t, text, reshield(text))
	})
}

// all reads a table to its end.
func all(text string) ([][]string, error) {
	s := Defaults()
	from := newTableReader(strings.NewReader(text), s)
	from.delimiter = ','
	var rows [][]string
	for {
		cells, _, err := from.next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, cells)
	}
}

func FuzzTableReader_ReadsWhatTheStandardLibraryWrites(f *testing.F) {
	f.Add("a", "b,\"c\"", "d\r\ne")
	f.Add("", "\n", "x\ry")
	f.Add("=", " b", "\\.")
	f.Add("\xd1", "\xa9", "0")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		want := [][]string{{a, b, "x"}, {c, "", a}}
		var text strings.Builder
		require.NoError(t, csv.NewWriter(&text).WriteAll(want))
		got, err := all(text.String())
		if !utf8.ValidString(a) || !utf8.ValidString(b) || !utf8.ValidString(c) || strings.ContainsRune(a+b+c, 0) {
			require.Error(t, err)

			return
		}
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

func FuzzTableReader_EndsWithRowsOrAnError(f *testing.F) {
	f.Add("a,b\n\"c\"\"d\",e\r\n\r\nf")
	f.Add("\"")
	f.Add("\"a\"b")
	f.Add(",,\r,\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := all(text)
		if err != nil {
			require.True(t, errors.Is(err, ErrBadFile) || errors.Is(err, ErrEncoding), "%v", err)

			return
		}
		for _, row := range rows {
			require.NotEmpty(t, row)
		}
	})
}
