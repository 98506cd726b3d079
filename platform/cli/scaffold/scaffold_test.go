package scaffold

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlural_OfWhatAreasKeep(t *testing.T) {
	t.Parallel()
	for noun, want := range map[string]string{
		"item": "items", "entry": "entries", "day": "days", "box": "boxes", "dispatch": "dispatches", "y": "ys",
	} {
		require.Equal(t, want, plural(noun))
	}
}

func TestNounOf_TakesTheSingularOfTheLastWord(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"yard_spots": "spot", "docks": "dock", "log_entries": "entry", "toll_boxes": "box", "days": "day",
		"sms": "item", "esign": "item", "web_services": "service", "": "item",
	} {
		require.Equal(t, want, NounOf(id), id)
	}
}

func TestWrite_RefusesNamesThatWouldNotWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/theirs\n"), 0o600))
	for _, area := range []Area{
		{ID: "Yard", Noun: "item"},
		{ID: "", Noun: "item"},
		{ID: "yard", Noun: ""},
		{ID: "yard", Noun: "Big Item"},
		{ID: "yard", Noun: "resource"},
	} {
		area.Dir = dir
		_, err := area.Write()
		require.Errorf(t, err, "%+v", area)
	}
	_, err := Area{Dir: t.TempDir(), ID: "yard", Noun: "item"}.Write()
	require.ErrorContains(t, err, "top of a Go repository")
}

func TestWrite_OverwritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/theirs\n"), 0o600))
	area := Area{Dir: dir, ID: "yard_spots", Noun: "spot"}
	written, err := area.Write()
	require.NoError(t, err)
	require.Contains(t, written, "yardspots/module.go")
	require.Contains(t, written, "yardspots/migrations/00001_create_spots.sql")

	_, err = area.Write()
	require.EqualError(t, err, "yardspots is there already")
}

func TestEnlist_KeepsTheListInOrder(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "modules.go")
	before := `// Package modules lists the areas.
package modules

import (
	"github.com/dispatchd/dispatchd/modules/sms"
	"github.com/dispatchd/dispatchd/platform/module"
)

// All returns every area.
func All() []module.Module {
	return []module.Module{
		sms.Module,
	}
}
`
	require.NoError(t, os.WriteFile(name, []byte(before), 0o600))
	require.NoError(t, addToModuleList(name, home+"/modules/carriers", "carriers"))
	require.NoError(t, addToModuleList(name, home+"/modules/trucks", "trucks"))
	after, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, `// Package modules lists the areas.
package modules

import (
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/sms"
	"github.com/dispatchd/dispatchd/modules/trucks"
	"github.com/dispatchd/dispatchd/platform/module"
)

// All returns every area.
func All() []module.Module {
	return []module.Module{
		carriers.Module,
		sms.Module,
		trucks.Module,
	}
}
`, string(after))
}
