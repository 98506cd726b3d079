package modules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/naming"
)

// about begins a message about a key: up to four words in lower case between "The" and what they must be.
var about = regexp.MustCompile(`^The ([a-z_]+(?: [a-z_]+){0,3}) (?:must|is required|are required|is only|is for|is not|cannot|takes|has to|needs)\b`)

// TestTexts_QuoteTheKeysThatAreNoNouns reads every message of the code: a key whose words are no noun, or that has an underscore, is quoted.
func TestTexts_QuoteTheKeysThatAreNoNouns(t *testing.T) {
	t.Parallel()
	var wrong []string
	for _, root := range []string{".", filepath.Join("..", "platform")} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for at, text := range textsOf(t, path) {
				if words := about.FindStringSubmatch(text); words != nil && !saysNoun(words[1]) {
					wrong = append(wrong, at+": "+text)
				}
			}

			return nil
		}))
	}
	require.Empty(t, wrong, "quote the key: `at` must not be in the future")
}

// saysNoun reports whether the words of a sentence may stand for a key.
func saysNoun(words string) bool {
	key := strings.ReplaceAll(words, " ", "_")
	for part := range strings.SplitSeq(words, " ") {
		if strings.Contains(part, "_") {
			return false
		}
	}

	return strings.Count(key, "_") > 1 || naming.IsNoun(key)
}

// textsOf are the strings of a file by their places, but for the tags of structs.
func textsOf(t *testing.T, path string) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	texts := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		if field, is := node.(*ast.Field); is && field.Tag != nil {
			field.Tag = nil
		}
		literal, is := node.(*ast.BasicLit)
		if !is || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		require.NoError(t, err)
		texts[files.Position(literal.Pos()).String()] = text

		return true
	})

	return texts
}
