package numbering

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// maxLength is how long a number may be, in characters.
	maxLength = 40
	// maxDigits is how many digits the count may have, and maxSeq the highest that has no more.
	maxDigits = 12
	maxSeq    = 999_999_999_999
)

// template is how the numbers of a series are made, parsed.
type template struct {
	text string
	// before and after are what stands around the count.
	before, after []token
	// width is how many digits the count has at least.
	width int
}

// token is a part of a template: text as it is, or a part of the date.
type token struct {
	literal string
	date    dateToken
}

type dateToken string

const (
	yyyy dateToken = "yyyy"
	yy   dateToken = "yy"
	mm   dateToken = "mm"
	dd   dateToken = "dd"
)

var (
	tokenPattern   = regexp.MustCompile(`\{[^{}]*\}|[^{}]+|[{}]`)
	seqPattern     = regexp.MustCompile(`^\{seq:([0-9]{1,2})\}$`)
	literalPattern = regexp.MustCompile(`^[A-Za-z0-9._/#-]+$`)
)

// parseTemplate reads a template. Its error is errInvalidTemplate with a message for all that is wrong.
func parseTemplate(text string) (template, error) {
	t := template{text: text}
	var problems []string
	if len(text) > 4*maxLength {
		problems, text = append(problems, "The template is too long."), ""
	}
	counts := 0
	for _, part := range tokenPattern.FindAllString(text, -1) {
		if seq := seqPattern.FindStringSubmatch(part); seq != nil {
			counts++
			t.width, _ = strconv.Atoi(seq[1]) //nolint:errcheck // the pattern lets digits through alone
			if t.width < 1 || t.width > maxDigits {
				problems = append(problems, fmt.Sprintf("The digits of {seq:N} must be between 1 and %d.", maxDigits))
			}

			continue
		}
		one, problem := parsePart(part)
		if problem != "" {
			problems = append(problems, problem)
		}
		if counts == 0 {
			t.before = append(t.before, one)
		} else {
			t.after = append(t.after, one)
		}
	}
	if counts != 1 {
		problems = append(problems, "The template must have {seq:N} once, with N digits for the count.")
	}
	if templateLength(t.before)+templateLength(t.after)+maxDigits > maxLength {
		problems = append(problems, fmt.Sprintf(
			"A number must not be longer than %d characters, of which the count may need %d.", maxLength, maxDigits))
	}
	if len(problems) == 0 {
		return t, nil
	}
	refusal := errInvalidTemplate
	for _, problem := range problems {
		refusal = refusal.WithField("template", problem)
	}

	return template{}, refusal
}

// parsePart reads a part of a template that is not its count, and says what is wrong with it.
func parsePart(part string) (one token, problem string) {
	switch {
	case strings.HasPrefix(part, "{"):
		switch date := dateToken(strings.Trim(part, "{}")); date {
		case yyyy, yy, mm, dd:
			return token{date: date}, ""
		}

		return token{}, fmt.Sprintf("The template has the unknown placeholder %q. Use {yyyy}, {yy}, {mm}, {dd} and {seq:N}.", part)
	case literalPattern.MatchString(part):
		return token{literal: part}, ""
	default:
		return token{}, "Outside {…}, a template may only have the letters A to Z, digits, and - . _ / #."
	}
}

// templateLength returns how many characters tokens make, always the same number.
func templateLength(tokens []token) int {
	n := 0
	for _, t := range tokens {
		n += len(t.literal) + len(t.date)
	}

	return n
}

// shape returns what stands before and after the count on a day.
func (t template) shape(day time.Time) shape {
	return shape{Prefix: renderTokens(t.before, day), Suffix: renderTokens(t.after, day)}
}

func renderTokens(tokens []token, day time.Time) string {
	var b strings.Builder
	for _, t := range tokens {
		switch t.date {
		case yyyy:
			b.WriteString(day.Format("2006"))
		case yy:
			b.WriteString(day.Format("06"))
		case mm:
			b.WriteString(day.Format("01"))
		case dd:
			b.WriteString(day.Format("02"))
		default:
			b.WriteString(t.literal)
		}
	}

	return b.String()
}

// shape is what numbers that are counted together begin and end with.
type shape struct{ Prefix, Suffix string }

// number returns the number of a count.
func (s shape) number(seq int64, width int) string {
	return fmt.Sprintf("%s%0*d%s", s.Prefix, width, seq, s.Suffix)
}
