package intake

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Letter is what a message says beside the request.
type Letter struct {
	// ID is the Message-ID of a mail.
	ID      string `json:"message_id,omitempty"`
	Subject string `json:"subject,omitempty"`
	From    string `json:"from,omitempty"`
	// Answers are the Message-IDs that a mail answers.
	Answers []string `json:"answers,omitempty"`
	// Bulk says that a program has sent it: nobody is to answer.
	Bulk bool `json:"bulk,omitempty"`
	// Attached are the names of what is attached to it and was not read.
	Attached []string `json:"attached,omitempty"`
}

// ErrUnreadable is for a text that is not of its format.
var ErrUnreadable = errors.New("it is not of its format")

// mostRows is how many requests a table has at most.
const mostRows = 200

// Read reads requests: one, or one for each row of a table and for each prospect of ADF. What was understood of a text that is not of its format is nothing: the error
// says why, and the inquiry has no fields.
func Read(f Format, text string, own Labels) ([]Inquiry, Letter, error) {
	switch f {
	case Mail:
		return readMail(text, own)
	case CSV:
		rows, err := readCSV(text)
		all := make([]Inquiry, 0, len(rows))
		for _, pairs := range rows {
			all = append(all, From(pairs, own))
		}

		return all, Letter{}, err
	case HTML:
		return []Inquiry{From(pairsOfHTML(text), own)}, Letter{}, nil
	case ADF:
		all, err := readADF(text, own)

		return all, Letter{}, err
	case JSON:
		pairs, err := pairsOfJSON(text)

		return []Inquiry{From(pairs, own)}, Letter{}, err
	case Text:
	}

	return []Inquiry{From(pairsOfText(text), own)}, Letter{}, nil
}

// pairsOfText are the lines "Label: value" and "Label = value".
func pairsOfText(text string) (all []Pair) {
	const longestLabel = 60
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t")
		at := strings.IndexAny(line, ":=\t")
		if at <= 0 || at > longestLabel {
			continue
		}
		if label := strings.Trim(line[:at], " \t*-•>"); label != "" {
			all = append(all, Pair{label, strings.TrimSpace(line[at+1:])})
		}
	}

	return all
}

// pairsOfHTML are the rows of tables with two cells, and the lines of the rest.
func pairsOfHTML(text string) []Pair {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil
	}
	var pairs []Pair
	var rest strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Head:
			return
		case n.DataAtom == atom.Tr:
			if cells := cellsOf(n); len(cells) == 2 { //nolint:mnd // a label and a value
				pairs = append(pairs, Pair{strings.TrimRight(cells[0], " :"), cells[1]})

				return
			}
		case n.Type == html.TextNode:
			rest.WriteString(strings.Join(strings.Fields(n.Data), " "))
			rest.WriteString(" ")
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if slices.Contains(lineEnds, n.DataAtom) {
			rest.WriteString("\n")
		}
	}
	walk(root)

	return append(pairs, pairsOfText(rest.String())...)
}

// lineEnds are the elements after which a line ends.
var lineEnds = []atom.Atom{atom.Br, atom.P, atom.Div, atom.Li, atom.Tr, atom.H1, atom.H2, atom.H3, atom.Dd}

// cellsOf are the texts of the cells of a row.
func cellsOf(row *html.Node) (cells []string) {
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			var text strings.Builder
			for d := range c.Descendants() {
				if d.Type == html.TextNode {
					text.WriteString(d.Data + " ")
				}
			}
			cells = append(cells, strings.Join(strings.Fields(text.String()), " "))
		}
	}

	return cells
}

// pairsOfJSON are the values of an object, by their keys. Those of vehicles have their numbers.
func pairsOfJSON(text string) ([]Pair, error) {
	var all map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("%w: JSON is an object", ErrUnreadable)
	}

	return flat("", all, 0), nil
}

const deepest = 5

func flat(prefix string, all map[string]any, depth int) (pairs []Pair) {
	keys := make([]string, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		pairs = append(pairs, pairsOf(strings.TrimSpace(prefix+" "+key), all[key], depth)...)
	}

	return pairs
}

func pairsOf(label string, value any, depth int) (pairs []Pair) {
	switch v := value.(type) {
	case map[string]any:
		if depth < deepest {
			return flat(label, v, depth+1)
		}
	case []any:
		for i, one := range v {
			number := strconv.Itoa(i + 1)
			switch of, object := one.(map[string]any); {
			case i >= mostRows || depth >= deepest:
			case object:
				pairs = append(pairs, flat(number, of, depth+1)...) // its keys say what it is
			default:
				pairs = append(pairs, pairsOf(label+" "+number, one, depth+1)...)
			}
		}

		return pairs
	case nil:
	default:
		return []Pair{{label, fmt.Sprint(v)}}
	}

	return nil
}

// readCSV are the rows of a table by the labels in its first row.
func readCSV(text string) (rows [][]Pair, err error) {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	if line, _, _ := strings.Cut(text, "\n"); strings.Count(line, ";") > strings.Count(line, ",") {
		r.Comma = ';'
	}
	labels, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%w: CSV has labels in its first row", ErrUnreadable)
	}
	for len(rows) < mostRows {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return rows, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		var pairs []Pair
		for i := range min(len(labels), len(cells)) {
			pairs = append(pairs, Pair{labels[i], cells[i]})
		}
		rows = append(rows, pairs)
	}

	return rows, nil
}

// looksLike is the format of a text whose format nobody names.
func looksLike(text string) Format {
	head := bytes.TrimSpace([]byte(text[:min(len(text), 2000)])) //nolint:mnd // enough to see
	switch {
	case bytes.HasPrefix(head, []byte("{")):
		return JSON
	case bytes.Contains(bytes.ToLower(head), []byte("<adf")):
		return ADF
	case bytes.HasPrefix(head, []byte("<")):
		return HTML
	}

	return Text
}
