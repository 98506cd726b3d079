package config

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// envPrefix starts the variables that are ours. envFile names the file and holds no value.
const (
	envPrefix    = "DISPATCHD_"
	envSeparator = "__"
	envFile      = "DISPATCHD_CONFIG"
)

// injected are the variables, without the prefix, that Kubernetes makes for a service named dispatchd, or dispatchd-api
// (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
var injected = regexp.MustCompile(`^([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// Unread is a variable that starts as ours do and sets nothing, probably by mistake.
type Unread struct {
	// Name is the variable's, Nearest that of the one that was probably meant.
	Name, Nearest string
}

// environment is the layer of the variables. One that has the name of no key but two underscores was meant to be ours; of
// the others, those that a container platform makes are left alone, and the rest is noted.
func (l *loading) environment(lines []string) layer {
	known := map[string]string{}
	for key := range l.schema.root.keys() {
		known[envName(key.path)] = key.path
	}

	top := newLayer()
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		rest, ours := strings.CutPrefix(name, envPrefix)
		if !ours || name == envFile {
			continue
		}
		path, found := known[name]
		switch {
		case found:
		case strings.Contains(rest, envSeparator):
			path = strings.ReplaceAll(strings.ToLower(rest), envSeparator, ".")
		case injected.MatchString(rest):
			continue
		default:
			l.unread = append(l.unread, Unread{Name: printable(name), Nearest: l.schema.nearestVariable(name)})

			continue
		}
		l.enterPath(top, path, written{text: value}, source{kind: "environment", name: name})
	}

	return top
}

// nearestVariable is the variable of a key whose name differs least; one underscore is as good as two.
func (s *schema) nearestVariable(name string) string {
	const enough = 200 // characters; whatever is longer is near to nothing
	plain := func(name string) string { return strings.ReplaceAll(name, envSeparator, "_") }
	name = strings.ToUpper(plain(name[:min(len(name), enough)]))
	var all []string
	for key := range s.root.keys() {
		all = append(all, envName(key.path))
	}
	far := func(other string) int { return levenshtein.ComputeDistance(plain(other), name) }

	return slices.MinFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b)) })
}

// envName returns the variable of a key.
func envName(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", envSeparator))
}
