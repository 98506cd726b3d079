package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
)

func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	require.NoError(t, err)

	return string(text)
}

func TestDeploy_GivesAStopTheTimeThatItMayTakeInEveryProfile(t *testing.T) {
	t.Parallel()
	longest := time.Duration(0)
	profiles, err := filepath.Glob(filepath.Join("..", "..", "config", "profiles", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, profiles)
	for _, profile := range profiles {
		cfg, err := app.Load(config.LoadOptions{Modules: modules.All(), File: profile, Set: []string{
			"database.url=sqlite:" + filepath.Join(t.TempDir(), "x.db"), "secret.key=dsk_vembCsy7YgaK6qiZ1z3JT3WQXQjkVVgPRTT2hnzokJM",
		}})
		require.NoError(t, err)
		service, err := app.New(cfg, modules.All())
		require.NoError(t, err)
		longest = max(longest, service.StopTimeout())
	}
	for file, key := range map[string]string{
		"dispatchd.service": `(?m)^TimeoutStopSec=(\S+)in$`, "compose.yaml": `(?s)x-dispatchd:.*?stop_grace_period: (\S+)`,
	} {
		found := regexp.MustCompile(key).FindStringSubmatch(deployed(t, file))
		require.Len(t, found, 2, file)
		given, err := time.ParseDuration(found[1])
		require.NoError(t, err, file)
		require.Greater(t, given, longest, file)
	}
}

func TestDeploy_TheImageIsNotTheLocalProfile(t *testing.T) {
	t.Parallel()
	cfg, err := app.Load(config.LoadOptions{Modules: modules.All(), File: filepath.Join("..", "..", "deploy", "container.yaml")})
	require.NoError(t, err)
	require.False(t, app.Local(cfg), "it would have demo data and answer with where in the code an error was made")
	require.Equal(t, "/var/lib/dispatchd", app.DataDir(cfg))
}

func TestDeploy_TheBalancerKnowsTheAddressesOfTheComposeFile(t *testing.T) {
	t.Parallel()
	addresses := regexp.MustCompile(`ipv4_address: (\S+)`).FindAllStringSubmatch(deployed(t, "compose.yaml"), -1)
	require.Len(t, addresses, 2)
	for _, address := range addresses {
		require.Equal(t, 1, strings.Count(deployed(t, "haproxy.cfg"), " "+address[1]+":8080\n"), address[1])
	}
}
