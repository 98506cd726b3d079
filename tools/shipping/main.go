// Command shipping checks the Dockerfile and the compose file of a folder, since no Docker engine
// may be at hand where a change is checked: the rules of `docker build --check`, our own beside them
// (see rules.go), and what `docker compose config` would say.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: shipping FOLDER")
		os.Exit(2)
	}
	if err := check(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(ctx context.Context, folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "Dockerfile")) //nolint:gosec // the folder is the caller's
	if err != nil {
		return err
	}

	return errors.Join(
		lintDockerfile(ctx, text),
		checkRules(text),
		checkCompose(ctx, filepath.Join(folder, "compose.yaml")),
	)
}
