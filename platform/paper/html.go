package paper

import (
	"cmp"
	"context"
	_ "embed" // the style
	"encoding/base64"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode"

	"github.com/dispatchd/dispatchd/platform/qr"
)

//go:embed paper.css
var paperStyle string

// HTML returns a paper as an HTML document, for previews, mail and those who have it read aloud, and what could not be shown as it was given. It needs
// nothing from elsewhere, except pictures that have an Address, and has no scripts. Its style is in the document, so a page shows it in a frame of its own.
//
// Errors: those of the context.
func (p *Printer) HTML(ctx context.Context, doc Paper) (string, []Warning, error) {
	w := &writer{sheet: newSheet(ctx, printing{paper: &doc, faces: &faces{}, turns: p.turns}, 1)}
	w.document()
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}

	return w.out.String(), w.sheet.warnings.all, nil
}

// writer writes a paper as HTML. Its sheet reads pictures.
type writer struct {
	out   strings.Builder
	sheet *sheet
}

// raw writes markup.
func (w *writer) raw(parts ...string) {
	for _, p := range parts {
		w.out.WriteString(p)
	}
}

// text writes an element with a text, nothing if it is empty. The first word of the tag is its name.
func (w *writer) text(tag, text string) {
	if text == "" {
		return
	}
	name, _, _ := strings.Cut(tag, " ")
	w.raw("<", tag, ">", escaped(text), "</", name, ">\n")
}

// plain is a text as HTML. Characters that turn the order of others around are left out.
func plain(text string) string {
	const keeps = "\u200c\u200d" // have letters join, or not

	return html.EscapeString(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !strings.ContainsRune(keeps, r)) {
			return -1
		}

		return r
	}, text))
}

// escaped is a text as HTML, its lines below each other. Among letters that are read from right to left, telephone numbers and the like keep their order.
func escaped(text string) string {
	if !strings.ContainsFunc(text, fromRight) {
		return strings.ReplaceAll(plain(text), "\n", "<br>")
	}
	var out strings.Builder
	end := 0
	for _, at := range asLetters.FindAllStringIndex(text, -1) {
		out.WriteString(plain(text[end:at[0]]) + `<bdi dir="ltr">` + plain(text[at[0]:at[1]]) + "</bdi>")
		end = at[1]
	}
	out.WriteString(plain(text[end:]))

	return strings.ReplaceAll(out.String(), "\n", "<br>")
}

func (w *writer) document() {
	p := w.sheet.paper
	language := plain(cmp.Or(p.Language, "en"))
	direction := "ltr"
	if w.sheet.begins == fromTheRight {
		direction = "rtl"
	}
	title := strings.TrimSpace(p.Title + " " + p.Number)
	w.raw(`<!doctype html>`, "\n", `<html lang="`, language, `" dir="`, direction, `"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`, "\n")
	w.raw("<title>", plain(title), "</title>\n")
	w.raw("<style>", strings.ReplaceAll(paperStyle, "#1d3b5c", w.sheet.accent.hex()), "</style></head><body>\n<article>\n")
	w.text(`p class="stamp"`, p.Stamp)
	w.head()
	w.blocks(p.Blocks)
	w.raw("<footer>")
	w.text("p", cmp.Or(p.Foot, title))
	w.raw("</footer>\n</article></body></html>\n")
}

func (w *writer) head() {
	p := w.sheet.paper
	w.raw("<header>\n<div class=\"company\">\n")
	if p.Head.Logo.Open != nil {
		w.picture(p.Head.Logo, "Letterhead: logo", 55, 20)
	}
	w.text(`p class="name"`, p.Head.Name)
	w.text(`p class="small"`, p.Head.lines())
	w.raw("</div>\n<div class=\"title\">\n")
	w.text("h1", p.Title)
	w.text(`p class="number"`, p.Number)
	w.text("p", p.Date)
	w.facts(p.Details)
	w.raw("</div>\n</header>\n")
}

func (w *writer) blocks(all []Block) {
	for _, b := range all {
		w.block(b)
	}
}

func (w *writer) block(b Block) {
	switch b := b.(type) {
	case Heading:
		w.text("h2", b.Text)
	case Text:
		w.paragraphs(b)
	case Rich:
		w.rich(b)
	case Facts:
		w.text("h2", b.Title)
		w.facts(b.Items)
	case Parties:
		w.parties(b)
	case Columns:
		w.raw(`<div class="columns">`, "\n")
		for _, cell := range b.Cells {
			w.raw("<div>\n")
			w.blocks(cell)
			w.raw("</div>\n")
		}
		w.raw("</div>\n")
	case Table:
		w.table(b)
	case Amounts:
		w.amounts(b)
	case Photos:
		w.photos(b)
	case Image:
		if b.Picture.Open != nil || b.Picture.Address != "" {
			w.figure(b.Picture, b.Caption, cmp.Or(b.Width, w.sheet.inner()))
		}
	case Outline:
		w.outline(b)
	case Signature:
		w.signature(b)
	case Code:
		w.code(b)
	case Box:
		w.raw(`<section class="box`, map[bool]string{true: " strong"}[b.Strong], `">`, "\n")
		w.text("h3", b.Title)
		w.blocks(b.Blocks)
		w.raw("</section>\n")
	case KeepTogether:
		w.raw(`<div class="together">`, "\n")
		w.blocks(b.Blocks)
		w.raw("</div>\n")
	case Space:
		w.raw(`<div style="height:`, strconv.FormatFloat(b.Height, 'f', 1, 64), `mm"></div>`, "\n")
	case Line:
		w.raw("<hr>\n")
	case PageBreak:
		w.raw(`<div class="page"></div>`, "\n")
	}
}

func (w *writer) paragraphs(t Text) {
	class := []string{"text"}
	for _, one := range []struct {
		is   bool
		name string
	}{{t.Small, "small"}, {t.Bold, "bold"}, {t.Align == Right, "right"}, {t.Align == Center, "center"}} {
		if one.is {
			class = append(class, one.name)
		}
	}
	for _, text := range paragraphsOf(t.Text) {
		w.text(`p dir="auto" class="`+strings.Join(class, " ")+`"`, text)
	}
}

// paragraphsOf divides a text at its empty lines.
func paragraphsOf(text string) (all []string) {
	for one := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		if one = strings.Trim(one, "\n"); one != "" {
			all = append(all, one)
		}
	}

	return all
}

func (w *writer) rich(r Rich) {
	class, list := "text", ""
	if r.Small {
		class = "text small"
	}
	end := func() {
		if list != "" {
			w.raw("</", list, ">\n")
			list = ""
		}
	}
	for _, part := range parseRich(r.Text) {
		kind := map[bool]string{true: "ul", false: "ol"}[part.bullet == "•"]
		switch {
		case part.bullet == "":
			end()
			w.raw(`<p dir="auto" class="`, class, `">`)
			w.spans(part.spans)
			w.raw("</p>\n")

			continue
		case kind != list:
			end()
			list = kind
			w.raw("<", kind, ` class="`, class, `"`)
			if kind == "ol" {
				w.raw(` start="`, strings.TrimSuffix(part.bullet, "."), `"`)
			}
			w.raw(">\n")
		}
		w.raw(`<li dir="auto">`)
		w.spans(part.spans)
		w.raw("</li>\n")
	}
	end()
}

func (w *writer) spans(all []richSpan) {
	for _, one := range all {
		text := escaped(one.text)
		if one.link != "" {
			text = `<a href="` + html.EscapeString(one.link) + `" rel="noopener noreferrer">` + text + `</a>`
		}
		if one.italic {
			text = "<em>" + text + "</em>"
		}
		if one.bold {
			text = "<strong>" + text + "</strong>"
		}
		w.raw(text)
	}
}

func (w *writer) facts(items []Fact) {
	if len(items) == 0 {
		return
	}
	w.raw("<dl>\n")
	for _, f := range items {
		w.raw("<div><dt>", escaped(f.Name), `</dt><dd>`, escaped(f.Text), "</dd></div>\n")
	}
	w.raw("</dl>\n")
}

func (w *writer) parties(all Parties) {
	if len(all) == 0 {
		return
	}
	w.raw(`<div class="columns">`, "\n")
	for _, p := range all {
		w.raw(`<section class="party">`, "\n")
		w.text("h3", p.Label)
		w.text(`p class="name"`, p.Name)
		w.text("p", strings.Join(p.Lines, "\n"))
		w.raw("</section>\n")
	}
	w.raw("</div>\n")
}

func (w *writer) table(t Table) {
	if len(t.Rows) == 0 && t.Empty == "" || len(t.Columns) == 0 {
		return
	}
	w.text("h2", t.Title)
	w.raw("<table><thead><tr>")
	for _, c := range t.Columns {
		w.raw(`<th scope="col"`, alignClass(c.Align), ">", escaped(c.Title), "</th>")
	}
	w.raw("</tr></thead>\n<tbody>\n")
	w.rows(t.Rows, t.Columns)
	if len(t.Rows) == 0 {
		w.raw(`<tr><td colspan="`, strconv.Itoa(len(t.Columns)), `" class="note">`, escaped(t.Empty), "</td></tr>\n")
	}
	w.raw("</tbody>\n")
	if len(t.Totals) > 0 {
		w.raw("<tfoot>\n")
		w.rows(t.Totals, t.Columns)
		w.raw("</tfoot>\n")
	}
	w.raw("</table>\n")
}

func (w *writer) rows(all []Row, columns []Column) {
	for _, r := range all {
		w.raw("<tr", map[bool]string{true: ` class="bold"`}[r.Strong], ">")
		for i, c := range columns {
			text := ""
			if i < len(r.Cells) {
				text = r.Cells[i]
			}
			w.raw("<td", alignClass(c.Align), ">", escaped(text), "</td>")
		}
		w.raw("</tr>\n")
		if r.Note != "" {
			w.raw(`<tr><td colspan="`, strconv.Itoa(len(columns)), `" class="note">`, escaped(r.Note), "</td></tr>\n")
		}
	}
}

func alignClass(a Align) string {
	switch a {
	case Right:
		return ` class="right"`
	case Center:
		return ` class="center"`
	case Left:
	}

	return ""
}

func (w *writer) amounts(all Amounts) {
	if len(all) == 0 {
		return
	}
	w.raw(`<table class="amounts"><tbody>`, "\n")
	for _, a := range all {
		w.raw("<tr", map[bool]string{true: ` class="strong"`}[a.Strong], `><th scope="row">`, escaped(a.Label), `</th><td class="right">`, escaped(a.Value), "</td></tr>\n")
	}
	w.raw("</tbody></table>\n")
}

func (w *writer) photos(p Photos) {
	if len(p.Items) == 0 {
		return
	}
	w.text("h2", p.Title)
	w.raw(`<div class="photos">`, "\n")
	for _, one := range p.Items {
		w.figure(one.Picture, one.Caption, w.sheet.inner()/2)
	}
	w.raw("</div>\n")
}

func (w *writer) figure(p Picture, caption string, wide float64) {
	w.raw("<figure>")
	w.picture(p, join("Image", first(cmp.Or(caption, p.Alt))), wide, wide)
	w.text("figcaption", caption)
	w.raw("</figure>\n")
}

// picture writes an image of at most a size in millimetres.
func (w *writer) picture(p Picture, where string, wide, high float64) {
	src := p.Address
	if src == "" && p.Open != nil {
		file, kind, _, err := w.sheet.shrunk(p, wide, high)
		if err != nil {
			w.sheet.unreadable(where, err)
			w.raw(`<p class="missing">Picture not available</p>`)

			return
		}
		src = "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(file)
	}
	if src != "" {
		w.raw(`<img src="`, html.EscapeString(src), `" alt="`, html.EscapeString(p.Alt), `">`)
	}
}

func (w *writer) outline(o Outline) {
	w.text("h2", o.Title)
	w.raw(`<div class="columns"><svg class="outline" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 215" role="img" aria-label="Outline of the vehicle; damage marked on it: `,
		strconv.Itoa(len(o.Marks)), `"><g fill="none" stroke="currentColor">`)
	for _, path := range carPaths {
		w.raw(`<path d="`, path, `"/>`)
	}
	w.raw("</g>\n")
	for i, m := range o.Marks {
		if x, y, there := m.at(); there {
			w.raw(fmt.Sprintf(`<circle cx="%.0f" cy="%.0f" r="6"%s/><text x="%.0f" y="%.0f"%s>%d</text>`, x, y, newClass(m), x, y+3, newClass(m), i+1))
		}
	}
	w.raw("</svg>\n")
	if len(o.Marks) == 0 {
		w.text("p", o.None)
	} else {
		w.raw("<ol>\n")
		for _, m := range o.Marks {
			w.raw("<li>", escaped(cmp.Or(m.Label, m.Side)), "</li>\n")
		}
		w.raw("</ol>\n")
	}
	w.raw("</div>\n")
}

func newClass(m Mark) string {
	if m.New {
		return ` class="new"`
	}

	return ""
}

func (w *writer) signature(s Signature) {
	w.raw(`<figure class="signature">`, "\n")
	w.text(`p class="small"`, s.Label)
	switch {
	case s.Strokes != "":
		w.raw(`<svg viewBox="0 0 600 200" role="img" aria-label="Signature"><path fill="none" stroke="currentColor" stroke-width="5" stroke-linecap="round" d="`,
			html.EscapeString(s.Strokes), `"/></svg>`, "\n")
	default:
		w.raw(`<p class="line"><em>`, escaped(s.Name), "</em></p>\n")
	}
	w.raw("<figcaption>")
	w.text("strong", s.Name)
	w.text(`p class="small"`, s.Time)
	w.text(`p dir="auto"`, s.Text)
	w.raw("</figcaption></figure>\n")
}

func (w *writer) code(c Code) {
	w.raw(`<div class="code">`, "\n")
	if code, err := qr.Of(c.Address); err == nil && c.Address != "" {
		w.raw(code.SVG("QR code"), "\n")
	}
	w.raw("<div>")
	w.text(`p dir="auto"`, c.Text)
	if safeLink(c.Address) {
		w.raw(`<p><a href="`, html.EscapeString(c.Address), `" rel="noopener noreferrer">`, escaped(c.Address), "</a></p>")
	} else {
		w.text("p", c.Address)
	}
	w.raw("</div></div>\n")
}
