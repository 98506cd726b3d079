// Package template fills in texts that people write: Liquid without loops, ranges, assignments and files, and with filters whose
// results are bounded, so that what a template costs in time and memory is bounded by its length.
package template

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/osteele/liquid"
)

// MaxSource is the longest template, MaxOutput the longest text of one, in bytes.
const (
	MaxSource = 5000
	MaxOutput = 20000
	// maxMissing is how many missing variables are looked for.
	maxMissing = 50
)

// Error says what of a template is wrong, in words for people.
type Error struct{ Problem string }

// Error implements error.
func (e *Error) Error() string { return e.Problem }

// MissingError names the variables that a template shows and that have no value.
type MissingError struct{ Names []string }

// Error implements error.
func (e *MissingError) Error() string { return "missing variables: " + strings.Join(e.Names, ", ") }

var (
	opening    = regexp.MustCompile(`\{\{|\{%`)
	dateFormat = regexp.MustCompile(`\|\s*date\s*:\s*("[^"]*"|'[^']*')`)
	tag        = regexp.MustCompile(`\{%-?\s*(\w*)`)
	expression = regexp.MustCompile(`(?s)\{\{.*?\}\}|\{%.*?%\}`)
	quoted     = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	filter     = regexp.MustCompile(`\|\s*(\w*)`)
	undefined  = regexp.MustCompile(`undefined variable in \{\{-?\s*([A-Za-z_][\w.-]*)`)
)

// isAllowed says which words may be used. A filter whose result can be many times its input is not among them:
// repeated, it takes all memory.
func isAllowed(kind, word string) bool {
	tags := []string{"if", "elsif", "else", "endif", "unless", "endunless", "case", "when", "endcase", "comment", "endcomment"}
	filters := []string{
		"default", "upcase", "downcase", "capitalize", "strip", "lstrip", "rstrip", "truncate", "truncatewords", "date",
		"append", "prepend", "plus", "minus", "times", "divided_by", "modulo", "round", "ceil", "floor", "abs", "first", "last", "size", "slice",
	}
	if kind == "tag" {
		return slices.Contains(tags, word)
	}

	return slices.Contains(filters, word)
}

// Check reports a template that cannot be used: an Error.
func Check(source string) error {
	_, err := parse(source, func() error { return nil })

	return err
}

func parse(source string, ended func() error) (*liquid.Template, error) {
	if len(source) > MaxSource {
		return nil, &Error{fmt.Sprintf("The template must have at most %d bytes.", MaxSource)}
	}
	for _, found := range tag.FindAllStringSubmatch(source, -1) {
		if !isAllowed("tag", found[1]) {
			return nil, &Error{fmt.Sprintf("The tag %q cannot be used in a message.", found[1])}
		}
	}
	for _, part := range expression.FindAllString(source, -1) {
		bare := quoted.ReplaceAllString(part, `""`)
		if strings.Contains(bare, "..") {
			return nil, &Error{"Ranges cannot be used in a message."}
		}
		if slices.ContainsFunc(dateFormat.FindAllString(part, -1), hasWidth) {
			return nil, &Error{"A date format must not have widths, such as the 10 in %10Y."}
		}
		for _, found := range filter.FindAllStringSubmatch(bare, -1) {
			if !isAllowed("filter", found[1]) {
				return nil, &Error{fmt.Sprintf("The filter %q cannot be used in a message.", found[1])}
			}
		}
	}
	if err := checkClosed(source); err != nil {
		return nil, err
	}
	parsed, err := newEngine(ended).ParseString(source)
	if err != nil {
		return nil, &Error{"The template cannot be read: " + err.Error()}
	}

	return parsed, nil
}

// checkClosed refuses what opens a value or a tag and is never closed: the library takes it for text.
func checkClosed(source string) error {
	from := 0
	for _, part := range append(expression.FindAllStringIndex(source, -1), []int{len(source), len(source)}) {
		if at := opening.FindStringIndex(source[from:part[0]]); at != nil {
			before := source[:from+at[0]]
			open := source[from+at[0] : from+at[1]]
			line := before[strings.LastIndexByte(before, '\n')+1:]

			return &Error{fmt.Sprintf("The %s at line %d, column %d has no %s that closes it.", open,
				strings.Count(before, "\n")+1, utf8.RuneCountInString(line)+1, strings.NewReplacer("{{", "}}", "{%", "%}").Replace(open))}
		}
		from = part[1]
	}

	return nil
}

// Render fills in a template. Errors: Error, MissingError, and that of ctx once it has ended. The values are not changed.
func Render(ctx context.Context, source string, values map[string]any) (string, error) {
	parsed, err := parse(source, ctx.Err)
	if err != nil {
		return "", err
	}
	filled := clone(values)
	var missing []string
	for range maxMissing {
		text, name, err := render(parsed, filled)
		if ended := ctx.Err(); ended != nil {
			return "", ended
		}
		if err != nil {
			return "", err
		}
		if name == "" {
			if len(missing) > 0 {
				break
			}

			return text, nil
		}
		missing = append(missing, name)
		if !putEmpty(filled, strings.Split(name, ".")) {
			break
		}
	}
	slices.Sort(missing)

	return "", &MissingError{Names: slices.Compact(missing)}
}

// render returns the text, or the name of a variable that has no value.
func render(parsed *liquid.Template, values map[string]any) (text, missing string, err error) {
	out := &bounded{}
	defer func() {
		switch {
		// The library panics on some mistakes, such as a slice with negative bounds, and where it cannot write.
		case recover() != nil && !out.full:
			text, missing, err = "", "", &Error{"The template cannot be rendered."}
		case out.full:
			text, missing, err = "", "", &Error{fmt.Sprintf("The text must have at most %d bytes.", MaxOutput)}
		}
	}()
	if failed := parsed.FRender(out, values); failed != nil {
		if found := undefined.FindStringSubmatch(failed.Error()); found != nil {
			return "", found[1], nil
		}

		return "", "", &Error{"The template cannot be filled in: " + failed.Error()}
	}

	return out.String(), "", nil
}

// errFull ends a rendering.
var errFull = errors.New("template: the text is too long")

// bounded takes no more than MaxOutput.
type bounded struct {
	strings.Builder

	full bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > MaxOutput {
		b.full = true

		return 0, errFull
	}

	return b.Builder.Write(p)
}

// clone copies maps, so that put changes nobody else's.
func clone(values map[string]any) map[string]any {
	copied := make(map[string]any, len(values))
	for key, value := range values {
		if inner, ok := value.(map[string]any); ok {
			value = clone(inner)
		}
		copied[key] = value
	}

	return copied
}

// putEmpty gives a path an empty text, and reports whether it could.
func putEmpty(values map[string]any, path []string) bool {
	if len(path) == 1 {
		values[path[0]] = ""

		return true
	}
	inner, ok := values[path[0]].(map[string]any)
	if !ok {
		if _, taken := values[path[0]]; taken {
			return false
		}
		inner = map[string]any{}
		values[path[0]] = inner
	}

	return putEmpty(inner, path[1:])
}
