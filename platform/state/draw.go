package state

import (
	"fmt"
	"strings"

	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/module"
)

// Drawing is a machine as documentation shows it. The manifest has it before the graph exists.
type Drawing struct {
	// Item is the item type, Mermaid a state diagram.
	Item, Mermaid string
}

// Life is the manifest line of a machine of the area. A service whose machine is not sound does not
// start.
func Life[S ~string](m Machine[S]) fx.Option {
	return module.Contribute("state.Machine", m.Item, Drawing{Item: m.Item, Mermaid: m.Mermaid()}, func(at module.At) fx.Option {
		if err := m.Validate(); err != nil {
			return fx.Error(fmt.Errorf("area %q: %w", at.Area, err))
		}
		if m.area() != at.Area {
			return fx.Error(fmt.Errorf("area %q: the item %q of its state machine is another area's", at.Area, m.Item))
		}

		return fx.Options()
	})
}

// Mermaid draws the table as a Mermaid state diagram.
func (m Machine[S]) Mermaid() string {
	lines := []string{"stateDiagram-v2"}
	for _, s := range append([]S{m.Initial}, m.Starts...) {
		lines = append(lines, fmt.Sprintf("  [*] --> %s", s))
	}
	for _, step := range m.Steps {
		label := step.Verb
		if step.Guard.name != "" {
			label += " [" + step.Guard.name + "]"
		}
		for _, from := range step.From {
			lines = append(lines, fmt.Sprintf("  %s --> %s: %s", from, step.To, label))
		}
	}
	for _, s := range m.Final {
		lines = append(lines, fmt.Sprintf("  %s --> [*]", s))
	}

	return strings.Join(lines, "\n") + "\n"
}
