package intake

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// prospect is a lead in the Auto-lead Data Format (ADF 1.0) of the auto trade.
type prospect struct {
	ID       string `xml:"id"`
	Vehicles []struct {
		Interest string `xml:"interest,attr"`
		Year     string `xml:"year"`
		Make     string `xml:"make"`
		Model    string `xml:"model"`
		Trim     string `xml:"trim"`
		Body     string `xml:"bodystyle"`
		VIN      string `xml:"vin"`
		Comments string `xml:"comments"`
	} `xml:"vehicle"`
	Customer struct {
		Contact struct {
			Names []struct {
				Part string `xml:"part,attr"`
				Text string `xml:",chardata"`
			} `xml:"name"`
			Email   []string `xml:"email"`
			Phones  []string `xml:"phone"`
			Address struct {
				City  string `xml:"city"`
				State string `xml:"regioncode"`
				ZIP   string `xml:"postalcode"`
			} `xml:"address"`
		} `xml:"contact"`
		Comments string `xml:"comments"`
	} `xml:"customer"`
}

// lowered are the tokens of a document with its names in lower case.
type lowered struct{ of *xml.Decoder }

// Token implements xml.TokenReader.
func (l lowered) Token() (xml.Token, error) {
	t, err := l.of.Token()
	switch e := t.(type) {
	case xml.StartElement:
		e = e.Copy()
		e.Name = xml.Name{Local: strings.ToLower(e.Name.Local)}
		for i := range e.Attr {
			e.Attr[i].Name = xml.Name{Local: strings.ToLower(e.Attr[i].Name.Local)}
		}

		return e, err
	case xml.EndElement:
		e.Name = xml.Name{Local: strings.ToLower(e.Name.Local)}

		return e, err
	}

	return t, err
}

// reading returns the tokens of a document as they come: in the encoding that it declares, with an & that is none of an entity, and with entities of
// HTML.
func reading(text string) *xml.Decoder {
	content := bytes.Map(func(r rune) rune { // characters that XML cannot have
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			return -1
		}

		return r
	}, []byte(text))
	decoded := utf8.ValidString(text) // as all texts are that came in JSON, whatever they declare
	if !decoded {
		content = []byte(text)
	}
	d := xml.NewDecoder(bytes.NewReader(content))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if decoded {
			return in, nil
		}

		return charset.NewReaderLabel(label, in)
	}

	return xml.NewTokenDecoder(lowered{d})
}

// readADF reads the prospects of a text. What was read before it breaks off counts.
func readADF(text string, own Labels) ([]Inquiry, error) {
	var all []Inquiry
	d := reading(text)
	for len(all) < mostRows {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return all, fmt.Errorf("%w: %s", ErrUnreadable, broken(err))
		}
		start, is := t.(xml.StartElement)
		if !is || start.Name.Local != "prospect" {
			continue
		}
		var p prospect
		err = d.DecodeElement(&p, &start)
		if all = append(all, From(p.pairs(), own)); err != nil {
			return all, fmt.Errorf("%w: %s", ErrUnreadable, broken(err))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: ADF has an element adf with a prospect", ErrUnreadable)
	}

	return all, nil
}

// broken says where a document breaks off.
func broken(err error) string {
	if e, is := errors.AsType[*xml.SyntaxError](err); is {
		return fmt.Sprintf("the XML breaks off in line %d", e.Line)
	}

	return "the XML breaks off"
}

// pairs are the parts of a lead. What its comments say in labeled lines counts, too: the format has no destination. A vehicle that is traded in is not
// shipped.
func (p prospect) pairs() []Pair {
	pairs := []Pair{{"lead id", p.ID}}
	for _, address := range p.Customer.Contact.Email {
		pairs = append(pairs, Pair{"email", address})
	}
	for _, n := range p.Customer.Contact.Names {
		pairs = append(pairs, Pair{strings.TrimPrefix(strings.ToLower(n.Part)+" name", "full "), n.Text})
	}
	for _, phone := range p.Customer.Contact.Phones {
		pairs = append(pairs, Pair{"phone", phone})
	}
	shipped := 0
	for _, v := range p.Vehicles {
		if kind := normal(v.Interest); kind == "tradein" || kind == "trade" {
			pairs = append(pairs, Pair{"trade-in, not shipped", strings.Join([]string{v.Year, v.Make, v.Model, v.VIN}, " ")})

			continue
		}
		shipped++
		for _, one := range []Pair{{"year", v.Year}, {"make", v.Make}, {"model", v.Model}, {"trim", v.Trim}, {"type", v.Body}, {"vin", v.VIN}} {
			pairs = append(pairs, Pair{fmt.Sprintf("vehicle %d %s", shipped, one.Label), one.Value})
		}
		pairs = append(pairs, Pair{"comments", v.Comments})
	}
	at := p.Customer.Contact.Address
	pairs = append(pairs, pairsOfText(p.Customer.Comments)...)

	return append(pairs, Pair{"origin city", at.City}, Pair{"origin state", at.State}, Pair{"origin zip", at.ZIP})
}
