package config

import "strings"

// envPrefix starts the variables that are ours, envDataDir is the only one without a "__".
const (
	envPrefix    = "DISPATCHD_"
	envSeparator = "__"
	envDataDir   = "DISPATCHD_DATA_DIR"
	dataDirKey   = "data_dir"
)

// environment is the layer of the variables. One with the prefix but without a "__" is somebody
// else's (Kubernetes makes DISPATCHD_PORT for a service named dispatchd), unless it is one of the
// two known names; of these DISPATCHD_CONFIG names the file and holds no value.
func (l *loading) environment(lines []string) layer {
	known := map[string]string{envDataDir: dataDirKey}
	for key := range l.schema.root.keys() {
		if name := envName(key.path); name != "" {
			known[name] = key.path
		}
	}

	top := newLayer()
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		rest, ours := strings.CutPrefix(name, envPrefix)
		path, found := known[name]
		if !ours || !found && !strings.Contains(rest, envSeparator) {
			continue
		}
		if !found {
			path = strings.ReplaceAll(strings.ToLower(rest), envSeparator, ".")
		}
		l.enterPath(top, path, written{text: value}, source{kind: "environment", name: name})
	}

	return top
}

// envName returns the variable of a key, "" if it has none.
func envName(path string) string {
	switch {
	case path == dataDirKey:
		return envDataDir
	case !strings.Contains(path, "."):
		return ""
	default:
		return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", envSeparator))
	}
}
