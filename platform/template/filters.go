package template

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/osteele/liquid"
	"github.com/osteele/liquid/filters"
)

// wideDate is a directive of a date format with a width, which asks for that many characters.
var wideDate = regexp.MustCompile(`%%|%[-_^#0:]*[1-9]`)

var (
	errTooLong   = fmt.Errorf("the text must have at most %d bytes", MaxOutput)
	errNotUsable = errors.New("the filter cannot be used in a message")
)

// hasWidth reports whether a date format has a width, such as %10Y.
func hasWidth(format string) bool {
	return slices.ContainsFunc(wideDate.FindAllString(format, -1), func(directive string) bool { return directive != "%%" })
}

// newEngine returns the library with the filters that may be used, each of which fails once ended returns an error, and neither takes
// nor returns a text that is longer than MaxOutput.
func newEngine(ended func() error) *liquid.Engine {
	e := liquid.NewEngine()
	e.StrictVariables()
	own := guarded{ended: ended, engine: e}
	filters.AddStandardFilters(own)
	own.add("truncate", truncate)
	own.add("truncatewords", truncateWords)

	return e
}

// guarded takes the library's filters. It lives as long as one rendering.
type guarded struct {
	ended  func() error // the library hands filters no context
	engine *liquid.Engine
}

// AddFilter implements filters.FilterDictionary.
func (g guarded) AddFilter(name string, fn any) {
	if !isAllowed("filter", name) {
		g.engine.RegisterFilter(name, func(any) (any, error) { return nil, errNotUsable })

		return
	}
	if date, ok := fn.(func(time.Time, func(string) string) (string, error)); ok {
		fn = withoutWidths(date)
	}
	g.add(name, fn)
}

// withoutWidths is the filter date without widths, and with a format that has a length as people write it.
func withoutWidths(date func(time.Time, func(string) string) (string, error)) func(time.Time, func(string) string) (string, error) {
	const longest = 200

	return func(t time.Time, format func(string) string) (string, error) {
		asked := format("%a, %b %d, %y")
		switch {
		case len(asked) > longest:
			return "", fmt.Errorf("a date format must have at most %d bytes", longest)
		case hasWidth(asked):
			return "", errors.New("a date format must have no widths")
		}

		return date(t, func(string) string { return asked })
	}
}

// add registers a filter that may be used.
func (g guarded) add(name string, fn any) {
	inner := reflect.ValueOf(fn)
	kind := inner.Type()
	in := make([]reflect.Type, kind.NumIn())
	for i := range in {
		in[i] = kind.In(i)
	}
	failing := reflect.TypeFor[error]()
	outer := reflect.FuncOf(in, []reflect.Type{kind.Out(0), failing}, false)
	g.engine.RegisterFilter(name, reflect.MakeFunc(outer, func(args []reflect.Value) []reflect.Value {
		fail := func(err error) []reflect.Value {
			return []reflect.Value{reflect.Zero(kind.Out(0)), reflect.ValueOf(&err).Elem()}
		}
		if err := g.ended(); err != nil {
			return fail(err)
		}
		if slices.ContainsFunc(args, tooLong) {
			return fail(errTooLong)
		}
		out := inner.Call(args)
		if tooLong(out[0]) {
			return fail(errTooLong)
		}
		if len(out) == 1 {
			out = append(out, reflect.Zero(failing))
		}

		return out
	}).Interface())
}

func tooLong(v reflect.Value) bool {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}

	return v.Kind() == reflect.String && v.Len() > MaxOutput
}

// truncate shortens a text to so many characters, those of the ellipsis among them. The library's own compiles an
// expression of that length for each call.
func truncate(text string, length func(int) int, ellipsis func(string) string) string {
	runes, end := []rune(text), ellipsis("...")
	most := length(50)
	if len(runes) <= most {
		return text
	}

	return string(runes[:max(0, most-len([]rune(end)))]) + end
}

// truncateWords shortens a text to so many words.
func truncateWords(text string, length func(int) int, ellipsis func(string) string) string {
	most := max(1, length(15))
	words := strings.Fields(text)
	if len(words) <= most {
		return text
	}

	return strings.Join(words[:most], " ") + ellipsis("...")
}
