package numbering

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
)

// memberMark stands between a family and what in it a series is for.
const memberMark = ":"

// Family is the manifest line of series that companies define while the service runs, one for each
// thing that Member names: custom fields that number their records, say. They have no template that
// every company begins with, so each call says it, with WithTemplate. List does not have them.
func Family(name string) fx.Option {
	return module.Contribute("numbers", name, nil, func(at module.At) fx.Option {
		return module.Register(at, func(n, _ *Numbers) error {
			if !strings.HasPrefix(name, at.Area+".") || strings.Contains(name, memberMark) {
				return fmt.Errorf("family of numbers %q: want a name that begins with %q", name, at.Area+".")
			}
			if n.families[name] {
				return fmt.Errorf("family of numbers %q is declared twice", name)
			}
			n.families[name] = true

			return nil
		})
	})
}

// Member names the series of a family that belongs to a thing.
func Member(family string, of uuid.UUID) string { return family + memberMark + of.String() }

// WithTemplate says with which template a series of a family begins. It is for the first number; after that,
// SetTemplate changes the template.
func WithTemplate(template string) Option {
	return func(c *call) { c.template = template }
}

// CheckTemplate returns numbering.invalid_template for a template that is none.
func CheckTemplate(text string) error {
	_, err := parseTemplate(text)

	return err
}
