package custommodules

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds on a pattern. Matching takes time in proportion to the text and to the steps that the
// pattern compiles to, which a few characters can make many of.
const (
	mostPattern      = 500
	mostPatternSteps = 1_000
)

// notPortable finds what a pattern of RE2 has and one of ECMA 262, which JSON Schema wants, has not.
var notPortable = regexp.MustCompile(`\(\?[^:]|\\[AzQECpPx]|\[\[:`)

// textRules are the options of a type of text.
type textRules struct {
	MinLength int    `json:"min_length"`
	MaxLength int    `json:"max_length"`
	Pattern   string `json:"pattern"`

	matches *regexp.Regexp
}

func (r *textRules) check(most int) error {
	if r.MaxLength < 1 || r.MaxLength > most {
		return optionError{"max_length", fmt.Sprintf("The max length must be between 1 and %d.", most)}
	}
	if r.MinLength < 0 || r.MinLength > r.MaxLength {
		return optionError{"min_length", "The min length must be between 0 and the max length."}
	}
	if r.Pattern == "" {
		return nil
	}
	matches, problem := compilePattern(r.Pattern)
	if problem != "" {
		return optionError{"pattern", "The pattern " + problem}
	}
	r.matches = matches

	return nil
}

// compilePattern compiles a regular expression of RE2, or says what is wrong with it.
func compilePattern(pattern string) (compiled *regexp.Regexp, problem string) {
	compiled, _, problem = compileSteps(pattern)

	return compiled, problem
}

// compileSteps compiles a pattern, and counts the steps that it compiles to.
func compileSteps(pattern string) (compiled *regexp.Regexp, steps int, problem string) {
	if utf8.RuneCountInString(pattern) > mostPattern {
		return nil, 0, fmt.Sprintf("must not be longer than %d characters.", mostPattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, 0, "must be a regular expression of RE2."
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > mostPatternSteps {
		return nil, 0, "repeats too much."
	}
	compiled, err = regexp.Compile(pattern)
	if err != nil {
		return nil, 0, "must be a regular expression of RE2."
	}

	return compiled, len(program.Inst), ""
}

// parseText reads a JSON string into normalization form C, so that equal texts are found whichever
// way they were typed.
func (r *textRules) parseText(raw []byte) (value, error) {
	text, err := parseString(raw)
	if err != nil {
		return value{}, err
	}
	if !norm.NFC.IsNormalString(text) {
		text = norm.NFC.String(text)
		raw = quote(text)
	}
	if len(text) > r.MaxLength && utf8.RuneCountInString(text) > r.MaxLength {
		return value{}, valueError(fmt.Sprintf("must not be longer than %d characters.", r.MaxLength))
	}
	if r.MinLength > 0 && utf8.RuneCountInString(text) < r.MinLength {
		return value{}, valueError(fmt.Sprintf("must not be shorter than %d characters.", r.MinLength))
	}
	if r.matches != nil && !r.matches.MatchString(text) {
		return value{}, valueError("must match the pattern " + r.Pattern + ".")
	}

	return value{json: raw, key: text}, nil
}

// textSchema is of text in normalization form C. It leaves out a pattern that JSON Schema cannot say.
func (r *textRules) textSchema() map[string]any {
	schema := map[string]any{"type": "string"}
	if r.MinLength > 0 {
		schema["minLength"] = r.MinLength
	}
	schema["maxLength"] = r.MaxLength
	if r.Pattern != "" && !notPortable.MatchString(r.Pattern) {
		schema["pattern"] = r.Pattern
	}

	return schema
}
