package records

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/platform/collection/views"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/rawjson"
	"github.com/dispatchd/dispatchd/platform/web"
)

// RecodeHandler is a handler whose failures, where they are of collections of any kind, have the codes of this area:
// collection.import_not_found is custom_modules.import_not_found.
func RecodeHandler[I, O any](handle func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		out, err := handle(ctx, in)

		return out, RecodeError(err)
	}
}

// RecodeError returns a failure of a piece of the platform with the code of this area.
func RecodeError(err error) error {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return err
	}
	if what, common := strings.CutPrefix(refusal.Code, "collection."); common {
		return refusal.WithCode(custommodulesapi.Area + "." + what)
	}

	return err
}

// Recode returns failures with the codes of this area.
func Recode(failures ...*errs.Error) []*errs.Error {
	made := make([]*errs.Error, len(failures))
	for i, failure := range failures {
		made[i] = failure
		if what, common := strings.CutPrefix(failure.Code, "collection."); common {
			made[i] = failure.WithCode(custommodulesapi.Area + "." + what)
		}
	}

	return made
}

// RollupsShown says how old the rollups and lookups of a record are.
type RollupsShown struct {
	ComputedAt *time.Time `json:"computed_at" doc:"When they were computed last, null if they never were."`
	Stale      bool       `json:"stale" doc:"Whether they are about to be computed anew."`
}

// orNone names keys, or says that there are none.
func orNone(keys []string) string {
	if len(keys) == 0 {
		return "the module has none"
	}

	return strings.Join(keys, ", ")
}

// ReadDeleted returns a record that is deleted, as it was last, or ErrRecordNotFound.
func (s *Service) ReadDeleted(ctx context.Context, id uuid.UUID) (Stored, error) {
	row, err := s.repo.DeletedRecord(ctx, id)
	if err != nil {
		return Stored{}, err
	}
	read := Stored{RecordRow: row}
	err = s.definitions.UsePresent(ctx, row.ModuleID, func(_ context.Context, d *definition.Definition) error {
		read.Definition = d

		return nil
	})
	if errors.Is(err, definition.ErrModuleNotFound) {
		err = definition.ErrRecordNotFound
	}

	return read, err
}

// ReadEither reads a record that is deleted, or one that is not.
func (s *Service) ReadEither(ctx context.Context, id uuid.UUID, deleted bool) (Stored, error) {
	if deleted {
		return s.ReadDeleted(ctx, id)
	}

	return s.ReadRecord(ctx, id)
}

// RecordLink is a record that refers to another, as answers show it.
type RecordLink struct {
	UUID       uuid.UUID `json:"uuid" doc:"The record that refers."`
	FieldUUID  uuid.UUID `json:"field_uuid"`
	Field      string    `json:"field" doc:"The key of the field by which it refers."`
	ModuleUUID uuid.UUID `json:"module_uuid" doc:"Its module."`
	Module     string    `json:"module" doc:"The name of its module."`
	Title      string    `json:"title" doc:"What people call the record; may be empty."`
}

// Record is a record as answers show it.
type Record struct {
	UUID       uuid.UUID      `json:"uuid"`
	ModuleUUID uuid.UUID      `json:"module_uuid"`
	Payload    rawjson.Object `json:"payload" doc:"The values by the keys of the module's fields."`
	Version    int64          `json:"version"`
	CreatedAt  time.Time      `json:"created_at"`
	CreatedBy  *uuid.UUID     `json:"created_by" doc:"The user who made it; null for a program."`
	UpdatedAt  time.Time      `json:"updated_at"`
	UpdatedBy  *uuid.UUID     `json:"updated_by" doc:"The user who changed it last; null for a program."`
	DeletedAt  *time.Time     `json:"deleted_at,omitempty" doc:"When it was deleted; only with deleted=true."`
	Masked     []string       `json:"masked,omitempty" doc:"The sensitive fields, whose values are withheld from you."`
	// Expanded is what expand= asks for of values that are no objects, by field and name.
	Expanded details             `json:"expanded,omitempty" doc:"Details of values that expand= asks for, by field, such as vin.decoded."`
	Rollups  *RollupsShown       `json:"rollups,omitempty" doc:"How old the rollups and lookups of the record are; where the module has some, and not after a write."`
	Warnings map[string][]string `json:"warnings,omitempty" doc:"Doubts about values that were taken all the same, by field; only after a write."`
}

// Resource is the record as an answer.
func (r Stored) Resource() *web.Resource[Record] {
	body := ShownOf(r.Definition, r.RecordRow)
	body.Warnings = r.Definition.ShownWarnings(r.Warnings)

	return web.NewResource(body, r.Version, definition.Base+"/records/"+r.ID.String())
}

// ShownOf is a record with its payload under the keys of the definition.
func ShownOf(d *definition.Definition, row definition.RecordRow) Record {
	return Record{
		UUID: row.ID, ModuleUUID: row.ModuleID, Payload: d.AppendPayload(nil, row.Data),
		Version: row.Version, CreatedAt: row.CreatedAt, CreatedBy: row.CreatedBy, UpdatedAt: row.UpdatedAt, UpdatedBy: row.UpdatedBy, DeletedAt: row.DeletedAt, Masked: d.Withheld,
	}
}

// ViewErrors are those of a list, and those of one by a view.
func ViewErrors(ofList ...*errs.Error) []*errs.Error {
	return append(ofList, Recode(views.ErrNotFound, views.ErrBroken)...)
}
