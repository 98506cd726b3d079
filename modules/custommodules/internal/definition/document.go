package definition

import (
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// AppendPayload appends the payload that a stored document holds: every member under the present
// key of its field, in one pass over the document's bytes. Members of fields that are gone stay
// out, but where the document has nothing of the field that took their place: then it shows what it had.
func (d *Definition) AppendPayload(to, document []byte) []byte {
	to = append(to, '{')
	first := len(to)
	for name, raw := range rawjson.Members(document) {
		i, ok := d.ByNumber[string(name)]
		if !ok {
			i, ok = d.then(string(name), document)
		}
		if !ok || d.Fields[i].IsInternal() {
			continue
		}
		if len(to) > first {
			to = append(to, ',')
		}
		to = rawjson.AppendCompact(append(to, d.Fields[i].Shown...), raw)
	}

	return append(to, '}')
}

// then returns the position of the field under which a value stands that a document has of a field that is
// gone: the document is of a time before that one took its place.
func (d *Definition) then(number string, document []byte) (int, bool) {
	i, was, replaced := d.formerOf(number)
	if !replaced {
		return 0, false
	}
	_, shown := d.Fields[i].older(document)

	return i, shown == was
}

// Comparand returns what a stored document has of a field to compare, in the words of
// field.Values.comparable; false if it has nothing.
func (f *ModuleField) Comparand(document []byte) (string, bool) {
	return f.inner(rawjson.Member(document, f.Number))
}

// inner returns what of a stored value is compared; false if it is nothing.
func (f *ModuleField) inner(raw []byte) (string, bool) {
	if f.Typ.Inside != "" && raw != nil {
		raw = rawjson.Member(raw, f.Typ.Inside)
	}
	switch {
	case raw == nil || raw[0] == 'n':
		return "", false
	case raw[0] == '"':
		return rawjson.Unquote(raw)
	}

	return string(raw), true
}
