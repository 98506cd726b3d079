package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

var (
	// release is a tag that says which version it is.
	release = regexp.MustCompile(`:\d+\.\d+\.\d+(-[\w.]+)?$|@sha256:[0-9a-f]{64}$`)
	// number is a user as Kubernetes' runAsNonRoot wants it, which cannot look a name up.
	number = regexp.MustCompile(`^[1-9]\d*(:[1-9]\d*)?$`)
)

// checkRules reports what the image promises and the file does not keep: pinned bases, nothing
// fetched by ADD, and at its end a user that is not root, and a health check.
func checkRules(text []byte) error {
	tree, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("dockerfile: %w", err)
	}
	stages, _, err := instructions.Parse(tree.AST, nil)
	if err != nil {
		return fmt.Errorf("dockerfile: %w", err)
	}
	var problems []error
	names := map[string]bool{"scratch": true}
	for _, stage := range stages {
		if !names[stage.BaseName] && !release.MatchString(stage.BaseName) {
			problems = append(problems, fmt.Errorf("dockerfile: FROM %s: want a tag with the whole version", stage.BaseName))
		}
		names[stage.Name] = true
		problems = append(problems, stageProblems(stage)...)
	}

	return errors.Join(append(problems, lastProblems(stages[len(stages)-1])...)...)
}

func stageProblems(stage instructions.Stage) (problems []error) {
	for _, command := range stage.Commands {
		if c, ok := command.(*instructions.AddCommand); ok {
			problems = append(problems, fmt.Errorf("dockerfile: %s: want COPY, or a download that is verified", c))
		}
	}

	return problems
}

func lastProblems(stage instructions.Stage) (problems []error) {
	var user string
	has := map[string]bool{}
	for _, command := range stage.Commands {
		has[strings.ToLower(command.Name())] = true
		if c, ok := command.(*instructions.UserCommand); ok {
			user = c.User
		}
	}
	if !number.MatchString(user) {
		problems = append(problems, fmt.Errorf("dockerfile: USER %q: want the number of a user that is not root", user))
	}
	for _, name := range []string{"healthcheck", "entrypoint", "expose", "volume"} {
		if !has[name] {
			problems = append(problems, errors.New("dockerfile: the image has no "+strings.ToUpper(name)))
		}
	}

	return problems
}
