// Command licenses prints the licences and notices of everything that is linked into dispatchd: of the modules
// that its packages come from, of Go itself, and of data in the repository. It is run in the repository's root.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// named is what files are called that have a licence or a notice in them.
var named = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.\-_].*)?$`)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// source is something with a licence of its own, and the folder that the licence is in.
type source struct{ name, dir string }

func run(out io.Writer) error {
	sources, err := linked()
	if err != nil {
		return err
	}
	// Many modules have the same text; each text is printed once.
	users := map[string][]string{}
	var texts []string
	for _, s := range sources {
		found, err := textsOf(s)
		if err != nil {
			return err
		}
		for _, text := range found {
			if users[text] == nil {
				texts = append(texts, text)
			}
			users[text] = append(users[text], s.name)
		}
	}
	for _, text := range texts {
		fmt.Fprintf(out, "%s\n%s\n\n%s\n\n", strings.Repeat("=", 80), strings.Join(users[text], "\n"), text)
	}

	return nil
}

// textsOf returns the licences and notices of a source, an error if there are none.
func textsOf(s source) ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	var texts []string
	for _, e := range entries {
		if e.IsDir() || !named.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s: no licence in %s", s.name, s.dir)
	}

	return texts, nil
}

// linked lists what is linked into the binary, on the platform of the image.
func linked() ([]source, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/dispatchd")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	lines := slices.DeleteFunc(strings.Split(string(bytes.TrimSpace(text)), "\n"), func(l string) bool { return l == "" })
	slices.Sort(lines)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	sources := []source{{"The Go standard library and runtime", strings.TrimSpace(string(root))}}
	for _, line := range slices.Compact(lines) {
		name, dir, _ := strings.Cut(line, "\t")
		sources = append(sources, source{name, dir})
	}

	return append(sources,
		source{"zxcvbn 4.4.2 (its list of common passwords)", "modules/companies/internal/passwords/common"},
		source{"Droid Sans Fallback (letters of Chinese, Japanese and Korean on papers)", "platform/paper/eastasian"},
		source{"vPIC (vehicle data of NHTSA)", "modules/vehicles/internal/vpic"},
		source{"ZIP codes of the route engine", "modules/routeengine/internal/places"},
	), nil
}
