package field

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// beyondNormal matches a text that normalization form C may change: it has a character from U+0300 on. A pattern, or a list of
// ids, says what the normal form is, so a schema leaves any other form of it to the service.
const beyondNormal = `[^\x00-` + "\u02ff]"

// SchemaPattern writes a pattern of RE2 as one of ECMA 262, which JSON Schema wants, and which RE2 reads in the same way. It
// reports false for what ECMA 262 cannot say.
func SchemaPattern(pattern string) (string, bool) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	w := patternWriter{}
	w.write(parsed)

	return w.out.String(), !w.failed
}

type patternWriter struct {
	out    strings.Builder
	failed bool
}

func (w *patternWriter) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		w.out.WriteString("(?:)")
	case syntax.OpLiteral:
		w.literal(re)
	case syntax.OpCharClass:
		w.class(re.Rune)
	case syntax.OpAnyCharNotNL:
		w.out.WriteString(`[^\n]`)
	case syntax.OpAnyChar:
		w.out.WriteString(`[\s\S]`)
	case syntax.OpBeginText:
		w.out.WriteByte('^')
	case syntax.OpEndText:
		w.out.WriteByte('$')
	case syntax.OpWordBoundary:
		w.out.WriteString(`\b`)
	case syntax.OpNoWordBoundary:
		w.out.WriteString(`\B`)
	case syntax.OpCapture:
		w.group(re.Sub, "")
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.group(re.Sub, "|")
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		w.group(re.Sub, "")
		w.out.WriteString(quantifier(re))
	case syntax.OpNoMatch, syntax.OpBeginLine, syntax.OpEndLine:
		w.failed = true
	default:
		w.failed = true
	}
}

func (w *patternWriter) group(parts []*syntax.Regexp, separator string) {
	w.out.WriteString("(?:")
	for i, part := range parts {
		if i > 0 {
			w.out.WriteString(separator)
		}
		w.write(part)
	}
	w.out.WriteByte(')')
}

func quantifier(re *syntax.Regexp) string {
	switch {
	case re.Op == syntax.OpStar:
		return "*"
	case re.Op == syntax.OpPlus:
		return "+"
	case re.Op == syntax.OpQuest:
		return "?"
	case re.Max < 0:
		return fmt.Sprintf("{%d,}", re.Min)
	default:
		return fmt.Sprintf("{%d,%d}", re.Min, re.Max)
	}
}

func (w *patternWriter) literal(re *syntax.Regexp) {
	for _, r := range re.Rune {
		if re.Flags&syntax.FoldCase == 0 || unicode.SimpleFold(r) == r {
			w.character(r, `^$\.*+?()[]{}|/`)

			continue
		}
		cases := []rune{r, r}
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			cases = append(cases, other, other)
		}
		w.class(cases)
	}
}

// class writes pairs of first and last characters.
func (w *patternWriter) class(pairs []rune) {
	if len(pairs) == 0 {
		w.failed = true

		return
	}
	w.out.WriteByte('[')
	if last := len(pairs) - 1; pairs[0] == 0 && pairs[last] == unicode.MaxRune && len(pairs) > 2 {
		w.out.WriteByte('^')
		pairs = gapsBetween(pairs)
	}
	for i := 0; i < len(pairs); i += 2 {
		w.character(pairs[i], `\]^-[`)
		if pairs[i+1] > pairs[i] {
			w.out.WriteByte('-')
			w.character(pairs[i+1], `\]^-[`)
		}
	}
	w.out.WriteByte(']')
}

// gapsBetween returns the pairs of what pairs leave out.
func gapsBetween(pairs []rune) []rune {
	var gaps []rune
	for i := 1; i+1 < len(pairs); i += 2 {
		gaps = append(gaps, pairs[i]+1, pairs[i+1]-1)
	}

	return gaps
}

func (w *patternWriter) character(r rune, special string) {
	switch {
	case r < ' ' || r == 0x7f:
		fmt.Fprintf(&w.out, `\x%02x`, r)
	case strings.ContainsRune(special, r):
		w.out.WriteByte('\\')
		w.out.WriteRune(r)
	case !utf8.ValidRune(r):
		w.failed = true
	default:
		w.out.WriteRune(r)
	}
}
