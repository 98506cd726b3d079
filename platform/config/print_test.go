package config_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
)

func TestPrint_ShowsTheValuesInForceAndWhereTheyAreFrom(t *testing.T) {
	t.Parallel()
	o := options(t, "modules_default: false\nweb:\n  tls: {level: 2}\n")
	o.Environ = []string{"DISPATCHD_WEB__PROXIES=a,b"}
	o.Set = []string{"web.key=hunter22", "modules.sms.enabled=true"}
	var plain, sources bytes.Buffer
	c := load(t, o)
	require.NoError(t, c.Print(&plain, "yaml"))
	require.NoError(t, c.Print(&sources, "yaml", config.WithSources()))

	want := `data_dir: ./data # default
migrate: true # default
modules_default: false # file c.yaml:1

web:
  address: 127.0.0.1:8080 # default
  timeout: 1h # default
  limit: 1MiB # default
  proxies: # environment DISPATCHD_WEB__PROXIES
    - a
    - b
  key: '[redacted]' # flag --set
  rate: 1.5 # default
  tls:
    cert: "" # default
    level: 2 # file c.yaml:3

modules:
  custom_modules:
    enabled: false # file c.yaml:1
  sms:
    enabled: true # flag --set
    max_length: 1600 # default
    sender: "yes" # default
`
	got := strings.ReplaceAll(sources.String(), strings.TrimSuffix(o.File, "c.yaml"), "")
	require.Equal(t, want, got)
	for line := range strings.Lines(plain.String()) {
		require.NotContains(t, line, " # ")
	}
	require.Len(t, strings.Split(plain.String(), "\n"), len(strings.Split(want, "\n")))
}

func TestPrint_WritesJSONOfTheSameShape(t *testing.T) {
	t.Parallel()
	o := config.LoadOptions{
		Specs: []config.Spec{config.For("x", strange{Lines: "<a>"})},
	}
	c := load(t, o)
	var tree, list bytes.Buffer
	require.NoError(t, c.Print(&tree, "json"))
	require.NoError(t, c.Print(&list, "json", config.WithSources()))
	require.JSONEq(t, `{"modules_default": true, "x": {"lines": "<a>", "null": "", "number": "", "hash": "", "odd": "", "long": "",
		"list": [], "empty": [], "wait": "0s", "short": "0s", "least": 0, "most": 0, "tiny": 0, "single": 0}}`, tree.String())
	require.Contains(t, tree.String(), "<a>")
	require.Contains(t, list.String(), `"path": "modules_default",
    "value": true,
    "source": "default"`)
	require.EqualError(t, c.Print(&tree, "toml"), `format "toml": want yaml or json`)
}
