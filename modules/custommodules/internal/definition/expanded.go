package definition

import (
	"encoding/json"

	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// HasFiles reports whether the field points at attachments.
func (f *ModuleField) HasFiles() bool {
	_, files := f.Values.(*field.FileOptions)

	return files
}

// Embeds reports whether expand= may name the field.
func (f *ModuleField) Embeds() bool { return f.Refers() || f.HasFiles() }

// References are the keys of the fields that expand= may name, each behind prefix.
func (d *Definition) References(prefix string) []string {
	var keys []string
	for _, f := range d.Fields {
		if f.Embeds() {
			keys = append(keys, prefix+f.Key)
		}
	}

	return keys
}

// KeysUnder are the keys of a record of the module, each behind prefix.
func (d *Definition) KeysUnder(prefix string) []string {
	keys := make([]string, len(d.Schema.Keys))
	for i, key := range d.Schema.Keys {
		keys[i] = prefix + key
	}

	return keys
}

// ShownFileKeys are the values that expand= shows of an attachment.
var ShownFileKeys = []string{"file_name", "size", "media_type", "sha256", "state"}

// AttachmentItem is the type of what fields of the type file point at. The area that has it may be off.
const AttachmentItem = "attachments.attachment"

// ChangeText is how the history keeps the change of a field, under the field's number.
type ChangeText struct {
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// RecordItem is the type of records as items. Their class has the module's UUID as its part.
const RecordItem = "custom_modules.record"

// longestTitle is how many characters of a text make a title.
const longestTitle = 120

// NamesItems reports whether the values of a field are items of other areas.
func NamesItems(values field.Values) bool {
	switch values.(type) {
	case *field.ItemOptions, *field.FileOptions:
		return true
	default:
		return false
	}
}

// namedItem returns the item that a value, in its normal form, names; false where values name none.
func namedItem(values field.Values, raw []byte) (item.Ref, bool) {
	switch values.(type) {
	case *field.ItemOptions:
		ref, err := field.ParseItem(raw)

		return ref, err == nil
	case *field.FileOptions:
		id, err := field.ParseUUID(rawjson.Text(rawjson.Member(raw, "attachment_uuid")))

		return item.Ref{Type: AttachmentItem, UUID: id}, err == nil
	default:
		return item.Ref{}, false
	}
}

// Pointer is an item that a record which is being written points at.
type Pointer struct {
	Field *ModuleField
	To    item.Ref
}
