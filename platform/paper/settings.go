package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Settings are the keys of the section "papers".
type Settings struct {
	Fonts []string `config:"fonts" doc:"Font files, .ttf or .ttc, for letters that the built-in fonts do not have, such as those of Hindi. A letter is looked for in their order; missing letters are printed in Latin letters with their codes."`
}

// Defaults are the built-in fonts alone.
func Defaults() Settings { return Settings{Fonts: []string{}} }

// Validate implements the check that config runs. The files are read for the first paper.
func (s Settings) Validate() error {
	for _, name := range s.Fonts {
		if !slices.Contains([]string{".ttf", ".ttc"}, strings.ToLower(filepath.Ext(name))) {
			return fmt.Errorf("fonts: %s: want a .ttf or .ttc file; fonts with PostScript outlines (.otf) cannot be embedded", name)
		}
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			return fmt.Errorf("fonts: %s: there is no such file", name)
		}
	}

	return nil
}
