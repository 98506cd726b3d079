package migrate

import (
	"regexp"
	"strings"
)

// kind says what a token of SQL is.
type kind int

const (
	symbol kind = iota // one character, or "::"
	blank              // white space and comments
	word               // a keyword or a bare name
	quoted             // a name in double quotes
	text               // a string in single quotes
	body               // a string in dollar quotes
)

// token is a piece of SQL. The texts of all tokens together are the SQL.
type token struct {
	kind kind
	text string
}

// statement is what stands between two semicolons, without blanks.
type statement []*token

var lexer = regexp.MustCompile(`(?s)^(?:` + strings.Join([]string{
	`(\s+|--[^\n]*|/\*.*?\*/)`,
	`([A-Za-z_][A-Za-z0-9_]*)`,
	`("(?:[^"]|"")*")`,
	`('(?:[^']|'')*')`,
	`(\$[A-Za-z_]*\$)`,
	`::|.`,
}, "|") + `)`)

// lexerKinds are the kinds of the lexer's groups, in their order.
func lexerKinds() []kind { return []kind{blank, word, quoted, text, body} }

// tokenize splits SQL into its tokens.
func tokenize(sql string) []*token {
	var tokens []*token
	kinds := lexerKinds()
	for len(sql) > 0 {
		at := lexer.FindStringSubmatchIndex(sql)
		t := &token{kind: symbol}
		for group, k := range kinds {
			if at[2*group+2] >= 0 {
				t.kind = k
			}
		}
		end := at[1]
		if t.kind == body {
			end = endOfBody(sql, end)
		}
		t.text, sql = sql[:end], sql[end:]
		tokens = append(tokens, t)
	}

	return tokens
}

// endOfBody returns where a string in dollar quotes ends whose opening quote ends at open.
func endOfBody(sql string, open int) int {
	quote := sql[:open]
	if closing := strings.Index(sql[open:], quote); closing >= 0 {
		return open + closing + open
	}

	return len(sql)
}

// inside returns what stands between the dollar quotes of a body.
func (t *token) inside() string {
	quote := t.text[:strings.Index(t.text[1:], "$")+2]

	return strings.TrimSuffix(strings.TrimPrefix(t.text, quote), quote)
}

// statements groups the tokens that are not blank.
func statements(tokens []*token) []statement {
	var all []statement
	var current statement
	for _, t := range tokens {
		switch {
		case t.kind == blank:
		case t.kind == symbol && t.text == ";":
			all = append(all, current)
			current = nil
		default:
			current = append(current, t)
		}
	}
	if len(current) > 0 {
		all = append(all, current)
	}

	return all
}

// has reports whether the tokens from i on are these keywords or symbols.
func (s statement) has(i int, words ...string) bool {
	if i < 0 || i+len(words) > len(s) {
		return false
	}
	for n, w := range words {
		t := s[i+n]
		if t.kind != word && t.kind != symbol || !strings.EqualFold(t.text, w) {
			return false
		}
	}

	return true
}

// hasAny reports whether token i is one of these keywords or symbols.
func (s statement) hasAny(i int, words ...string) bool {
	for _, w := range words {
		if s.has(i, w) {
			return true
		}
	}

	return false
}

// skip returns the index after the given words at i, each of which may be missing.
func (s statement) skip(i int, words ...string) int {
	for _, w := range words {
		if s.has(i, w) {
			i++
		}
	}

	return i
}

// name returns the name that token i is, in lower case unless it is quoted.
func (s statement) name(i int) (string, bool) {
	if i < 0 || i >= len(s) {
		return "", false
	}
	switch t := s[i]; t.kind {
	case word:
		return strings.ToLower(t.text), true
	case quoted:
		return strings.ReplaceAll(strings.Trim(t.text, `"`), `""`, `"`), true
	case symbol, blank, text, body:
	}

	return "", false
}

// closing returns the index of the parenthesis that closes the one at i, of the last token if none
// does.
func (s statement) closing(i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch {
		case s.has(i, "("):
			depth++
		case s.has(i, ")"):
			depth--
			if depth == 0 {
				return i
			}
		}
	}

	return len(s) - 1
}

// String returns the beginning of the statement on one line, for errors.
func (s statement) String() string {
	const most = 12
	words := make([]string, 0, most)
	for _, t := range s {
		if len(words) == most {
			words = append(words, "…")

			break
		}
		words = append(words, t.text)
	}

	return strings.Join(words, " ")
}
