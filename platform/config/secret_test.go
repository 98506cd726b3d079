package config_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/module"
)

const hidden = "hunter22"

func TestSecret_IsShownByNothing(t *testing.T) {
	t.Parallel()
	type holder struct {
		Key  config.Secret            `json:"key"`
		Keys map[config.Secret]string `json:"-" xml:"-"`
	}
	h := holder{Key: hidden, Keys: map[config.Secret]string{hidden: "x"}}
	var rendered bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%20v", "%T"} {
		_, err := fmt.Fprintf(&rendered, verb+"|"+verb+"|"+verb+"\n", h.Key, h, &h)
		require.NoError(t, err)
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&rendered, nil), slog.NewJSONHandler(&rendered, nil)} {
		slog.New(handler).Info("x", "key", h.Key, "holder", h, slog.Group("g", "key", h.Key))
	}
	for _, marshal := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal, xml.Marshal} {
		out, err := marshal(h)
		require.NoError(t, err)
		rendered.Write(out)
	}
	rendered.WriteString(fmt.Errorf("key %q: %w", h.Key, fmt.Errorf("%v", h)).Error())

	require.NotContains(t, rendered.String(), hidden)
	require.NotContains(t, rendered.String(), "68756e746572", "in hexadecimal")
	require.Equal(t, hidden, h.Key.Reveal())
}

func TestSecret_ReadsWellWhereItIsRedacted(t *testing.T) {
	t.Parallel()
	require.Equal(t, `[redacted] "[redacted]" config.Secret("[redacted]")`,
		fmt.Sprintf("%v %q %#v", config.Secret(hidden), config.Secret(hidden), config.Secret(hidden)))
	require.Equal(t, ` "" config.Secret("")`, fmt.Sprintf("%s %q %#v", config.Secret(""), config.Secret(""), config.Secret("")))
}

func TestConfig_IsShownByNothing(t *testing.T) {
	t.Parallel()
	o := options(t, "")
	o.Set = []string{"web.key=" + hidden}
	c := load(t, o)
	var rendered bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		_, err := fmt.Fprintf(&rendered, verb+verb, c, []any{c})
		require.NoError(t, err)
	}
	slog.New(slog.NewTextHandler(&rendered, nil)).Info("x", "config", c)
	slog.New(slog.NewJSONHandler(&rendered, nil)).Info("x", "config", c)
	for _, v := range c.Values() {
		_, err := fmt.Fprintf(&rendered, "%#v", v)
		require.NoError(t, err)
	}
	for _, format := range []string{"yaml", "json"} {
		require.NoError(t, c.Print(&rendered, format))
		require.NoError(t, c.Print(&rendered, format, config.WithSources()))
	}
	out, err := json.Marshal(c)
	require.NoError(t, err)
	require.NotContains(t, rendered.String()+string(out), hidden)
	require.Contains(t, string(out), `"key":"[redacted]"`)
}

func TestResolveSecrets_ReadsTheFilesOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte("file:not again\r\n"), 0o600))
	o := options(t, "")
	o.Environ = []string{"DISPATCHD_WEB__KEY=file:" + file}
	c := load(t, o)
	require.True(t, config.Get[webSettings](c, "web").Key.Mounted(), "Load reads no secrets")

	for range 2 {
		require.NoError(t, c.ResolveSecrets())
		require.Equal(t, "file:not again", config.Get[webSettings](c, "web").Key.Reveal())
	}
}

func TestResolveSecrets_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "\n", "short": "abc"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	tests := []struct{ value, want string }{
		{"file:" + dir + "/gone", "web.key: reading the secret: open " + dir + "/gone: no such file or directory (flag --set)"},
		{"file:" + dir + "/empty", "web.key: want a secret in the file, got an empty one (flag --set)"},
		{"file:" + dir + "/short", `web.key: want 8 characters or more, got "[redacted]" (flag --set)`},
		{"file:", `web.key: want the path of a file after "file:" (flag --set)`},
	}
	for _, test := range tests {
		o := options(t, "")
		o.Set = []string{"web.key=" + test.value}
		require.EqualError(t, load(t, o).ResolveSecrets(), test.want)
	}
}

func TestResolveSecrets_LeavesAreasThatAreOffAlone(t *testing.T) {
	t.Parallel()
	type settings struct {
		Key config.Secret `config:"key"`
	}
	o := config.LoadOptions{
		Modules: []module.Module{module.New("a", "", config.Section(settings{})), module.New("b", "", config.Section(settings{}))},
		Set:     []string{"modules.a.key=file:/gone/a", "modules.b.key=file:/gone/b", "modules.b.enabled=false"},
	}
	err := load(t, o).ResolveSecrets()
	require.ErrorContains(t, err, "modules.a.key")
	require.NotContains(t, err.Error(), "modules.b.key")
}
