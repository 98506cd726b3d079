// Package damage has the codes by which damage of vehicles is noted: those of AIAG M-22 (area, type and severity, in our own words) and the letters
// that carriers use. Inspections and the custom modules that come with the service take them from here.
package damage

import (
	_ "embed" // the codes
	"encoding/json"
	"strings"
)

//go:embed codes.json
var codes []byte

// Code is one of a list.
type Code struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// Codes are all lists. An AIAG code is the id of an area, of a type and of a severity, one after the other: 14042.
type Codes struct {
	Areas      []Code `json:"areas"`
	Types      []Code `json:"types"`
	Severities []Code `json:"severities"`
	Letters    []Code `json:"letters"`
}

// Load returns the codes.
func Load() (Codes, error) {
	var c Codes

	return c, json.Unmarshal(codes, &c)
}

// Fill returns a document with the lists in the place of their names: "damage.areas", with its quotation marks, becomes the list of areas.
func Fill(document []byte) ([]byte, error) {
	var lists map[string]json.RawMessage
	if err := json.Unmarshal(codes, &lists); err != nil {
		return nil, err
	}
	var pairs []string
	for name, list := range lists {
		pairs = append(pairs, `"damage.`+name+`"`, string(list))
	}

	return []byte(strings.NewReplacer(pairs...).Replace(string(document))), nil
}

// aiag is how long a code of AIAG M-22 is, and at which place its parts end.
const (
	aiag     = 5
	areaEnds = 2
	typeEnds = 4
)

// AIAG returns what a code of AIAG M-22 says, and whether it is one.
func (c Codes) AIAG(code string) (area, kind, severity Code, ok bool) {
	if len(code) != aiag {
		return area, kind, severity, false
	}
	area, kind, severity = find(c.Areas, code[:areaEnds]), find(c.Types, code[areaEnds:typeEnds]), find(c.Severities, code[typeEnds:])

	return area, kind, severity, area.ID != "" && kind.ID != "" && severity.ID != ""
}

// Letter returns what a letter says, and whether it is one.
func (c Codes) Letter(code string) (Code, bool) {
	found := find(c.Letters, code)

	return found, found.ID != ""
}

func find(list []Code, id string) Code {
	for _, one := range list {
		if one.ID == id {
			return one
		}
	}

	return Code{}
}
