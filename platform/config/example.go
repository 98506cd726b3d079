package config

import (
	"io"
	"reflect"

	"github.com/dispatchd/dispatchd/platform/module"
)

const exampleHead = `# Every key of the configuration, with its default and what it does.
#
# A value comes from the last of these that has it: the default, the file named by --config or
# DISPATCHD_CONFIG, the environment (DISPATCHD_WEB__ADDRESS for web.address), a flag
# (--set web.address=...). A secret may be file:/path, which stands for the contents of that file.
#
# Printed by "dispatchd config example".

`

// Example writes a configuration file that has every key with its default, and what it does as a
// comment. Loading it changes nothing.
func Example(w io.Writer, specs []Spec, modules []module.Module) error {
	s, err := newSchema(specs, modules)
	if err != nil {
		return err
	}
	p := &page{
		value:  func(n *node) any { return n.kind.plain(reflect.ValueOf(n.fallback)) },
		above:  func(n *node) string { return n.doc },
		behind: func(*node) string { return "" },
	}
	p.section(s.root, "")
	_, err = io.WriteString(w, exampleHead+p.String())

	return err
}
