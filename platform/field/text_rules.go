package field

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/dispatchd/dispatchd/platform/naming"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// Bounds on a pattern. Matching takes time in proportion to the text and to the steps that the
// pattern compiles to, which a few characters can make many of.
const (
	mostPattern      = 500
	mostPatternSteps = 1_000
)

// TextRules are the options of a type of text.
type TextRules struct {
	MinLength int    `json:"min_length"`
	MaxLength int    `json:"max_length"`
	Pattern   string `json:"pattern"`
	// Trim takes what cannot be seen off both ends of a value.
	Trim bool `json:"trim"`

	matches *regexp.Regexp
}

func (r *TextRules) check(most int) error {
	if r.MaxLength < 1 || r.MaxLength > most {
		return OptionError{"max_length", fmt.Sprintf("The max length must be between 1 and %d.", most)}
	}
	if r.MinLength < 0 || r.MinLength > r.MaxLength {
		return OptionError{"min_length", "The min length must be between 0 and the max length."}
	}
	if r.Pattern == "" {
		return nil
	}
	matches, problem := CompilePattern(r.Pattern)
	if problem != "" {
		return OptionError{"pattern", "The pattern " + problem}
	}
	r.matches = matches

	return nil
}

// CompilePattern compiles a regular expression of RE2, or says what is wrong with it.
func CompilePattern(pattern string) (compiled *regexp.Regexp, problem string) {
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
		return nil, 0, "must be a regular expression of RE2" + whyNoPattern(err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, 0, "must be a regular expression of RE2" + whyNoPattern(err)
	}
	if len(program.Inst) > mostPatternSteps {
		return nil, 0, fmt.Sprintf("repeats too much: written out, it has %d steps, and at most %d are allowed.", len(program.Inst), mostPatternSteps)
	}
	compiled, err = regexp.Compile(pattern)
	if err != nil {
		return nil, 0, "must be a regular expression of RE2" + whyNoPattern(err)
	}

	return compiled, len(program.Inst), ""
}

// whyNoPattern ends the sentence that refuses a pattern.
func whyNoPattern(err error) string {
	wrong, ok := errors.AsType[*syntax.Error](err)
	switch {
	case !ok:
		return "."
	case wrong.Code == syntax.ErrInvalidPerlOp && strings.HasPrefix(wrong.Expr, "(?"):
		return ", which has no lookaround: " + naming.Shorten(wrong.Expr) + "."
	default:
		return ": " + wrong.Code.String() + " at " + naming.Shorten(wrong.Expr) + "."
	}
}

// parseText reads a JSON string into normalization form C, so that equal texts are found whichever
// way they were typed.
func (r *TextRules) parseText(raw []byte) (Value, error) {
	text, err := parseString(raw)
	if err != nil {
		return Value{}, err
	}
	if normal := r.normal(text); normal != text {
		text = normal
		raw = rawjson.Quote(text)
	}
	if len(text) > r.MaxLength && utf8.RuneCountInString(text) > r.MaxLength {
		return Value{}, Error(fmt.Sprintf("must not be longer than %d characters.", r.MaxLength))
	}
	if r.MinLength > 0 && utf8.RuneCountInString(text) < r.MinLength {
		return Value{}, Error(fmt.Sprintf("must not be shorter than %d characters.", r.MinLength))
	}
	if r.matches != nil && !r.matches.MatchString(text) {
		return Value{}, Error("must match the pattern " + r.Pattern + ".")
	}

	return Value{JSON: raw, Key: text}, nil
}

// normal brings text into the form that values have.
func (r *TextRules) normal(text string) string {
	text = norm.NFC.String(text)
	if r.Trim {
		text = strings.TrimFunc(text, naming.IsInvisible)
	}

	return text
}

// Comparable brings text to compare with into the form that values have.
func (r *TextRules) Comparable(text string) (any, error) {
	if _, err := ComparableText(text); err != nil {
		return nil, err
	}

	return r.normal(text), nil
}

// mostComposed is how many characters normalization form C makes one of at most, or of one.
const mostComposed = 4

// textSchema takes every text whose normalization form C follows the rules, which a schema cannot count in. It leaves out a
// pattern that JSON Schema cannot say, and of text that is trimmed what holds only for the rest of it.
func (r *TextRules) textSchema() map[string]any {
	schema := map[string]any{"type": "string"}
	if r.MinLength > 0 {
		schema["minLength"] = (r.MinLength + mostComposed - 1) / mostComposed
	}
	schema["description"] = fmt.Sprintf("%d to %d characters in normalization form C.", r.MinLength, r.MaxLength)
	if r.Trim {
		return schema
	}
	schema["maxLength"] = mostComposed * r.MaxLength
	if pattern, portable := SchemaPattern(r.Pattern); r.Pattern != "" && portable {
		schema["pattern"] = pattern + "|" + beyondNormal
	}

	return schema
}

// quoteShortened is what a caller wrote, to repeat.
func quoteShortened(text string) string { return string(rawjson.Quote(naming.Shorten(text))) }
