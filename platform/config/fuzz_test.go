package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
)

// FuzzLoad: whatever is in the file, Load does not panic, an error names the file on each line, and
// a configuration that is accepted reads the same when it is printed and loaded again.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		example, "", "---\n...\n", "web: &a {address: *a}", "a: &a [*a]", "{", "? ", "!!map x", "web: !!str {a: b}", "<<: {a: b}",
		"web: {proxies: [a, *x]}", "modules: {sms: {max_length: 0x10}}", "\xff\xfe", "web:\n\taddress: x", "migrate: !!bool 'true'",
		"web: {rate: 1e400, limit: 99999999TiB, tls: {level: -0}}", "data_dir: |\n  a\n  b\n", "%YAML 1.3\n---\n", "- a", "? {a: b}\n: c",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o := config.LoadOptions{Modules: areas(), Specs: specs(), File: filepath.Join(t.TempDir(), "c.yaml")}
		require.NoError(t, os.WriteFile(o.File, data, 0o600))
		c, err := config.Load(o)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				require.True(t, strings.Contains(line, "c.yaml") || strings.HasPrefix(line, "modules.sms: "), line)
			}

			return
		}
		again(t, c, o)
	})
}

// again prints a configuration and loads that.
func again(t *testing.T, c *config.Config, o config.LoadOptions) {
	t.Helper()
	var out strings.Builder
	require.NoError(t, c.Print(&out, "yaml"))
	require.NoError(t, os.WriteFile(o.File, []byte(out.String()), 0o600))
	same := load(t, o)
	web, want := config.Get[webSettings](same, "web"), config.Get[webSettings](c, "web")
	want.Key = config.Secret(want.Key.String())
	require.Equal(t, want, web)
	require.Equal(t, config.Get[rootSettings](c, ""), config.Get[rootSettings](same, ""))
	require.Equal(t, config.Get[smsSettings](c, "modules.sms"), config.Get[smsSettings](same, "modules.sms"))
}
