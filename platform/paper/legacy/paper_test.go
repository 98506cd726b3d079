package legacy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	paper "github.com/dispatchd/dispatchd/platform/paper/legacy"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
)

func document(signer string) paper.Document {
	return paper.Document{
		Title: "Signed order", Number: "L-2026-00012", Date: "2026-12-01", Created: time.Unix(1_800_000_000, 0).UTC(),
		Signatures: []paper.Signature{{Name: "Signed by " + signer, Text: "by link", Strokes: "M10 10L500 150"}},
	}
}

func TestPrint_KeepsNamesInEveryAlphabet(t *testing.T) {
	t.Parallel()
	for signer, want := range map[string]string{
		"José Peña": "José Peña", "Jose\u0301 Pen\u0303a": "José Peña", "Łukasz Żółć": "Łukasz Żółć", "Иван Петров": "Иван Петров", "Ελένη Παππά": "Ελένη Παππά",
		"Nguyễn Văn Đức": "Nguyễn Văn Đức", "王小明": "Wang Xiao Ming (U+738B U+5C0F U+660E)", "Ann 😀 Lee": "Ann (U+1F600) Lee",
	} {
		file, err := paper.Print(document(signer))
		require.NoError(t, err)
		require.Contains(t, papertest.Text(t, file), "Signed by "+want, signer)
	}
}

func TestPrint_KeepsWhatIsReadFromRightToLeft(t *testing.T) {
	t.Parallel()
	file, err := paper.Print(document("דוד לוי (David Levi)"))
	require.NoError(t, err)
	require.Contains(t, papertest.Text(t, file), "Signed by דוד לוי (David Levi)")
}

func TestPrint_KeepsNamesInEveryPart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"José Peña", "Иван Петров"} {
		d := document(name)
		d.From, d.To = paper.Party{Name: "From " + name}, paper.Party{Name: "To " + name}
		d.Facts, d.Last = []paper.Fact{{Name: "Fact " + name, Text: "Text " + name}}, []paper.Fact{{Name: "Last " + name, Text: "at the end"}}
		d.Columns = []paper.Columns{{Name: "Columns " + name, Left: "Left " + name, Right: "Right " + name}}
		d.Lines, d.Net, d.Total, d.Currency = []paper.Line{{Text: "Line " + name, Period: "2026", Amount: "1.00"}}, "1.00", "1.00", "USD"
		d.Scan, d.ScanText = "https://example.com", "Scan "+name
		file, err := paper.Print(d)
		require.NoError(t, err)
		text := papertest.Text(t, file)
		require.Contains(t, text, "From To\nFrom "+name+" To "+name)
		for _, part := range []string{"Fact", "Text", "Last", "Columns", "Left", "Right", "Line", "Scan", "Signed by"} {
			require.Contains(t, text, part+" "+name)
		}
	}
}

func TestPrint_NumbersEveryPage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"José", "Иван"} {
		d := document(name)
		for range 60 {
			d.Facts = append(d.Facts, paper.Fact{Name: "Vehicle", Text: "2003 Honda Accord"})
		}
		file, err := paper.Print(d)
		require.NoError(t, err)
		pages := strings.Split(strings.TrimSuffix(papertest.Text(t, file), "\f"), "\f")
		require.Greater(t, len(pages), 3)
		for i, page := range pages {
			require.Regexp(t, `Signed order L-2026-00012\s+Page `+string(rune('1'+i))+` of `+string(rune('0'+len(pages))), page)
		}
	}
}

func TestPrint_BreaksLongDescriptionsIntoLines(t *testing.T) {
	t.Parallel()
	d := document("Ann Lee")
	d.Lines, d.Net, d.Total, d.Currency = []paper.Line{{Text: strings.Repeat("transport ", 20) + "to the end", Amount: "1.00"}}, "1.00", "1.00", "USD"
	file, err := paper.Print(d)
	require.NoError(t, err)
	require.Contains(t, papertest.Text(t, file), "to the end")
}

func TestPrint_GivesTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"José", "Иван 王"} {
		one, err := paper.Print(document(name))
		require.NoError(t, err)
		two, err := paper.Print(document(name))
		require.NoError(t, err)
		require.Equal(t, one, two)
	}
}
