package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/dispatchd/dispatchd/platform/privatefile"
)

// FileName is the name, in the data folder, of the key that SQLite gets by itself.
const FileName = "secret.key"

// fromFile returns the text in the file, which it makes if there is none.
func fromFile(path string) (string, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the data folder
	if errors.Is(err, fs.ErrNotExist) {
		if err := privatefile.WriteText(path, NewKey(), privatefile.KeepOld); err != nil {
			return "", fmt.Errorf("creating the master key: %w", err)
		}
		text, err = os.ReadFile(path) //nolint:gosec // the data folder
	}
	if err != nil {
		return "", fmt.Errorf("reading the master key: %w", err)
	}

	return strings.TrimSpace(string(text)), nil
}
