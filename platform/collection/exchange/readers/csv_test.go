package readers

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
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

// opened are the names of the columns and the rows of a table, with the numbers of the rows in front.
func opened(t *testing.T, text string, header int) (names []string, rows []string) {
	t.Helper()
	decoded, _, err := Decode(strings.NewReader(text), "", true)
	require.NoError(t, err)
	from, err := OpenTable(decoded, "", header, Limits{RowSize: 1 << 20, Columns: 500})
	require.NoError(t, err)
	for {
		cells, _, err := from.Next()
		if errors.Is(err, io.EOF) {
			return from.Header(), rows
		}
		require.NoError(t, err)
		rows = append(rows, strconv.Itoa(from.Row())+":"+strings.Join(cells, "|"))
	}
}

func TestOpenTable_FindsTheNamesOfTheColumns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ names, rows string }{
		"a,b,c\n1,2,3\n,,\n , ,\n4,5,6\n":                                  {"a|b|c", "2:1|2|3 5:4|5|6"},
		"sep=;\na;b\n1;2,5\n":                                              {"a|b", "3:1|2,5"},
		"SEP=\t\r\na\tb\r\n1\t2\r\n":                                       {"a|b", "3:1|2"},
		"Orders of May,,\n,,\nPrinted,2026-05-01,\na,b,c,d,e\n1,2,3,4,5\n": {"a|b|c|d|e", "5:1|2|3|4|5"},
		"Orders of May\na;b;c\n1;2;3\n":                                    {"a|b|c", "3:1|2|3"},
		"a\n1\n2\n":                                                        {"a", "2:1 3:2"},
		"a,b\n1,\n,2\n":                                                    {"a|b", "2:1| 3:|2"},
		"Name,City\nZo\xeb,M\xfcnchen\n":                                   {"Name|City", "2:Zoë|München"},
	} {
		names, rows := opened(t, text, 0)
		require.Equal(t, want.names, strings.Join(names, "|"), text)
		require.Equal(t, want.rows, strings.Join(rows, " "), text)
	}
	names, rows := opened(t, "a,b,c\nx,y,z\n1,2,3\n", 2)
	require.Equal(t, []string{"x", "y", "z"}, names)
	require.Equal(t, []string{"3:1|2|3"}, rows)
	_, err := OpenTable(strings.NewReader("a,b\n"), "", 7, Limits{RowSize: 1 << 20, Columns: 500})
	require.ErrorIs(t, err, ErrBadFile)
	_, err = OpenTable(strings.NewReader("\n,,\n"), "", 0, Limits{RowSize: 1 << 20, Columns: 500})
	require.ErrorIs(t, err, ErrBadFile)
}
