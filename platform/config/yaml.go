package config

import "go.yaml.in/yaml/v3"

// followAlias follows an alias to what it stands for.
func followAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}

	return n
}

// writtenIn returns the value in a YAML node, as it stands there.
func writtenIn(n *yaml.Node) written {
	w := written{form: formOf(n), text: n.Value}
	w.quoted = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	if w.form == list {
		for _, item := range n.Content {
			item = followAlias(item)
			w.items = append(w.items, written{form: formOf(item), text: item.Value})
		}
	}

	return w
}

func formOf(n *yaml.Node) form {
	switch n.Kind {
	case yaml.SequenceNode:
		return list
	case yaml.MappingNode:
		return mapping
	case yaml.ScalarNode:
		return formOfScalar(n)
	case yaml.DocumentNode, yaml.AliasNode:
	}

	return other
}

func formOfScalar(n *yaml.Node) form {
	switch n.ShortTag() {
	case "!!str":
		return text
	case "!!bool":
		return boolean
	case "!!int":
		return integer
	case "!!float":
		return number
	case "!!null":
		return nothing
	default:
		return other
	}
}
