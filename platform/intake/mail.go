package intake

import (
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"

	"golang.org/x/net/html/charset"
)

// parts are what a mail consists of.
type parts struct {
	text, html, adf string
	tables          []string
	attached        []File
}

// File is what is attached to a mail and was not read.
type File struct {
	Name    string
	Content []byte
}

// Files returns what is attached to a message of RFC 5322 and is no part of its text, in the order of Letter.Attached.
func Files(text string) []File {
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		return nil
	}
	var p parts
	count := 0
	p.read(m.Header, m.Body, 0, &count)

	return p.attached
}

// most is how many parts of a mail are read, and how deep they lie.
const mostParts, deepestPart = 100, 8

// readMail reads a message of RFC 5322: the rows of an attached table, or an attached lead, or the text, or the HTML.
func readMail(text string, own Labels) ([]Inquiry, Letter, error) {
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		return []Inquiry{From(pairsOfText(text), own)}, Letter{}, fmt.Errorf("%w: a mail has headers", ErrUnreadable)
	}
	words := &mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
	header := func(name string) string {
		if decoded, err := words.DecodeHeader(m.Header.Get(name)); err == nil {
			return decoded
		}

		return m.Header.Get(name)
	}
	l := Letter{ID: strings.Trim(header("Message-ID"), " <>"), Subject: header("Subject"), From: header("From")}
	for id := range strings.FieldsSeq(header("In-Reply-To") + " " + header("References")) {
		l.Answers = append(l.Answers, strings.Trim(id, "<>,"))
	}
	auto := strings.ToLower(header("Auto-Submitted"))
	l.Bulk = auto != "" && auto != "no" || strings.Contains(strings.ToLower(header("Precedence")), "bulk") || header("List-Id") != ""
	var p parts
	count := 0
	p.read(m.Header, m.Body, 0, &count)
	for _, f := range p.attached {
		l.Attached = append(l.Attached, f.Name)
	}
	if len(p.tables) > 0 {
		all, _, err := Read(CSV, p.tables[0], own)

		return all, l, err
	}
	if p.adf != "" {
		all, _, err := Read(ADF, p.adf, own)

		return all, l, err
	}
	q := Inquiry{}
	if p.text != "" {
		all, _, err := Read(looksLike(p.text), p.text, own)
		if err == nil {
			q = all[0]
		}
	}
	if len(q.Fields) == 0 && p.html != "" {
		q = From(pairsOfHTML(p.html), own)
	}
	if q.Fields == nil {
		q = From(nil, own)
	}

	return []Inquiry{q}, l, nil
}

// header is what parts have: those of a mail, and of a part of one.
type header interface{ Get(name string) string }

// read reads a part, and those in it.
func (p *parts) read(h header, body io.Reader, depth int, count *int) {
	if *count++; *count > mostParts || depth > deepestPart {
		return
	}
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		kind = "text/plain"
	}
	if strings.HasPrefix(kind, "multipart/") {
		for r := multipart.NewReader(body, params["boundary"]); ; {
			part, err := r.NextRawPart()
			if err != nil {
				return
			}
			p.read(part.Header, part, depth+1, count)
		}
	}
	switch strings.ToLower(strings.TrimSpace(h.Get("Content-Transfer-Encoding"))) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, &unspaced{body})
	}
	_, names, err := mime.ParseMediaType(h.Get("Content-Disposition"))
	name := params["name"]
	if err == nil && names["filename"] != "" {
		name = names["filename"]
	}
	if decoded, err := charset.NewReaderLabel(params["charset"], body); params["charset"] != "" && strings.HasPrefix(kind, "text/") && err == nil {
		body = decoded
	}
	content := func() []byte {
		const most = 1 << 20
		all, err := io.ReadAll(io.LimitReader(body, most))
		if err != nil && len(all) == 0 {
			return nil
		}

		return all
	}
	text := func() string { return string(content()) }
	switch lower := strings.ToLower(name); {
	case kind == "text/csv" || strings.HasSuffix(lower, ".csv"):
		p.tables = append(p.tables, text())
	case strings.HasSuffix(kind, "xml") || strings.HasSuffix(lower, ".xml") || strings.HasSuffix(lower, ".adf"):
		if made := text(); looksLike(made) == ADF {
			p.adf = made
		} else {
			p.attached = append(p.attached, File{short(name), []byte(made)})
		}
	case name != "":
		p.attached = append(p.attached, File{short(name), content()})
	case kind == "text/html":
		p.html += text()
	case strings.HasPrefix(kind, "text/"):
		p.text += text()
	default:
		p.attached = append(p.attached, File{kind, content()})
	}
}

// unspaced leaves out the line breaks of base64.
type unspaced struct{ of io.Reader }

// Read implements io.Reader.
func (u *unspaced) Read(into []byte) (int, error) {
	n, err := u.of.Read(into)
	kept := 0
	for _, b := range into[:n] {
		if b != '\r' && b != '\n' && b != ' ' {
			into[kept] = b
			kept++
		}
	}

	return kept, err
}
