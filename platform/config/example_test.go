package config_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/module"
)

const example = `# Folder of everything.
data_dir: ./data
# Whether tables are brought up to date.
migrate: true
# Whether areas are on whose 'enabled' is not set.
modules_default: true

web:
  # Host and port to listen on.
  address: 127.0.0.1:8080
  # How long a request may take.
  timeout: 1h
  # Bytes in a request.
  limit: 1MiB
  # Addresses that may speak for others.
  proxies:
    - 10.0.0.0/8
    - ::1
  # Key of the links.
  key: ""
  # Requests a second.
  rate: 1.5

  # Encryption of the connection, which a proxy in front of the service usually does instead.
  tls:
    # Path of the certificate.
    cert: ""
    # Level of paranoia.
    level: 1

modules:
  # Custom modules
  custom_modules:
    # Whether the area is on.
    enabled: true

  # Text messages
  sms:
    # Whether the area is on.
    enabled: true
    # Characters in a message.
    max_length: 1600
    # Name of the sender.
    sender: "yes"
`

func TestExample_HasEveryKeyWithItsDefault(t *testing.T) {
	t.Parallel()
	for range 5 {
		var out bytes.Buffer
		require.NoError(t, config.Example(&out, specs(), areas()))
		_, body, _ := strings.Cut(out.String(), "\n\n")
		require.Equal(t, example, body)
		for line := range strings.Lines(out.String()) {
			require.LessOrEqual(t, len(line), 101)
		}
	}
}

// strange has defaults that YAML would take for something else.
type strange struct {
	Lines  string        `config:"lines" doc:"x"`
	Null   string        `config:"null" doc:"x"`
	Number string        `config:"number" doc:"x"`
	Hash   string        `config:"hash" doc:"x"`
	Odd    string        `config:"odd" doc:"x"`
	Long   string        `config:"long" doc:"x"`
	List   []string      `config:"list" doc:"x"`
	Empty  []string      `config:"empty" doc:"x"`
	Wait   time.Duration `config:"wait" doc:"x"`
	Short  time.Duration `config:"short" doc:"x"`
	Least  int64         `config:"least" doc:"x"`
	Most   uint64        `config:"most" doc:"x"`
	Tiny   float64       `config:"tiny" doc:"x"`
	Single float32       `config:"single" doc:"x"`
}

func TestExample_LoadsAsTheDefaults(t *testing.T) {
	t.Parallel()
	odd := strange{
		Lines: "a\nb: c\n", Null: "null", Number: "1e3", Hash: "a # b", Odd: "\x00\u2028 ü'\"\t{", Long: strings.Repeat("word ", 60),
		List: []string{"a,b", "[x]", "true", "", "- y"}, Wait: 90 * time.Minute, Short: 1500 * time.Microsecond,
		Least: -1 << 63, Most: 1<<64 - 1, Tiny: 1e-300, Single: 0.1,
	}
	all := append(specs(), config.For("strange", odd))
	var out bytes.Buffer
	require.NoError(t, config.Example(&out, all, areas()))
	o := options(t, out.String())
	o.Specs = all
	c := load(t, o)

	require.Equal(t, odd, config.Get[strange](c, "strange"))
	require.Equal(t, webDefaults(), config.Get[webSettings](c, "web"))
	require.Equal(t, smsSettings{MaxLength: 1600, Sender: "yes"}, config.Get[smsSettings](c, "modules.sms"))
	for _, v := range c.Values() {
		require.Contains(t, v.Source, "c.yaml:", "%s is in the example", v.Path)
	}

	o.File = ""
	require.Equal(t, odd, config.Get[strange](load(t, o), "strange"), "what is not in a file comes out as it went in")
}

func TestExample_WrapsWhatIsLong(t *testing.T) {
	t.Parallel()
	type settings struct {
		A int `config:"a" doc:"Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy eirmod tempor invidunt ut labore."`
		B int `config:"b" doc:"https://example.com/a-very-long-address-that-nobody-can-break/because-it-would-no-longer-be-an-address-then ok"`
	}
	var out bytes.Buffer
	require.NoError(t, config.Example(&out, []config.Spec{config.For("x", settings{})}, nil))
	require.Contains(t, out.String(), `x:
  # Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy eirmod tempor invidunt
  # ut labore.
  a: 0
  # https://example.com/a-very-long-address-that-nobody-can-break/because-it-would-no-longer-be-an-address-then
  # ok
  b: 0
`)
}

func TestKeys_ListsWhatDocumentationNeeds(t *testing.T) {
	t.Parallel()
	keys := config.Keys(specs(), areas())
	paths := make([]string, 0, len(keys))
	byPath := map[string]config.Key{}
	for _, k := range keys {
		paths = append(paths, k.Path)
		byPath[k.Path] = k
	}
	require.Equal(t, []string{
		"data_dir", "migrate", "modules_default", "web.address", "web.timeout", "web.limit", "web.proxies", "web.key",
		"web.rate", "web.tls.cert", "web.tls.level", "modules.custom_modules.enabled", "modules.sms.enabled",
		"modules.sms.max_length", "modules.sms.sender",
	}, paths)
	require.Equal(t, config.Key{
		Path: "web.key", Type: "secret", Default: "", Doc: "Key of the links.", Secret: true, Environment: "DISPATCHD_WEB__KEY",
	}, byPath["web.key"])
	require.Equal(t, []string{"10.0.0.0/8", "::1"}, byPath["web.proxies"].Default)
	require.Equal(t, "1h", byPath["web.timeout"].Default)
	require.Equal(t, "1MiB", byPath["web.limit"].Default)
	require.Equal(t, int64(1600), byPath["modules.sms.max_length"].Default)
	require.Equal(t, "DISPATCHD_DATA_DIR", byPath["data_dir"].Environment)
	require.Equal(t, "DISPATCHD_MIGRATE", byPath["migrate"].Environment)
	require.Equal(t, "DISPATCHD_MODULES__CUSTOM_MODULES__ENABLED", byPath["modules.custom_modules.enabled"].Environment)
}

func TestCheckDocs_ListsWhatIsUndocumented(t *testing.T) {
	t.Parallel()
	require.NoError(t, config.CheckDocs(specs(), areas()))

	type settings struct {
		A int           `config:"a"`
		B config.Secret `config:"b" doc:"x"`
		C struct {
			D int `config:"d"`
		} `config:"c"`
	}
	area := module.New("x", "", config.Section(settings{B: "changeme"}))
	require.EqualError(t, config.CheckDocs(specs(), []module.Module{area}), strings.Join([]string{
		"modules.x.c: want a doc tag that says what the key does",
		"modules.x.a: want a doc tag that says what the key does",
		"modules.x.b: want a secret without a default",
		"modules.x.c.d: want a doc tag that says what the key does",
	}, "\n"))
}
