package records

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/rawjson"
)

// shownFiles is what expand= shows of attachments, by their ids.
type shownFiles map[uuid.UUID]json.RawMessage

// fileKeys are what fields= may name of the files at a path.
func fileKeys(path string) []string {
	at := "payload." + strings.ReplaceAll(path, ".", ".record.payload.") + ".attachment"
	keys := []string{at}
	for _, key := range definition.ShownFileKeys {
		keys = append(keys, at+"."+key)
	}

	return keys
}

// fetchFiles reads what the caller may know of attachments: nothing without the scope, and nothing where
// the area is off.
func (s *Service) fetchFiles(ctx context.Context, ids map[uuid.UUID]bool, into shownFiles) error {
	if len(ids) == 0 {
		return nil
	}
	var refs []item.Ref
	for id := range ids {
		refs = append(refs, item.Ref{Type: definition.AttachmentItem, UUID: id})
	}
	all, err := s.others.Items.Values(ctx, refs, definition.ShownFileKeys...)
	if kind := errs.KindOf(err); err != nil && (kind == errs.Invalid || kind == errs.Forbidden) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("files: %w", err)
	}
	for i, values := range all {
		if values == nil {
			continue
		}
		if into[refs[i].UUID], err = json.Marshal(values); err != nil {
			return fmt.Errorf("attachment %s: %w", refs[i].UUID, err)
		}
	}

	return nil
}

// described returns what is known of the attachment that a file names.
func (e *expansion) described(raw []byte) (json.RawMessage, bool) {
	id, err := field.ParseUUID(rawjson.Text(rawjson.Member(raw, "attachment_uuid")))
	if err != nil {
		return nil, false
	}
	shown, there := e.files[id]

	return shown, there
}

// appendFile appends a file with what is known of its attachment, null if that is nothing.
func (e *expansion) appendFile(to, raw []byte, left *int) ([]byte, error) {
	to = append(append(to, raw[:len(raw)-1]...), `,"attachment":`...)
	shown, there := e.described(raw)
	if !there {
		return append(to, "null}"...), nil
	}
	if *left -= len(shown); *left < 0 {
		return nil, errEmbedsTooMuch()
	}

	return append(append(to, shown...), '}'), nil
}
