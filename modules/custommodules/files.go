package custommodules

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// attachmentItem is the type of what fields of the type file point at. The area that has it may be off.
const attachmentItem = "attachments.attachment"

// attachmentFacts are the values of an attachment that are checked.
type attachmentFacts struct {
	MediaType string
	Size      int64
	State     string
}

// checkFiles finds files that are not there, or that their fields do not take, with one question for
// all. It asks as the service itself: who sets a file need not be one who may read attachments.
func (s *service) checkFiles(ctx context.Context, named []pointer, found *problems) error {
	if len(named) == 0 {
		return nil
	}
	refs := make([]item.Ref, len(named))
	for i, p := range named {
		refs[i] = p.to
	}
	all, err := s.others.items.Values(asService(ctx), refs, "media_type", "size", "state")
	off := errs.KindOf(err) == errs.Invalid
	if err != nil && !off {
		return fmt.Errorf("files: %w", err)
	}
	for i, p := range named {
		path, subject := "payload."+p.field.key, "The "+p.field.spoken+" "
		if off {
			found.add(path, subject+"cannot be set: files are kept by the area attachments, which is off here.")

			continue
		}
		problem, err := fileProblem(p.field, all[i])
		if err != nil {
			return fmt.Errorf("attachment %s: %w", p.to.UUID, err)
		}
		if problem != "" {
			found.add(path, subject+problem)
		}
	}

	return nil
}

// fileProblem says why a field does not take an attachment of the given values, nil if there is none;
// "" if it does.
func fileProblem(f *moduleField, values item.Values) (string, error) {
	file, ok := f.values.(*field.FileOptions)
	if !ok || values == nil {
		return "does not exist.", nil
	}
	var facts attachmentFacts
	for key, into := range map[string]any{"media_type": &facts.MediaType, "size": &facts.Size, "state": &facts.State} {
		if err := json.Unmarshal(values[key], into); err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
	}

	return refuseFile(file, facts), nil
}

// checkFileFields finds new fields for files in a company that has no attachments.
func (s *service) checkFileFields(ctx context.Context, fields []fieldRow, pathOf func(i int) string, found *problems) error {
	isFile := func(row fieldRow) bool { return row.Type == "file" }
	if !slices.ContainsFunc(fields, isFile) {
		return nil
	}
	_, err := s.others.items.Fields(asService(ctx), item.Class{Type: attachmentItem})
	if err == nil {
		return nil
	}
	if errs.KindOf(err) != errs.Invalid {
		return fmt.Errorf("files: %w", err)
	}
	for i, row := range fields {
		if isFile(row) {
			found.add(pathOf(i), "A field of the type file needs the area attachments, which is off here.")
		}
	}

	return nil
}

// fitFiles is checkFileFields for a module that is made of fields that were there already.
func (s *service) fitFiles(ctx context.Context, fields []fieldRow) error {
	var found problems
	pathOf := func(i int) string { return "fields." + fields[i].Key + ".type" }
	if err := s.checkFileFields(ctx, fields, pathOf, &found); err != nil {
		return err
	}

	return found.as(errInvalidDefinition, "fields")
}

// typeOfField is where the type of one of several fields stands in a request.
func typeOfField(i int) string { return "fields." + strconv.Itoa(i) + ".type" }

func asService(ctx context.Context) context.Context {
	return principal.With(ctx, principal.ForCompany(principal.CompanyOf(ctx)))
}

// refuseFile says why a field does not take a file, "" if it does.
func refuseFile(f *field.FileOptions, a attachmentFacts) string {
	if a.State != "ready" && a.State != "scanning" {
		return "must be a file that is ready, or is being scanned."
	}

	return f.Refuses(a.MediaType, a.Size)
}
