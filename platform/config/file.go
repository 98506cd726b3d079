package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// file is the layer of the configuration file. It is read as YAML nodes, not by koanf's parser,
// which forgets the lines, takes the last of two equal keys, and turns one type into another.
func (l *loading) file(name string) layer {
	f := fileReader{loading: l, layer: newLayer(), name: name}
	if name == "" {
		return f.layer
	}
	data, err := os.ReadFile(filepath.Clean(name))
	if err != nil {
		l.complain("", "reading the configuration: "+err.Error(), f.at(0))

		return f.layer
	}
	f.document(data)

	return f.layer
}

type fileReader struct {
	loading *loading

	layer layer
	name  string
}

func (f *fileReader) at(line int) source { return source{kind: "file", name: f.name, line: line} }

// document reads the one document of a file; a file of nothing but comments has none.
func (f *fileReader) document(data []byte) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return
	}
	if err != nil {
		f.notYAML(err)

		return
	}
	for _, content := range doc.Content {
		f.section(content, f.loading.schema.root, content.Line)
	}
	switch err := decoder.Decode(&next); {
	case errors.Is(err, io.EOF):
	case err != nil:
		f.notYAML(err)
	default:
		f.loading.complain("", "want one YAML document, got more than one", f.at(next.Line))
	}
}

// notYAML reports a syntax error, with its line if the parser knows it.
func (f *fileReader) notYAML(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if _, err := fmt.Sscanf(text, "line %d:", &line); err == nil {
		text = strings.TrimPrefix(text, fmt.Sprintf("line %d: ", line))
	}
	f.loading.complain("", "this is not YAML: "+text, f.at(line))
}

// section reads what stands below n, given on a line.
func (f *fileReader) section(value *yaml.Node, n *node, line int) {
	value = followAlias(value)
	switch formOf(value) {
	case nothing:
		return
	case mapping:
	default:
		f.loading.enter(f.layer, n, writtenIn(value), f.at(line))

		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(value.Content); i += 2 {
		f.pair(value.Content[i], value.Content[i+1], n, lines)
	}
}

// pair reads one name and its value; lines has the names that came before.
func (f *fileReader) pair(key, value *yaml.Node, parent *node, lines map[string]int) {
	from := f.at(key.Line)
	key = followAlias(key)
	path := joinPath(parent.path, key.Value)
	n := parent.child(key.Value)
	switch {
	case key.Kind != yaml.ScalarNode:
		f.loading.complain(parent.path, "want a name before the colon, got a list or a section", from)
	case key.ShortTag() == "!!merge":
		f.loading.complain(path, "merging is not supported: write the keys out", from)
	case lines[key.Value] != 0:
		f.loading.complain(path, fmt.Sprintf("given twice, first on line %d", lines[key.Value]), from)
	case n == nil && parent.find(key.Value) != nil:
		f.loading.complain(path, "want nested sections, as in "+strings.ReplaceAll(path, ".", ": {")+": …"+
			strings.Repeat("}", strings.Count(path, ".")), from)
	case n == nil:
		f.loading.complain(path, f.loading.schema.unknown(parent, key.Value), from)
	case n.kind == nil:
		f.section(value, n, from.line)
	default:
		f.loading.enter(f.layer, n, writtenIn(followAlias(value)), from)
	}
	lines[key.Value] = from.line
}
