package web

import (
	"strings"
)

// The two ways to answer a write (RFC 7240, 4.2).
const (
	preferMinimal        = "return=minimal"
	preferRepresentation = "return=representation"
)

// prefersMinimal decides whether a write is answered with {} instead of the resource: as the
// request says, else as web.documented_bodies says. The headers are the same either way. A secret is
// told only once, so an answer that has one is always whole.
func (e *endpoint) prefersMinimal(c *call) bool {
	if e.op.Secret {
		return false
	}
	for _, header := range c.fiber.Request().Header.PeekAll("Prefer") {
		if asked := preference(string(header)); asked != "" {
			c.SetHeader("Preference-Applied", asked)

			return asked == preferMinimal
		}
	}

	return e.api.settings.DocumentedBodies
}

// preference returns the "return" preference of a Prefer header, "" if it has none that we know.
func preference(header string) string {
	for part := range strings.SplitSeq(header, ",") {
		part, _, _ = strings.Cut(part, ";")
		name, value, _ := strings.Cut(part, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "return") {
			continue
		}
		switch strings.Trim(strings.TrimSpace(value), `"`) {
		case "minimal":
			return preferMinimal
		case "representation":
			return preferRepresentation
		}
	}

	return ""
}
