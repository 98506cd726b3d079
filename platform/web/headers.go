package web

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/gofiber/fiber/v2"
)

var (
	headerName  = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	headerValue = regexp.MustCompile(`^[ -~]+$`)
)

// secure sets the headers that keep a browser from making more of an answer than it is, and those of
// the configuration. The docs page has a policy of its own.
func (a *API) secure(c *fiber.Ctx) {
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'")
	for _, h := range a.headers {
		c.Set(h[0], h[1])
	}
}

// fixedHeaders are the headers of every answer that the settings ask for.
func (s Settings) fixedHeaders() [][2]string {
	var all [][2]string
	if hsts := s.hsts(); hsts != "" {
		all = append(all, [2]string{fiber.HeaderStrictTransportSecurity, hsts})
	}
	for _, line := range s.Headers {
		if name, value, err := splitHeader(line); err == nil {
			all = append(all, [2]string{name, value})
		}
	}

	return all
}

// splitHeader reads "Name: value".
func splitHeader(line string) (name, value string, err error) {
	name, value, _ = strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if !headerName.MatchString(name) || !headerValue.MatchString(value) {
		return "", "", fmt.Errorf(`headers: %q: want lines such as "Permissions-Policy: camera=()"`, line)
	}

	return name, value, nil
}
