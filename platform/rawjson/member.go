package rawjson

// Member returns a member of an object, nil if it has none of the name.
func Member(object []byte, name string) []byte {
	for have, raw := range Members(object) {
		if string(have) == name {
			return raw
		}
	}

	return nil
}

// Name returns the text of the name of a member.
func Name(name []byte) string {
	quoted := append(append([]byte{'"'}, name...), '"')
	text, ok := Unquote(quoted)
	if !ok {
		return string(name)
	}

	return text
}

// Text returns the text of a stored JSON string, "" for anything else.
func Text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	text, ok := Unquote(raw)
	if !ok {
		return ""
	}

	return text
}

// OrNothing returns a value, nil for null.
func OrNothing(raw []byte) []byte {
	if string(raw) == "null" {
		return nil
	}

	return raw
}
