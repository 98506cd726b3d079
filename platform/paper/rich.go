package paper

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// richPart is a paragraph or an item of a list.
type richPart struct {
	// bullet is "•" or "1." for an item of a list.
	bullet string
	spans  []richSpan
}

// richSpan is a text in one style.
type richSpan struct {
	text         string
	bold, italic bool
	link         string
}

var (
	bulletRule = regexp.MustCompile(`^\s{0,3}[-*•] +`)
	numberRule = regexp.MustCompile(`^\s{0,3}(\d{1,3})[.)] +`)
	linkRule   = regexp.MustCompile(`^\[((?:[^\]\\]|\\.)+)\]\(([^()\s]+)\)`)
)

const markupSigns = "\\`*_[]()-.#>"

// Escape returns a text in which no sign is markup of Rich.
func Escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		if strings.ContainsRune(markupSigns, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}

	return out.String()
}

// parseRich reads the markup of Rich.
func parseRich(text string) (all []richPart) {
	var now []string
	flush := func(bullet string) {
		if len(now) > 0 {
			all = append(all, richPart{bullet, parseSpans(strings.Join(now, "\n"))})
			now = nil
		}
	}
	bullet := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		item, sign := "", ""
		if found := bulletRule.FindString(line); found != "" {
			item, sign = line[len(found):], "•"
		} else if found := numberRule.FindStringSubmatch(line); found != nil {
			item, sign = line[len(found[0]):], found[1]+"."
		}
		switch {
		case sign != "":
			flush(bullet)
			bullet, now = sign, []string{item}
		case strings.TrimSpace(line) == "":
			flush(bullet)
			bullet = ""
		default:
			now = append(now, strings.TrimSpace(line))
		}
	}
	flush(bullet)

	return all
}

// parseSpans reads bold, italic and links within a paragraph.
func parseSpans(text string) (all []richSpan) {
	var now richSpan
	var out strings.Builder
	flush := func() {
		if out.Len() > 0 {
			now.text = out.String()
			all = append(all, now)
			out.Reset()
		}
	}
	for text != "" {
		switch {
		case text[0] == '\\' && len(text) > 1 && strings.IndexByte(markupSigns, text[1]) >= 0:
			out.WriteByte(text[1])
			text = text[2:]
		case strings.HasPrefix(text, "**") && (now.bold || strings.Contains(text[2:], "**")):
			flush()
			now.bold = !now.bold
			text = text[2:]
		case text[0] == '*' && (now.italic || closes(text[1:])):
			flush()
			now.italic = !now.italic
			text = text[1:]
		default:
			if found := linkRule.FindStringSubmatch(text); found != nil && safeLink(found[2]) {
				flush()
				linked := now
				linked.text, linked.link = unescape(found[1]), found[2]
				all = append(all, linked)
				text = text[len(found[0]):]

				continue
			}
			out.WriteByte(text[0])
			text = text[1:]
		}
	}
	flush()

	return all
}

// closes reports whether what follows a star ends with another, right behind a word.
func closes(text string) bool {
	i := strings.IndexByte(text, '*')

	return i > 0 && text[0] != ' ' && text[i-1] != ' '
}

func unescape(text string) string {
	return regexp.MustCompile(`\\(.)`).ReplaceAllString(text, "$1")
}

// safeLink reports whether an address may stand on a paper.
func safeLink(address string) bool {
	u, err := url.Parse(address)

	return err == nil && slices.Contains([]string{"http", "https", "mailto", "tel"}, u.Scheme)
}

func (s *sheet) rich(r Rich, width float64) (all []piece) {
	const indent = 5.0
	plain := s.styles.body
	if r.Small {
		plain = s.styles.small
	}
	inList := false
	for _, part := range parseRich(r.Text) {
		spans := make([]span, len(part.spans))
		for i, one := range part.spans {
			st := plain
			st.bold, st.italic, st.link = one.bold, one.italic, one.link
			if one.link != "" {
				st.color = blue
			}
			spans[i] = span{one.text, &st}
		}
		x := 0.0
		if part.bullet != "" {
			x = s.mm(indent)
		}
		pieces := s.linePieces(s.lines(spans, width-x, byLetters), x, width-x, Left)
		if part.bullet != "" && len(pieces) > 0 {
			sign, draw := s.text(part.bullet, &plain, x), pieces[0].draw
			pieces[0].draw = func(at, y float64) {
				s.draw(sign, at-x, y, x-s.mm(1.6), Right)
				draw(at, y)
			}
		}
		gap := 1.6
		if inList && part.bullet != "" {
			gap = 0.5
		}
		inList = part.bullet != ""
		all = append(all, gapped(pieces, s.mm(gap))...)
	}

	return gapped(all, s.mm(gapBlock-1))
}
