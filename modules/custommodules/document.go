package custommodules

// appendPayload appends the payload that a stored document holds: every member under the present
// key of its field, in one pass over the document's bytes. Members of fields that are gone stay
// out, but where the document has nothing of the field that took their place: then it shows what it had.
func (d *definition) appendPayload(to, document []byte) []byte {
	to = append(to, '{')
	first := len(to)
	for name, raw := range members(document) {
		i, ok := d.byNumber[string(name)]
		if !ok {
			i, ok = d.then(string(name), document)
		}
		if !ok || d.fields[i].arrival != nil {
			continue
		}
		if len(to) > first {
			to = append(to, ',')
		}
		to = appendCompact(append(to, d.fields[i].shown...), raw)
	}

	return append(to, '}')
}

// then returns the position of the field under which a value stands that a document has of a field that is
// gone: the document is of a time before that one took its place.
func (d *definition) then(number string, document []byte) (int, bool) {
	i, was, replaced := d.formerOf(number)
	if !replaced {
		return 0, false
	}
	_, shown := d.fields[i].older(document)

	return i, shown == was
}

// comparand returns what a stored document has of a field to compare, in the words of
// valueType.comparable; false if it has nothing.
func (f *field) comparand(document []byte) (string, bool) { return f.inner(member(document, f.number)) }

// inner returns what of a stored value is compared; false if it is nothing.
func (f *field) inner(raw []byte) (string, bool) {
	if f.typ.inside != "" && raw != nil {
		raw = member(raw, f.typ.inside)
	}
	switch {
	case raw == nil || raw[0] == 'n':
		return "", false
	case raw[0] == '"':
		return unquote(raw)
	}

	return string(raw), true
}

// member returns a member of an object, nil if it has none of the name.
func member(object []byte, name string) []byte {
	for have, raw := range members(object) {
		if string(have) == name {
			return raw
		}
	}

	return nil
}
