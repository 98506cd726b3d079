package modules_test

import (
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dialect are words and phrases that plain English does without, with the number of times that comments and messages still use them. The
// numbers only fall: write "no longer" for "not … any more", "anyone with the link" for "whoever has it", and the field's own noun for "what
// stands". Lower a number with every text that you mend.
var dialect = map[string]int{
	"any more": 63, "as it is": 171, "as they are": 60, "heard": 17, "nobody": 319, "of which": 142, "somebody": 204, "there is such a": 4, "told": 164,
	"what stands": 32, "whoever": 66,
}

func TestEnglish_DialectDoesNotSpread(t *testing.T) {
	t.Parallel()
	patterns := map[string]*regexp.Regexp{}
	for words := range dialect {
		patterns[words] = regexp.MustCompile(`(?i)\b` + words + `\b`)
	}
	found := map[string]int{}
	count := func(text string) {
		for words, pattern := range patterns {
			found[words] += len(pattern.FindAllStringIndex(text, -1))
		}
	}
	for _, s := range sources(t, false) {
		for _, group := range s.file.Comments {
			count(strings.Join(strings.Fields(group.Text()), " "))
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			if literal, is := node.(*ast.BasicLit); is && literal.Kind == token.STRING {
				count(literal.Value)
			}

			return true
		})
	}
	for _, words := range slices.Sorted(maps.Keys(dialect)) {
		if found[words] < dialect[words] {
			t.Logf("%q is used %d times: lower the number", words, found[words])
		}
		require.LessOrEqualf(t, found[words], dialect[words], "%q: say it in plain English (docs of this test)", words)
	}
}
