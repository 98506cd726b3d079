package records

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// attachmentFacts are the values of an attachment that are checked.
type attachmentFacts struct {
	MediaType string
	Size      int64
	State     string
}

// checkFiles finds files that are not there, or that their fields do not take, with one question for
// all. It asks as the service itself: who sets a file need not be one who may read attachments.
func (s *Service) checkFiles(ctx context.Context, named []definition.Pointer, found *definition.Problems) error {
	if len(named) == 0 {
		return nil
	}
	refs := make([]item.Ref, len(named))
	for i, p := range named {
		refs[i] = p.To
	}
	all, err := s.others.Items.Values(asService(ctx), refs, "media_type", "size", "state")
	off := errs.KindOf(err) == errs.Invalid
	if err != nil && !off {
		return fmt.Errorf("files: %w", err)
	}
	for i, p := range named {
		path, subject := "payload."+p.Field.Key, "The "+p.Field.Spoken+" "
		if off {
			found.Add(path, subject+"cannot be set: files are kept by the area attachments, which is off here.")

			continue
		}
		problem, err := fileProblem(p.Field, all[i])
		if err != nil {
			return fmt.Errorf("attachment %s: %w", p.To.UUID, err)
		}
		if problem != "" {
			found.Add(path, subject+problem)
		}
	}

	return nil
}

// fileProblem says why a field does not take an attachment of the given values, nil if there is none;
// "" if it does.
func fileProblem(f *definition.ModuleField, values item.Values) (string, error) {
	file, ok := f.Values.(*field.FileOptions)
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

// CheckFileFields finds new fields for files in a company that has no attachments.
func (s *Service) CheckFileFields(ctx context.Context, fields []definition.FieldRow, pathOf func(i int) string, found *definition.Problems) error {
	isFile := func(row definition.FieldRow) bool { return row.Type == "file" }
	if !slices.ContainsFunc(fields, isFile) {
		return nil
	}
	_, err := s.others.Items.Fields(asService(ctx), item.Class{Type: definition.AttachmentItem})
	if err == nil {
		return nil
	}
	if errs.KindOf(err) != errs.Invalid {
		return fmt.Errorf("files: %w", err)
	}
	for i, row := range fields {
		if isFile(row) {
			found.Add(pathOf(i), "A field of the type file needs the area attachments, which is off here.")
		}
	}

	return nil
}

// FitFiles is CheckFileFields for a module that is made of fields that were there already.
func (s *Service) FitFiles(ctx context.Context, fields []definition.FieldRow) error {
	var found definition.Problems
	pathOf := func(i int) string { return "fields." + fields[i].Key + ".type" }
	if err := s.CheckFileFields(ctx, fields, pathOf, &found); err != nil {
		return err
	}

	return found.ErrorAs(definition.ErrInvalidDefinition, "fields")
}

// TypeOfField is where the type of one of several fields stands in a request.
func TypeOfField(i int) string { return "fields." + strconv.Itoa(i) + ".type" }

func asService(ctx context.Context) context.Context {
	return principal.With(ctx, principal.ForCompany(principal.CompanyOf(ctx)))
}

// refuseFile says why a field does not take a file, "" if it does.
func refuseFile(f *field.FileOptions, a attachmentFacts) string {
	if a.State != "ready" && a.State != "scanning" {
		return "must be a file that is ready, or is being scanned."
	}

	return f.DescribeViolation(a.MediaType, a.Size)
}
