package page

import (
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Line is a line of text, with what can be called or found by it. The template "line" shows one.
type Line struct {
	Text  string
	Links []Anchor
}

// Anchor leads out of the service: to a phone, or to a map.
type Anchor struct {
	Text string
	Href template.URL
}

// Plain is a line without its links, for paper.
func (l Line) Plain() string {
	parts := []string{l.Text}
	for _, one := range l.Links {
		if one.Text != MapText {
			parts = append(parts, one.Text)
		}
	}

	return strings.TrimSpace(strings.Join(parts, " "))
}

// Plain are lines without their links.
func Plain(all []Line) string {
	texts := make([]string, len(all))
	for i, l := range all {
		texts[i] = l.Plain()
	}

	return strings.Join(texts, "\n")
}

// MapText is the text of a link to a map.
const MapText = "Map"

// Called is a line with phones, each of which can be called.
func Called(text string, phones ...string) Line {
	l := Line{Text: text}
	for _, phone := range phones {
		if phone != "" {
			l.Links = append(l.Links, Anchor{phone, template.URL("tel:" + dialed(phone))}) //nolint:gosec // digits, and an escaped rest
		}
	}

	return l
}

// dialed is a phone number as a link dials it: without blanks, dashes and brackets.
func dialed(phone string) string {
	return url.PathEscape(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -().\u00a0", r) {
			return -1
		}

		return r
	}, phone))
}

// Lines are texts as lines; empty ones are left out.
func Lines(texts ...string) (all []Line) {
	for _, text := range texts {
		if text != "" {
			all = append(all, Line{Text: text})
		}
	}

	return all
}

// Address are the lines of an address, the last of which leads to a map where there is more than the name.
func Address(name string, rest ...string) []Line {
	rest = slices.DeleteFunc(rest, func(text string) bool { return text == "" })
	all := append(Lines(name), Lines(rest...)...)
	if len(rest) > 0 {
		at := url.Values{"api": {"1"}, "query": {strings.Join(rest, ", ")}}.Encode()
		all[len(all)-1].Links = []Anchor{{MapText, template.URL("https://www.google.com/maps/search/?" + at)}} //nolint:gosec // escaped
	}

	return all
}

// Window is a window of days, or of times on a clock in a zone, as people read it; "" for none.
func Window(from, to, zone string) string {
	const clock = "2006-01-02T15:04"
	read := func(text string) (day, at, in string) {
		t, err := time.ParseInLocation(clock, text, Zone(zone))
		if err != nil {
			return Day(text), "", ""
		}
		if zone != "" {
			in = t.Format(" MST")
		}

		return t.Format("January 2, 2006"), t.Format("15:04"), in
	}
	fromDay, fromTime, fromZone := read(from)
	toDay, toTime, toZone := read(to)
	whole := func(day, at, in string) string {
		if at == "" {
			return day
		}

		return day + ", " + at + in
	}
	switch {
	case from == "" && to == "":
		return ""
	case from == "":
		return "Until " + whole(toDay, toTime, toZone)
	case to == "" || from == to:
		return "From " + whole(fromDay, fromTime, fromZone)
	case fromDay == toDay && fromTime != "" && toTime != "":
		return fromDay + ", " + fromTime + " to " + toTime + toZone
	}

	return whole(fromDay, fromTime, fromZone) + " to " + whole(toDay, toTime, toZone)
}
