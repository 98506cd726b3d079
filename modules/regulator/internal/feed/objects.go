package feed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Object is a row of JSON, as live sources answer: values that are texts at one time are numbers at another, and what is null is left out.
type Object map[string]any

// Text returns the first of the values that there is, "" for none.
func (o Object) Text(names ...string) string {
	for _, n := range names {
		switch v := o[n].(type) {
		case string:
			if v = strings.TrimSpace(v); v != "" {
				return v
			}
		case float64:
			raw, err := json.Marshal(v)
			if err == nil {
				return string(raw)
			}
		}
	}

	return ""
}

// ReadObjects reads the rows that a set has of one number.
func ReadObjects(name string, usdot int64, objects []Object) ([]Filing, error) {
	target, _ := newFilingTarget(nil, sets[name], name, sets[name].head())
	all := make([]Filing, 0, len(objects))
	for _, o := range objects {
		cells := sets[name].cells(o)
		cells[0] = strconv.FormatInt(usdot, 10)
		row, err := target.read(cells)
		if err != nil {
			return nil, fmt.Errorf("a row of %s: %w", name, err)
		}
		all = append(all, row.filing)
	}

	return all, nil
}

// head is that of a file with the columns of the set that are kept.
func (s set) head() []string {
	head := []string{usdotColumns[0], docketColumns[0]}
	for _, names := range s.columns {
		head = append(head, names[0])
	}

	return head
}

// cells are the values of an object in the order of head.
func (s set) cells(o Object) []string {
	cells := []string{o.Text(usdotColumns...), o.Text(docketColumns...)}
	for _, names := range s.columns {
		cells = append(cells, o.Text(names...))
	}

	return cells
}

// knows reports whether an object may be a row of the set: it has values of it, or nothing but a number, which takes the docket away.
func (s set) knows(o Object) bool {
	others := 0
	for key := range o {
		switch {
		case strings.HasPrefix(key, ":"), slices.Contains(usdotColumns, key), slices.Contains(docketColumns, key), o.Text(key) == "":
		case slices.ContainsFunc(s.columns, func(names []string) bool { return slices.Contains(names, key) }):
			return true
		default:
			others++
		}
	}

	return others == 0
}
