package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/opencontainers/go-digest"
)

// lintDockerfile runs the checks of `docker build --check`, but those that ask a registry.
func lintDockerfile(ctx context.Context, text []byte) error {
	source := llb.NewSourceMap(nil, "Dockerfile", "dockerfile", text)
	source.Definition = &llb.Definition{}
	results, err := dockerfile2llb.DockerfileLint(ctx, text, dockerfile2llb.ConvertOpt{SourceMap: source, MetaResolver: offline{}})
	if err != nil {
		return fmt.Errorf("dockerfile: %w", err)
	}
	var problems []error
	if results.Error != nil {
		problems = append(problems, fmt.Errorf("dockerfile: %s", results.Error.Message))
	}
	for _, warning := range results.Warnings {
		line := int32(0)
		if ranges := warning.Location.GetRanges(); len(ranges) > 0 {
			line = ranges[0].GetStart().GetLine()
		}
		problems = append(problems, fmt.Errorf("dockerfile:%d: %s: %s", line, warning.RuleName, warning.Detail))
	}

	return errors.Join(problems...)
}

// offline stands for the registry: it says of every image that it is for this platform.
type offline struct{}

// ResolveImageConfig implements llb.ImageMetaResolver.
func (offline) ResolveImageConfig(
	_ context.Context, ref string, _ sourceresolver.Opt,
) (string, digest.Digest, []byte, error) {
	config := fmt.Sprintf(`{"architecture":%q,"os":"linux"}`, runtime.GOARCH)

	return ref, digest.FromString(config), []byte(config), nil
}

// checkCompose reads the file as `docker compose config` does: its schema, what refers to what, and
// whether it goes together.
func checkCompose(ctx context.Context, file string) error {
	options, err := cli.NewProjectOptions([]string{file})
	if err != nil {
		return err
	}
	_, err = options.LoadProject(ctx)

	return err
}
