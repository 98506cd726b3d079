package exchange

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/collection/exchange/cell"
)

func TestProposedFields_AreOfTheTypesOfTheCells(t *testing.T) {
	t.Parallel()
	repeated := func(n int, cells ...string) []string {
		var all []string
		for range n {
			all = append(all, cells...)
		}

		return all
	}
	for heading, test := range map[string]struct {
		cells []string
		want  fieldDraft
		fits  int64
	}{
		"Runs?":               {[]string{"yes", "no", "", "x"}, fieldDraft{Key: "runs", Label: "Runs?", Type: "boolean"}, 3},
		"Year":                {[]string{"2017", "2,018", "0"}, fieldDraft{Key: "year", Label: "Year", Type: "integer"}, 3},
		"ZIP":                 {[]string{"02134", "94043"}, fieldDraft{Key: "zip", Label: "ZIP", Type: "text"}, 2},
		"Price ($)":           {[]string{"$1,250", "(75.125)"}, fieldDraft{Key: "price_usd", Label: "Price ($)", Type: "decimal", Options: map[string]any{"scale": 3}}, 2},
		"Pickup":              {[]string{"04/05/2026", "May 6, 2026", "2026-05-01"}, fieldDraft{Key: "pickup", Label: "Pickup", Type: "date"}, 3},
		"Due":                 {[]string{"5/1/2026 2:30 PM"}, fieldDraft{Key: "due", Label: "Due", Type: "local_datetime"}, 1},
		"E-mail":              {[]string{"Jane <jane@example.com>", "max@example.com"}, fieldDraft{Key: "email", Label: "E-mail", Type: "email"}, 2},
		"Contact":             {[]string{"(202) 555-0143", "+1 202 555 0144"}, fieldDraft{Key: "contact", Label: "Contact", Type: "phone", Options: map[string]any{"default_region": "US"}}, 2},
		"Fax":                 {[]string{"2025550143"}, fieldDraft{Key: "fax", Label: "Fax", Type: "phone", Options: map[string]any{"default_region": "US"}}, 1},
		"Chassis":             {[]string{"1M8GDM9AXKP042788"}, fieldDraft{Key: "chassis", Label: "Chassis", Type: "vin"}, 1},
		"Site":                {[]string{"https://example.com/a"}, fieldDraft{Key: "site", Label: "Site", Type: "url"}, 1},
		"Color":               {repeated(4, "Red", "Blue", "red"), fieldDraft{Key: "color", Label: "Color", Type: "select", Options: map[string]any{"options": []map[string]string{{"label": "Red"}, {"label": "Blue"}}}}, 12},
		"Remarks":             {[]string{"a", "b"}, fieldDraft{Key: "remarks", Label: "Remarks", Type: "text"}, 2},
		"Story":               {[]string{strings.Repeat("word ", 60)}, fieldDraft{Key: "story", Label: "Story", Type: "long_text"}, 1},
		"Mixed":               {append(repeated(39, "7", "8"), "seven"), fieldDraft{Key: "mixed", Label: "Mixed", Type: "integer"}, 78},
		"2nd stop":            {[]string{"a"}, fieldDraft{Key: "field_2nd_stop", Label: "2nd stop", Type: "text"}, 1},
		"ID":                  {[]string{"a"}, fieldDraft{Key: "id_2", Label: "ID", Type: "text"}, 1},
		"code":                {[]string{"a"}, fieldDraft{Key: "code_2", Label: "code", Type: "text"}, 1},
		"created_at":          {[]string{"2026-05-01"}, fieldDraft{}, 0},
		"Nothing is in there": {[]string{"", " "}, fieldDraft{}, 0},
	} {
		row := importRow{Header: []string{heading}, Mapping: []target{""}, Rules: []rule{{}}}
		free := func(key string) bool { return key != "id" && key != "code" }
		to := described{Description: collection.Description{FreeKey: free}, locale: cell.Locale{Country: "US"}}
		for _, text := range test.cells {
			row.count([]string{text}, to)
		}
		found := row.proposedFields(to)
		if test.want.Key == "" {
			require.Empty(t, found, heading)

			continue
		}
		require.Len(t, found, 1, heading)
		require.Equal(t, test.want, found[0].Field, heading)
		require.Equal(t, test.fits, found[0].Fits, heading)
	}
}
