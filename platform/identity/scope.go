package identity

import (
	"regexp"
	"slices"
	"strings"
)

const anything = "*"

var scopeSyntax = regexp.MustCompile(`^(?:\*|(?:\*|[a-z][a-z0-9_]{0,39}):(?:\*|[a-z][a-z0-9_]{0,39}))$`)

// IntersectScopes returns the scopes that both sets cover: a token of a user may do what it says, as far as
// the user may. A scope is "<area>:<action>", and either half may be "*"; "*" alone is everything.
func IntersectScopes(a, b []string) []string {
	both := []string{}
	for _, x := range a {
		for _, y := range b {
			if scope, meet := intersectScope(x, y); meet && !slices.Contains(both, scope) {
				both = append(both, scope)
			}
		}
	}
	slices.Sort(both)

	return both
}

// intersectScope returns the scope that two scopes have in common.
func intersectScope(a, b string) (string, bool) {
	areaA, actionA := splitScope(a)
	areaB, actionB := splitScope(b)
	area, meetArea := meetingHalf(areaA, areaB)
	action, meetAction := meetingHalf(actionA, actionB)
	if area == anything && action == anything {
		return anything, true
	}

	return area + ":" + action, meetArea && meetAction
}

func splitScope(scope string) (area, action string) {
	if scope == anything {
		return anything, anything
	}
	area, action, _ = strings.Cut(scope, ":")

	return area, action
}

func meetingHalf(a, b string) (string, bool) {
	switch {
	case a == anything:
		return b, true
	case b == anything, a == b:
		return a, true
	default:
		return "", false
	}
}

// Covers reports whether who has some scopes may do everything that the others allow. Each of those
// is covered by one scope alone: "*:read" and "*:write" together are not "*".
func Covers(have, want []string) bool {
	for _, w := range want {
		if !slices.ContainsFunc(have, func(h string) bool {
			both, meet := intersectScope(h, w)

			return meet && both == normalScope(w)
		}) {
			return false
		}
	}

	return true
}

// normalScope is the scope as meeting writes it.
func normalScope(scope string) string {
	same, _ := intersectScope(scope, scope)

	return same
}
