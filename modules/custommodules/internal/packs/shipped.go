package packs

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/platform/damage"
)

//go:embed shipped/*.json
var shipped embed.FS

// BuiltIn returns the packs that come with the service, by name.
func BuiltIn() ([]Pack, error) {
	entries, err := shipped.ReadDir("shipped")
	if err != nil {
		return nil, err
	}
	var all []Pack
	for _, entry := range entries {
		raw, err := shipped.ReadFile(path.Join("shipped", entry.Name()))
		if err != nil {
			return nil, err
		}
		if raw, err = damage.Fill(raw); err != nil {
			return nil, err
		}
		var p Pack
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Pack) int { return strings.Compare(a.Name, b.Name) })

	return all, nil
}

// Find returns a pack that comes with the service, nil if there is none of the name; and the names of all.
func Find(name string) (found *Pack, names []string, err error) {
	all, err := BuiltIn()
	for i := range all {
		if all[i].Name == name {
			found = &all[i]
		}
		names = append(names, all[i].Name)
	}

	return found, names, err
}
