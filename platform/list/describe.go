package list

import (
	"fmt"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
)

// Describe returns Markdown about what the list can be asked for, for the description of its
// operation: the query keys are the same for every list, the fields are not.
func (s Schema) Describe() string {
	var b strings.Builder
	b.WriteString("Filters:\n")
	for _, field := range s.all() {
		if field.Filterable {
			fmt.Fprintf(&b, "- `%s` (%s): %s\n", field.Name, field.values(), joinNames(field.operators()))
		}
	}
	fmt.Fprintf(&b, "\nSort keys: %s.", quoteNames(s.sortable()))
	if len(s.DefaultSort) > 0 {
		fmt.Fprintf(&b, " Without `sort`: `%s`.", strings.Join(s.DefaultSort, ","))
	}
	if len(s.Expand) > 0 {
		fmt.Fprintf(&b, " `expand`: %s.", quoteNames(s.Expand))
	}

	return b.String()
}

// DescribeGroups returns Markdown about what the list can be grouped by, for the description of its operation.
func (s Schema) DescribeGroups() string {
	text := "`group_by`: " + quoteNames(s.groupable()) + "."
	if sums := s.names(Field.summable); len(sums) > 0 {
		text += " `sum`: " + quoteNames(sums) + "."
	}

	return text
}

// values names what the field is compared with.
func (f Field) values() string {
	if f.NamesUser {
		return "uuid of a user, or `me`"
	}

	if f.Kind == kind.LocalTime {
		return "local date-time"
	}

	if len(f.Words) > 0 {
		return "one of " + quoteNames(f.Words)
	}

	return string(f.Kind)
}

func quoteNames(names []string) string {
	return "`" + strings.Join(names, "`, `") + "`"
}

// joinNames lists what is allowed, for a message.
func joinNames[S ~string](names []S) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}

	return strings.Join(texts, ", ")
}
