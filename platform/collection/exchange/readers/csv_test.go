package readers

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// all reads a table to its end.
func all(text string) ([][]string, error) {
	from := newTable(strings.NewReader(text), Limits{RowSize: 1 << 20, Columns: 500})
	from.Delimiter = ','
	var rows [][]string
	for {
		cells, _, err := from.Next()
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
