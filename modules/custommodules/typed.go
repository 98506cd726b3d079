package custommodules

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/dispatchd/dispatchd/modules/custommodules/custommodulesapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/openapi"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/memory"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// keptDocuments is how many OpenAPI documents are kept, and mostKept how long one may be for that, in
	// bytes.
	keptDocuments = 64
	mostKept      = 512 << 10
	// mostDefined is up to how many bytes of definitions a document is written, and documentWeight how many times
	// these it takes while it is.
	mostDefined    = 4 << 20
	documentWeight = 16
)

// typed writes what programs read of modules: schemas and OpenAPI documents.
type typed struct {
	definitions *store.Definitions
	documents   *lru.Cache[string, tagged]
}

// tagged is a JSON text and its entity tag.
type tagged struct {
	text json.RawMessage
	etag string
}

func newTyped(d *store.Definitions) (*typed, error) {
	cache, err := lru.New[string, tagged](keptDocuments)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI documents: %w", err)
	}

	return &typed{definitions: d, documents: cache}, nil
}

func newTagged(text []byte) tagged {
	sum := sha256.Sum256(text)

	return tagged{text, `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// schema returns the JSON Schema of a module's payloads as the caller sees them, or ErrModuleNotFound.
func (t *typed) schema(ctx context.Context, module uuid.UUID, use definition.SchemaUse) (tagged, error) {
	def, err := t.definitions.Current(ctx, module)
	if err != nil {
		return tagged{}, err
	}
	if err := def.Permissions.Permit(ctx, definition.MayRead); err != nil {
		return tagged{}, err
	}
	schema := def.SeenBy(ctx).PayloadSchema(use)
	schema["$schema"] = field.SchemaDialect
	schema["$id"] = definition.Base + "/modules/" + module.String() + "/schema?for=" + string(use)
	text, err := json.Marshal(schema)

	return newTagged(text), err
}

// document returns the OpenAPI document of what the caller sees of his company's modules, or of those that are named.
// Its errors are ErrModuleNotFound and ErrDocumentTooLarge.
func (t *typed) document(ctx context.Context, only []uuid.UUID) (tagged, error) {
	rows, err := t.definitions.Repo.AllModules(ctx)
	if err != nil {
		return tagged{}, err
	}
	key := documentKey(ctx, rows, only)
	if kept, ok := t.documents.Get(key); ok {
		return kept, nil
	}
	all := make([]openapi.Named, len(rows))
	var seen []definition.ModuleRow
	for i, row := range rows {
		all[i] = openapi.Named{ID: row.ID, Name: row.Name}
		if row.Permissions.Allow(ctx, definition.MayRead) && (only == nil || slices.Contains(only, row.ID)) {
			seen = append(seen, row)
		}
	}
	if only != nil && len(seen) == 0 {
		return tagged{}, definition.ErrModuleNotFound
	}
	modules, err := t.modules(ctx, seen)
	if err != nil {
		return tagged{}, err
	}
	text, err := openapi.Write(modules, all)
	if err != nil {
		return tagged{}, fmt.Errorf("OpenAPI document: %w", err)
	}
	made := newTagged(text)
	if len(text) <= mostKept {
		t.documents.Add(key, made)
	}

	return made, nil
}

// documentKey says everything that decides what a document has.
func documentKey(ctx context.Context, rows []definition.ModuleRow, only []uuid.UUID) string {
	var key strings.Builder
	fmt.Fprintf(&key, "%v\n", only)
	fmt.Fprintf(&key, "%s %t %t\n", principal.CompanyOf(ctx), definition.SeesSensitive(ctx), mayChange(ctx))
	for _, row := range rows {
		p := row.Permissions
		fmt.Fprintf(&key, "%s %s %t %t %t\n", row.ID, strconv.FormatInt(row.Revision, 10),
			p.Allow(ctx, definition.MayRead), p.Allow(ctx, definition.MayWrite), p.Allow(ctx, definition.MayDelete))
	}
	sum := sha256.Sum256([]byte(key.String()))

	return hex.EncodeToString(sum[:])
}

// mayChange reports whether the caller has the scope for changing records.
func mayChange(ctx context.Context) bool {
	caller, _ := principal.From(ctx)

	return caller.Allows(custommodulesapi.Area + ":write")
}

// modules describes modules, all with one statement.
func (t *typed) modules(ctx context.Context, rows []definition.ModuleRow) ([]openapi.Module, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	found, read, more, err := t.definitions.Repo.FieldsUpTo(ctx, mostDefined, ids...)
	if err == nil && more {
		err = definition.ErrDocumentTooLarge
	}
	if err == nil {
		err = memory.Reserve(ctx, documentWeight*read)
	}
	if err != nil {
		return nil, err
	}
	fields := map[uuid.UUID][]*definition.ModuleField{}
	for _, row := range found {
		f, err := t.definitions.Types.Compile(row)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", row.ID, err)
		}
		fields[row.ModuleID] = append(fields[row.ModuleID], f)
	}
	all := make([]openapi.Module, len(rows))
	for i, row := range rows {
		d := definition.NewDefinition(row.ID, row.Revision, fields[row.ID], t.definitions.Repo.DB.Dialect())
		d.Describe(row)
		all[i] = typedModule(ctx, d.SeenBy(ctx), row)
	}

	return all, nil
}

// typedModule describes a module for programs.
func typedModule(ctx context.Context, d *definition.Definition, row definition.ModuleRow) openapi.Module {
	changes := mayChange(ctx) && !d.Archived
	m := openapi.Module{
		ID: row.ID, Name: row.Name, Description: row.Description,
		Create: d.PayloadSchema(definition.ForCreate), Update: d.PayloadSchema(definition.ForUpdate), Read: d.PayloadSchema(definition.ForRead),
		Writes: changes && d.Permissions.Allow(ctx, definition.MayWrite), Deletes: changes && d.Permissions.Allow(ctx, definition.MayDelete),
		Sorts: []string{"uuid"}, Filters: []string{"uuid"},
	}
	for _, f := range d.Schema.Fields {
		if f.Sortable {
			m.Sorts = append(m.Sorts, f.Name)
		}
		if f.Filterable {
			m.Filters = append(m.Filters, f.Name)
		}
	}

	return m
}
