package web

import (
	"cmp"
	"crypto/sha256"
	_ "embed" // the introduction
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/list"
)

const schemaPrefix = "#/components/schemas/"

// introduction is the description of the whole API in the document.
//
//go:embed docs/introduction.md
var introduction string

// newHuma makes the registry of operations. Huma serves nothing by itself here: no docs page from
// elsewhere, no $schema in bodies.
func newHuma(a *API) huma.API {
	setHumaGlobals()

	schemas := huma.NewMapRegistry(schemaPrefix, a.names.of)
	schemas.RegisterTypeAlias(reflect.TypeFor[uuid.UUID](), reflect.TypeFor[uuidText]())
	maps.Copy(schemas.Map(), errorSchemas())
	openAPI := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: a.about.Name, Version: a.about.Version, Description: introduction},
		Servers: []*huma.Server{{URL: cmp.Or(strings.TrimSuffix(a.settings.BaseURL, "/"), "/")}},
		Components: &huma.Components{
			Schemas:   schemas,
			Responses: platformResponses(),
			Headers:   platformHeaders(),
			SecuritySchemes: map[string]*huma.SecurityScheme{securityScheme: {
				Type: "http", Scheme: "bearer", Description: "A token of a company, with the scopes that an operation names.",
			}},
		},
	}
	for _, area := range a.about.Areas {
		openAPI.Tags = append(openAPI.Tags, &huma.Tag{Name: area.ID, Description: area.Title})
	}

	return humafiber.NewWithGroup(a.app, a.routes, huma.Config{
		OpenAPI:       openAPI,
		Formats:       map[string]huma.Format{mediaJSON: jsonFormat()},
		DefaultFormat: mediaJSON,
		Transformers:  []huma.Transformer{list.Trim, minimize},
	})
}

// uuidText describes a uuid.UUID, which to Huma is any text.
type uuidText struct{}

// Schema implements huma.SchemaProvider.
func (uuidText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

// document is the OpenAPI document as it is served.
type document struct {
	text []byte
	etag string
}

func (a *API) newDocument() (*document, error) {
	answers := newAnswerSchemas(a.names)
	for _, e := range a.undocumented {
		e.documentErrors()
		e.documentAnswers(answers)
	}
	a.undocumented = nil
	described := *a.huma.OpenAPI()
	components := *described.Components
	for _, e := range a.operations {
		if err := answers.addRequests(components.Schemas, described.Paths[e.Path]); err != nil {
			return nil, fmt.Errorf("OpenAPI document: %s: %w", e.ID, err)
		}
	}
	components.Schemas = answers
	described.Components = &components
	text, err := json.Marshal(&described)
	if err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}

	return &document{text: text, etag: tagOf(text)}, nil
}

// tagOf makes an entity tag of what it is the tag of.
func tagOf(text []byte) string {
	sum := sha256.Sum256(text)

	return `"` + hex.EncodeToString(sum[:16]) + `"`
}
