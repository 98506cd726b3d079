package config_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
)

// wrongFile is a file and the lines that Load says of it.
type wrongFile struct {
	name, file string
	want       []string
}

func TestLoad_SaysWhatIsWrongInAFileAndWhere(t *testing.T) {
	t.Parallel()
	refuses(t, []wrongFile{
		{"an unknown key", "web:\n  addrss: x\n", []string{
			`web.addrss: unknown key: the nearest is web.address (file c.yaml:2)`,
		}},
		{"an unknown key at the top", "datadir: x\n", []string{
			`datadir: unknown key: the nearest is data_dir (file c.yaml:1)`,
		}},
		{"a key that belongs elsewhere", "address: x\n", []string{
			`address: unknown key: the nearest is web.address (file c.yaml:1)`,
		}},
		{"an unknown key deep down, with a section as value", "web:\n  tls:\n    certs: {a: b}\n", []string{
			`web.tls.certs: unknown key: the nearest is web.tls.cert (file c.yaml:3)`,
		}},
		{"an unknown area", "modules:\n  smss:\n    enabled: true\n", []string{
			`modules.smss: unknown area "smss": the nearest is "sms" (file c.yaml:2)`,
		}},
		{"an unknown key of an area that is off", "modules:\n  sms:\n    enabled: false\n    maxlength: 5\n", []string{
			`modules.sms.maxlength: unknown key: the nearest is modules.sms.max_length (file c.yaml:4)`,
		}},
		{"a path for a key", "web.address: x\n", []string{
			`web.address: want nested sections, as in web: {address: …} (file c.yaml:1)`,
		}},
		{"keys that are no names", "? [a]\n: 1\n1: 2\n\"a\\nb\": 3\n", []string{
			`want a name before the colon, got a list or a section (file c.yaml:1)`,
			`1: unknown key: the nearest is web (file c.yaml:3)`,
			`"a\nb": unknown key: the nearest is web (file c.yaml:4)`,
		}},
		{"a key twice", "web:\n  address: x\n  address: y\nweb: {}\n", []string{
			`web: given twice, first on line 1 (file c.yaml:4)`,
			`web.address: given twice, first on line 2 (file c.yaml:3)`,
		}},
		{"merging", "web: &w {address: x}\nmodules: {sms: {<<: *w}}\n", []string{
			`modules.sms.<<: merging is not supported: write the keys out (file c.yaml:2)`,
		}},
		{"what Validate says", "web:\n  key: short\n  tls:\n    level: 4\nmodules: {sms: {max_length: 0, sender: ''}}\n", []string{
			`modules.sms: a sender is needed`,
			`modules.sms.max_length: want 1 or more, got 0 (file c.yaml:5)`,
			`web.key: want 8 characters or more, got "[redacted]" (file c.yaml:2)`,
			`web.tls.level: want 0 to 3, got 4 (file c.yaml:4)`,
		}},
		{"not what Validate says of an area that is off", "modules: {sms: {enabled: false, max_length: 0}}\n", nil},
		{"no YAML", "web:\n  address: [\n", []string{
			`this is not YAML: did not find expected node content (file c.yaml:2)`,
		}},
		{"no section at all", "just text\n", []string{
			`want a section with keys such as data_dir, got a single value (file c.yaml:1)`,
		}},
		{"two documents", "migrate: true\n---\nmigrate: false\n", []string{
			`want one YAML document, got more than one (file c.yaml:2)`,
		}},
		{"aliases are values as others", "data_dir: &a x\nweb: {address: *a, rate: *a}\n", []string{
			`web.rate: want a number, got "x" (file c.yaml:2)`,
		}},
	})
}

func TestLoad_TurnsNoTypeIntoAnother(t *testing.T) {
	t.Parallel()
	refuses(t, []wrongFile{
		{"a value for a section", "web: on\nmodules:\n  - sms\n", []string{
			`modules: want a section with keys such as modules.custom_modules.enabled, got a list (file c.yaml:2)`,
			`web: want a section with keys such as web.address, got a single value (file c.yaml:1)`,
		}},
		{"a section and a list for a value", "web:\n  address: {a: b}\n  timeout: [1]\n", []string{
			`web.address: want text, got a section (file c.yaml:2)`,
			`web.timeout: want a duration such as 30s or 5m, got a list (file c.yaml:3)`,
		}},
		{"nothing for a value", "web:\n  address:\n  proxies:\n", []string{
			`web.address: want text, got nothing (leave the key out to have its default) (file c.yaml:2)`,
			`web.proxies: want a list of texts, got nothing (leave the key out to have its default) (file c.yaml:3)`,
		}},
		{"text for a boolean", "migrate: yes\nmodules_default: \"true\"\n", []string{
			`migrate: want true or false, got "yes" (file c.yaml:1)`,
			`modules_default: want true or false, got "true" (remove the quotes) (file c.yaml:2)`,
		}},
		{"what is no text", "data_dir: true\nweb:\n  address: 8080\n  tls: {cert: 2026-01-02}\n", []string{
			`data_dir: want text, got true (put it in quotes) (file c.yaml:1)`,
			`web.address: want text, got 8080 (put it in quotes) (file c.yaml:3)`,
			`web.tls.cert: want text, got 2026-01-02 (put it in quotes) (file c.yaml:4)`,
		}},
		{"what is no whole number", "modules:\n  sms: {max_length: 1.5}\nweb:\n  tls: {level: 256}\n", []string{
			`modules.sms.max_length: want a whole number, got 1.5 (file c.yaml:2)`,
			`web.tls.level: want a whole number from 0 to 255, got 256 (file c.yaml:4)`,
		}},
		{"what is no number", "web: {rate: .inf}\n", []string{`web.rate: want a number, got .inf (file c.yaml:1)`}},
		{"what is no duration", "web: {timeout: 30}\n", []string{
			`web.timeout: want a duration such as 30s or 5m, got 30 (file c.yaml:1)`,
		}},
		{"what is no size", "web: {limit: 10 megs}\n", []string{
			`web.limit: want a size such as 512KiB or 10MiB, got "10 megs" (file c.yaml:1)`,
		}},
		{"what is no list", "web: {proxies: a}\n", []string{
			`web.proxies: want a list of texts, got "a" (write it as [a]) (file c.yaml:1)`,
		}},
		{"what is no list of texts", "web: {proxies: [a, 1]}\n", []string{
			`web.proxies: want a list of texts, got a list with entries that are not text (file c.yaml:1)`,
		}},
		{"what is no secret", "web: {key: 123456789}\n", []string{
			`web.key: want text, got something else (put it in quotes) (file c.yaml:1)`,
		}},
	})
}

func refuses(t *testing.T, tests []wrongFile) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := options(t, test.file)
			_, err := config.Load(o)
			require.Equal(t, test.want, lines(err, o))
		})
	}
}

func TestLoad_SaysWhatIsWrongInTheEnvironmentAndTheFlags(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		environ, set []string
		flags        map[string]string
		want         []string
	}{
		{"a wrong type", []string{"DISPATCHD_MODULES__SMS__MAX_LENGTH=abc"}, nil, nil, []string{
			`modules.sms.max_length: want a whole number, got "abc" (environment DISPATCHD_MODULES__SMS__MAX_LENGTH)`,
		}},
		{"an unknown key", []string{"DISPATCHD_WEB__ADDRSS=secret"}, []string{"web.addrss=secret"}, map[string]string{"data": "x"}, []string{
			`data: unknown key: the nearest is data_dir (flag --data)`,
			`web.addrss: unknown key: the nearest is web.address (environment DISPATCHD_WEB__ADDRSS)`,
			`web.addrss: unknown key: the nearest is web.address (flag --set)`,
		}},
		{"an unknown area", []string{"DISPATCHD_MODULES__SNS__ENABLED=true"}, nil, nil, []string{
			`modules.sns: unknown area "sns": the nearest is "sms" (environment DISPATCHD_MODULES__SNS__ENABLED)`,
		}},
		{"a key below a key", []string{"DISPATCHD_WEB__ADDRESS__PORT=1"}, nil, nil, []string{
			`web.address.port: unknown key: there are no keys below web.address (environment DISPATCHD_WEB__ADDRESS__PORT)`,
		}},
		{"a section", nil, []string{"web=x", "modules.sms=true"}, nil, []string{
			`modules.sms: want a section with keys such as modules.sms.enabled, got a single value (flag --set)`,
			`web: want a section with keys such as web.address, got a single value (flag --set)`,
		}},
		{"a switch that is none", []string{"DISPATCHD_MODULES__SMS__ENABLED=1"}, nil, map[string]string{"modules_default": ""}, []string{
			`modules.sms.enabled: want true or false, got "1" (environment DISPATCHD_MODULES__SMS__ENABLED)`,
			`modules_default: want true or false, got "" (flag --modules-default)`,
		}},
		{"no pair", nil, []string{"web.key:hunter22", ""}, nil, []string{
			`want key=value, got no "=" (flag --set)`,
			`web.key: want key=value, got no "=" (flag --set)`,
		}},
		{"odd names", []string{"DISPATCHD___=x", "DISPATCHD_WEB__=x"}, []string{"=x"}, nil, []string{
			`unknown key: the nearest is web (environment DISPATCHD___)`,
			`unknown key: the nearest is web (flag --set)`,
			`web.: unknown key: the nearest is web.key (environment DISPATCHD_WEB__)`,
		}},
		{"a wrong value under a right one", []string{"DISPATCHD_WEB__RATE=fast"}, []string{"web.rate=2"}, nil, []string{
			`web.rate: want a number, got "fast" (environment DISPATCHD_WEB__RATE)`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := options(t, "")
			o.Environ, o.Set, o.Flags = test.environ, test.set, test.flags
			_, err := config.Load(o)
			require.Equal(t, test.want, lines(err, o))
		})
	}
}

func TestLoad_ReportsEveryLayerAtOnce(t *testing.T) {
	t.Parallel()
	o := options(t, "web: {rate: fast}\n")
	o.Environ = []string{"DISPATCHD_WEB__LIMIT=-1"}
	o.Set = []string{"web.tls.level=9"}
	_, err := config.Load(o)
	require.Equal(t, []string{
		`web.limit: want a size such as 512KiB or 10MiB, got "-1" (environment DISPATCHD_WEB__LIMIT)`,
		`web.rate: want a number, got "fast" (file c.yaml:1)`,
		`web.tls.level: want 0 to 3, got 9 (flag --set)`,
	}, lines(err, o))
}

func TestLoad_NamesAFileThatIsNotThere(t *testing.T) {
	t.Parallel()
	o := options(t, "")
	o.File = filepath.Join(t.TempDir(), "gone.yaml")
	o.Set = []string{"web.rate=fast"}
	_, err := config.Load(o)
	require.ErrorContains(t, err, "gone.yaml: no such file or directory")
	require.ErrorContains(t, err, "web.rate: want a number", "and what else is wrong")
}

func TestLoad_NamesNoAreaWhenThereIsNone(t *testing.T) {
	t.Parallel()
	_, err := config.Load(config.LoadOptions{Set: []string{"modules.sms.enabled=true"}})
	require.EqualError(t, err, "modules.sms: unknown area: this binary has no areas (flag --set)")
}
