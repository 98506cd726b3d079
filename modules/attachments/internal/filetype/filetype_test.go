package filetype

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCleanName_LeavesNoFolderAndNothingInvisible(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                     "file",
		"..":                   "file",
		"a/b/../c.txt":         "c.txt",
		`\\server\share\d.pdf`: "d.pdf",
		"nul\x00l.txt":         "null.txt",
		"a\u202etxt.exe":       "atxt.exe",
		"line\r\nbreak.txt":    "linebreak.txt",
		" .htaccess":           "htaccess",
		"e\u0301.txt":          "é.txt",
		"\xff\xfe.bin":         "_.bin",
	} {
		require.Equalf(t, want, CleanName(given), "%q", given)
	}
	long := CleanName(strings.Repeat("é", 5000) + ".jpeg")
	require.LessOrEqual(t, len(long), longestName)
	require.True(t, strings.HasSuffix(long, "é.jpeg"))
}

func TestServeAs_ShowsNothingThatRuns(t *testing.T) {
	t.Parallel()
	for _, media := range []string{"text/html", "image/svg+xml", "text/xml", "application/xhtml+xml", "application/javascript", "application/x-shockwave-flash", "multipart/related", ""} {
		as, shown := ServeAs(media)
		require.Equal(t, Bytes, as, media)
		require.False(t, shown)
	}
	as, shown := ServeAs("text/plain")
	require.Equal(t, "text/plain; charset=utf-8", as)
	require.True(t, shown)
}

func FuzzCleanName(f *testing.F) {
	f.Add("a/b\x00\u202e.txt")
	f.Add(strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, name string) {
		got := CleanName(name)
		require.NotEmpty(t, got)
		require.LessOrEqual(t, len(got), longestName)
		require.False(t, strings.ContainsAny(got, "/\\\x00\r\n\u202e"))
		require.Equal(t, strings.ToValidUTF8(got, ""), got)
	})
}
