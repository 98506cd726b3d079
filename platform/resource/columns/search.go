package columns

import (
	"strings"
)

// searchable makes Plan.Searched.
func (p *Plan) searchable() []*Field {
	title := p.Title()
	all := []*Field{title}
	for _, f := range p.Stored {
		if f.search && f.Item == "" && f != title {
			all = append(all, f)
		}
	}
	if title == nil && len(all) == 1 {
		return nil
	}

	return all
}

// Through are the references by which rows are found that name a row which is found.
func (p *Plan) Through() []*Field {
	var all []*Field
	for _, f := range p.Stored {
		if f.search && f.Item != "" {
			all = append(all, f)
		}
	}

	return all
}

// More is what a value is found by beside its text: a North American number as people write it.
func (f *Field) More(text string) string {
	if !f.phone {
		return ""
	}

	return NationalFormat(text)
}

// NationalFormat is a North American number as people write it, "" for another text.
func NationalFormat(text string) string {
	national, ok := strings.CutPrefix(text, "+1")
	if !ok || len(national) != 10 || strings.Trim(national, "0123456789") != "" {
		return ""
	}
	area, exchange, line := national[:3], national[3:6], national[6:]

	return "(" + area + ") " + exchange + "-" + line + " " + area + "-" + exchange + "-" + line
}
