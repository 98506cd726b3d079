// Package documenttest prints models of papers in tests.
package documenttest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/document"
	"github.com/dispatchd/dispatchd/platform/paper"
	"github.com/dispatchd/dispatchd/platform/paper/papertest"
	"github.com/dispatchd/dispatchd/platform/port"
)

// Print prints a model of a kind with a title, on the letterhead of a company of the test.
func Print(t testing.TB, title string, m document.Model) ([]byte, []paper.Warning) {
	t.Helper()
	m.Title = title
	if m.Letterhead == nil {
		m.Letterhead = &document.Letterhead{Name: "Letterhead LLC", Address: []string{"12 Broker Way", "Austin, TX 78701"}}
	}
	file, warnings, err := document.NewPrinter(document.New(nil), port.New(nil), paper.New(), nil).PDF(t.Context(), "test", m)
	require.NoError(t, err)
	require.Equal(t, document.MediaPDF, file.MediaType)

	return file.Content, warnings
}

// Text is the text of a printed model, with one space between words.
func Text(t testing.TB, title string, m document.Model) string {
	t.Helper()
	file, warnings := Print(t, title, m)
	require.Empty(t, warnings)

	return Flat(t, file)
}

// Flat is the text of a PDF, with one space between words.
func Flat(t testing.TB, file []byte) string {
	t.Helper()

	return strings.Join(strings.Fields(papertest.Text(t, file)), " ")
}

// Pages are how many pages a PDF has.
func Pages(t testing.TB, file []byte) int {
	t.Helper()

	return strings.Count(papertest.Text(t, file), "\f")
}

// names are of people, in the scripts that they are written in.
var names = map[string]string{
	"Latin": "José Łukasz Żółć", "Vietnamese": "Nguyễn Văn Đức", "Cyrillic": "Иван Петров", "Greek": "Ελένη Παππά", "Hebrew": "דוד לוי", "Arabic": "محمد علي", "Chinese": "王小明",
	"Korean": "김철수", "Japanese": "さとう",
}

// KeepsNames checks that names in several scripts are on a paper unchanged, or spelled and named in a warning.
func KeepsNames(t *testing.T, title string, model func(name string) document.Model) {
	t.Helper()
	for script, name := range names {
		file, warnings := Print(t, title, model(name))
		text := Flat(t, file)
		switch script {
		case "Chinese", "Korean", "Japanese":
			if strings.Contains(text, name) {
				continue // a font of the machine has its letters
			}
			require.NotEmpty(t, warnings, script)
			require.Equal(t, paper.WarnLetters, warnings[0].Code, script)
		default:
			require.Empty(t, warnings, script)
			require.Contains(t, text, name, script)
		}
	}
}
