package config_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/module"
)

// rootSettings, webSettings and smsSettings have a key of every kind between them.
type rootSettings struct {
	DataDir string `config:"data_dir" doc:"Folder of everything."`
	Migrate bool   `config:"migrate" doc:"Whether tables are brought up to date."`
}

type webSettings struct {
	Address  string        `config:"address" doc:"Host and port to listen on."`
	Timeout  time.Duration `config:"timeout" doc:"How long a request may take."`
	Limit    config.Size   `config:"limit" doc:"Bytes in a request."`
	Proxies  []string      `config:"proxies" doc:"Addresses that may speak for others."`
	Key      config.Secret `config:"key" doc:"Key of the links."`
	Rate     float64       `config:"rate" doc:"Requests a second."`
	TLS      tlsSettings   `config:"tls" doc:"Encryption of the connection, which a proxy in front of the service usually does instead."`
	Internal int           `config:"-"`
}

func (s webSettings) Validate() error {
	if s.Key != "" && !s.Key.Mounted() && len(s.Key) < 8 {
		return fmt.Errorf("key: want 8 characters or more, got %q", s.Key)
	}

	return nil
}

type tlsSettings struct {
	Cert  string `config:"cert" doc:"Path of the certificate."`
	Level uint8  `config:"level" doc:"Level of paranoia."`
}

func (s *tlsSettings) Validate() error {
	if s.Level > 3 {
		return fmt.Errorf("level: want 0 to 3, got %d", s.Level)
	}

	return nil
}

type smsSettings struct {
	MaxLength int    `config:"max_length" doc:"Characters in a message."`
	Sender    string `config:"sender" doc:"Name of the sender."`
}

func (s smsSettings) Validate() error {
	var problems []error
	if s.MaxLength < 1 {
		problems = append(problems, fmt.Errorf("max_length: want 1 or more, got %d", s.MaxLength))
	}
	if s.Sender == "" {
		problems = append(problems, errors.New("a sender is needed"))
	}

	return errors.Join(problems...)
}

func webDefaults() webSettings {
	return webSettings{
		Address: "127.0.0.1:8080", Timeout: time.Hour, Limit: config.MiB, Rate: 1.5,
		Proxies: []string{"10.0.0.0/8", "::1"}, TLS: tlsSettings{Level: 1}, Internal: 7,
	}
}

func specs() []config.Spec {
	return []config.Spec{
		config.For("", rootSettings{DataDir: "./data", Migrate: true}),
		config.For("web", webDefaults()),
	}
}

func areas() []module.Module {
	return []module.Module{
		module.New("sms", "Text messages", config.Section(smsSettings{MaxLength: 1600, Sender: "yes"})),
		module.New("custom_modules", "Custom modules"),
	}
}

// options loads the test's areas from a file with that text.
func options(t *testing.T, file string) config.LoadOptions {
	t.Helper()
	o := config.LoadOptions{Modules: areas(), Specs: specs()}
	if file != "" {
		o.File = filepath.Join(t.TempDir(), "c.yaml")
		require.NoError(t, os.WriteFile(o.File, []byte(file), 0o600))
	}

	return o
}

func load(t *testing.T, o config.LoadOptions) *config.Config {
	t.Helper()
	c, err := config.Load(o)
	require.NoError(t, err)

	return c
}

func TestLoad_GivesTheDefaultsWhenNobodySaysOtherwise(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"", "\n", "# nothing\n", "---\n", "web:\n", "web: {}\nmodules:\n  sms:\n"} {
		c := load(t, options(t, file))
		require.Equal(t, webDefaults(), config.Get[webSettings](c, "web"))
		require.Equal(t, smsSettings{MaxLength: 1600, Sender: "yes"}, config.Get[smsSettings](c, "modules.sms"))
		require.True(t, c.Enabled("sms"))
		require.False(t, c.Enabled("unknown"))
	}
}

func TestLoad_TakesEachValueFromTheHighestLayer(t *testing.T) {
	t.Parallel()
	o := options(t, "data_dir: file\nmigrate: false\nweb:\n  address: file\n  timeout: 1m30s\n  limit: 2KiB\n  proxies: [a]\n")
	o.Environ = []string{"DISPATCHD_DATA_DIR=env", "DISPATCHD_WEB__ADDRESS=env", "DISPATCHD_WEB__TIMEOUT=2s", "DISPATCHD_WEB__TLS__LEVEL=2"}
	o.Set = []string{"web.address=first", "web.address=set", "web.proxies=b, c,"}
	o.Flags = map[string]string{"data_dir": "flag"}
	c := load(t, o)

	require.Equal(t, rootSettings{DataDir: "flag"}, config.Get[rootSettings](c, ""))
	want := webDefaults()
	want.Address, want.Timeout, want.Limit, want.TLS.Level = "set", 2*time.Second, 2048, 2
	want.Proxies = []string{"b", "c"}
	require.Equal(t, want, config.Get[webSettings](c, "web"))
	require.Equal(t, o.File, c.FileUsed())
}

func TestLoad_LeavesTheDefaultsAsTheyWere(t *testing.T) {
	t.Parallel()
	shared := []string{"a", "b"}
	o := config.LoadOptions{
		Specs: []config.Spec{config.For("web", webSettings{Proxies: shared})},
		Set:   []string{"web.proxies=x"},
	}
	require.Equal(t, []string{"x"}, config.Get[webSettings](load(t, o), "web").Proxies)
	o.Set = []string{"web.proxies="}
	require.Empty(t, config.Get[webSettings](load(t, o), "web").Proxies)
	require.Equal(t, []string{"a", "b"}, shared)
}

func TestLoad_LeavesOthersVariablesAlone(t *testing.T) {
	t.Parallel()
	o := options(t, "")
	o.Environ = []string{
		"DISPATCHD_PORT=tcp://10.0.0.1:80", "DISPATCHD_PORT_80_TCP=tcp://10.0.0.1:80", "DISPATCHD_PORT_80_TCP_ADDR=10.0.0.1",
		"DISPATCHD_PORT_80_TCP_PORT=80", "DISPATCHD_PORT_80_TCP_PROTO=tcp", "DISPATCHD_PORT_53_UDP=udp://10.0.0.1:53",
		"DISPATCHD_SERVICE_HOST=10.0.0.1", "DISPATCHD_SERVICE_PORT=80", "DISPATCHD_SERVICE_PORT_HTTP=80",
		"DISPATCHD_API_SERVICE_HOST=10.0.0.1", "DISPATCHD_API_PORT=tcp://10.0.0.1:80", "DISPATCHD_API_PORT_80_TCP_ADDR=10.0.0.1",
		"DISPATCHD_CONFIG=x.yaml", "WEB__ADDRESS=x", "OTHER_DISPATCHD_WEB__ADDRESS=x", "=C:=x", "",
	}
	c := load(t, o)
	require.Equal(t, webDefaults(), config.Get[webSettings](c, "web"))
	require.Empty(t, c.Unread())
}

func TestLoad_ReadsKeysWithoutASectionFromTheEnvironment(t *testing.T) {
	t.Parallel()
	o := options(t, "migrate: true\n")
	o.Environ = []string{"DISPATCHD_MIGRATE=false", "DISPATCHD_DATA_DIR=/data", "DISPATCHD_MODULES_DEFAULT=false"}
	c := load(t, o)
	top := config.Get[rootSettings](c, "")
	require.False(t, top.Migrate)
	require.Equal(t, "/data", top.DataDir)
	require.False(t, c.Enabled("sms"))
	require.Empty(t, c.Unread())
	o.Environ = []string{"DISPATCHD_MIGRATE=maybe"}
	_, err := config.Load(o)
	require.ErrorContains(t, err, `migrate: want true or false, got "maybe" (environment DISPATCHD_MIGRATE)`)
}

func TestLoad_NotesVariablesThatSetNothing(t *testing.T) {
	t.Parallel()
	o := options(t, "")
	o.Environ = []string{
		"DISPATCHD_WEB_ADDRESS=x", "DISPATCHD_MIGRAT=true", "DISPATCHD_WEB_PORT_80=x", "DISPATCHD_MODULES_SMS_ENABLED=false", "DISPATCHD_=x",
	}
	require.Equal(t, []config.Unread{
		{Name: "DISPATCHD_WEB_ADDRESS", Nearest: "DISPATCHD_WEB__ADDRESS"},
		{Name: "DISPATCHD_MIGRAT", Nearest: "DISPATCHD_MIGRATE"},
		{Name: "DISPATCHD_WEB_PORT_80", Nearest: "DISPATCHD_WEB__PROXIES"},
		{Name: "DISPATCHD_MODULES_SMS_ENABLED", Nearest: "DISPATCHD_MODULES__SMS__ENABLED"},
		{Name: "DISPATCHD_", Nearest: "DISPATCHD_MIGRATE"},
	}, load(t, o).Unread())
}

func TestEnabled_IsTheSwitchElseTheDefaultOfAll(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file  string
		environ     []string
		sms, custom bool
	}{
		{"nothing said", "", nil, true, true},
		{"one off", "modules: {sms: {enabled: false}}", nil, false, true},
		{"all off", "modules_default: false", nil, false, false},
		{"all off but one", "modules_default: false\nmodules: {sms: {enabled: true}}", nil, true, false},
		{"other keys are no switch", "modules_default: false\nmodules: {sms: {max_length: 5}}", nil, false, false},
		{
			"an underscore in the variable", "modules_default: false",
			[]string{"DISPATCHD_MODULES__CUSTOM_MODULES__ENABLED=true"},
			false, true,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := options(t, test.file)
			o.Environ = test.environ
			c := load(t, o)
			require.Equal(t, test.sms, c.Enabled("sms"))
			require.Equal(t, test.custom, c.Enabled("custom_modules"))
		})
	}
}

func TestSection_GivesTheAreaItsSettingsAndNobodyElse(t *testing.T) {
	t.Parallel()
	o := options(t, "modules: {sms: {max_length: 9}}")
	c := load(t, o)
	var inside smsSettings
	area := module.New("sms", "", config.Section(smsSettings{}), fx.Invoke(func(s smsSettings) { inside = s }))
	require.NoError(t, fx.New(fx.NopLogger, fx.Supply(c), area.Options()).Err())
	require.Equal(t, 9, inside.MaxLength)

	require.Error(t, fx.New(fx.NopLogger, fx.Supply(c), o.Modules[0].Options(), fx.Invoke(func(smsSettings) {})).Err())
}

func TestGet_PanicsForASectionThatIsNotThere(t *testing.T) {
	t.Parallel()
	c := load(t, options(t, ""))
	require.PanicsWithValue(t, `config: there is no section "wab" of config_test.webSettings`, func() {
		config.Get[webSettings](c, "wab")
	})
	require.Panics(t, func() { config.Get[smsSettings](c, "web") })
}

func TestLoad_RefusesSettingsThatCannotBeConfigured(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		spec config.Spec
		want string
	}{
		{"no struct", config.For("web", 5), `section "web": want a struct`},
		{"no tag", config.For("web", struct{ A int }{}), `field A: want a tag`},
		{"a bad tag", config.For("web", struct {
			A int `config:"Max-Length"`
		}{}), `field A: want a tag`},
		{"a type nobody can write", config.For("web", struct {
			A map[string]int `config:"a"`
		}{}), `a map[string]int cannot be configured`},
		{"a struct without keys", config.For("web", struct {
			A time.Time `config:"a"`
		}{}), `a time.Time cannot be configured`},
		{"one key twice", config.For("web", struct {
			A int `config:"a"`
			B int `config:"a"`
		}{}), `key "web.a" is declared twice`},
		{"a key that is ours", config.For("", struct {
			A bool `config:"modules_default"`
		}{}), `key "modules_default" is declared twice`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(config.LoadOptions{Specs: []config.Spec{test.spec}})
			require.ErrorContains(t, err, test.want)
			require.ErrorContains(t, config.Example(&bytes.Buffer{}, []config.Spec{test.spec}, nil), test.want)
			require.ErrorContains(t, config.CheckDocs([]config.Spec{test.spec}, nil), test.want)
		})
	}
}

func TestLoad_LeavesMalformedManifestsToSelect(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "a.b", "A", "x y", "a__b"} {
		area := module.New(id, "", config.Section(smsSettings{MaxLength: 1, Sender: "x"}))
		o := config.LoadOptions{Modules: []module.Module{area, area}, Specs: specs()}
		require.True(t, load(t, o).Enabled(id))
		o.Environ = []string{"DISPATCHD_MODULES__" + strings.ToUpper(id) + "__MAX_LENGTH=7"}
		if id == "a__b" {
			require.Equal(t, 7, config.Get[smsSettings](load(t, o), "modules.a__b").MaxLength, "not modules.a.b")
		}
	}
}

// lines returns the lines of an error about a file, without the folder it is in.
func lines(err error, o config.LoadOptions) []string {
	if err == nil {
		return nil
	}

	return strings.Split(strings.ReplaceAll(err.Error(), filepath.Dir(o.File)+"/", ""), "\n")
}
