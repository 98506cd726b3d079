package web_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/web"
)

// parsed is the document, as far as the tests look at it.
type parsed struct {
	OpenAPI string `json:"openapi"`
	Servers []struct{ URL string }
	Tags    []struct{ Name, Description string }
	Paths   map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Security    []map[string][]string
		Parameters  []struct{ Name, In string }
		RequestBody struct{ Content map[string]any } `json:"requestBody"`
		Responses   map[string]struct {
			Ref         string `json:"$ref"`
			Description string
			Headers     map[string]any
			Content     map[string]struct {
				Schema struct {
					Ref string `json:"$ref"`
				}
			}
		}
	}
	Components struct {
		Schemas   map[string]any
		Responses map[string]any
	}
}

func documentOf(t *testing.T, s *service) (p parsed) {
	t.Helper()
	text, err := s.OpenAPI()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &p))

	return p
}

func TestOpenAPI_DescribesExactlyWhatIsServed(t *testing.T) {
	t.Parallel()
	s := build(t, func(s *web.Settings) { s.BaseURL = "https://api.example.com/" })
	d := documentOf(t, s)

	require.Equal(t, "3.1.0", d.OpenAPI)
	require.Equal(t, "https://api.example.com", d.Servers[0].URL)
	require.Equal(t, "Things of all kinds", d.Tags[0].Description)
	served := map[string]bool{}
	for _, o := range s.Operations() {
		op := d.Paths[o.Path][strings.ToLower(o.Method)]
		require.Equal(t, o.ID, op.OperationID)
		served[o.ID] = true
	}
	for _, item := range d.Paths {
		for _, op := range item {
			require.True(t, served[op.OperationID], op.OperationID)
		}
	}
}

func TestOpenAPI_HasEveryReferenceThatItUses(t *testing.T) {
	t.Parallel()
	text, err := build(t).OpenAPI()
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(text, &document))

	for _, reference := range references(document) {
		var at any = document
		for part := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
			at = at.(map[string]any)[part]
		}
		require.NotNil(t, at, reference)
	}
	require.NotContains(t, string(text), "$schema")
}

func references(value any) (found []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if ref, ok := inner.(string); ok && key == "$ref" {
				found = append(found, ref)
			}
			found = append(found, references(inner)...)
		}
	case []any:
		for _, inner := range v {
			found = append(found, references(inner)...)
		}
	}

	return found
}

func TestOpenAPI_DocumentsTheErrorsOfAnOperationAndOfThePlatform(t *testing.T) {
	t.Parallel()
	d := documentOf(t, build(t))

	create := d.Paths[things]["post"]
	require.Equal(t, []string{"200", "400", "401", "403", "404", "408", "409", "413", "415", "422", "429", "431", "500", "503"},
		slices.Sorted(maps.Keys(create.Responses)))
	require.Equal(t, "#/components/schemas/NotFound", create.Responses["404"].Content["application/json"].Schema.Ref)
	require.Contains(t, create.Responses["404"].Description, "`things.not_found`: It does not exist.")
	require.Equal(t, "#/components/responses/Unauthorized", create.Responses["401"].Ref)
	require.Equal(t, []map[string][]string{{"bearer": {"things:write"}}}, create.Security)

	public := d.Paths[failPath+"{how}"]["get"]
	require.Empty(t, public.Security)
	require.Equal(t, []string{"200", "400", "404", "408", "409", "422", "429", "431", "500", "503"}, slices.Sorted(maps.Keys(public.Responses)))

	require.Contains(t, d.Paths[things+"/{uuid}"]["get"].Responses, "304")
	require.Contains(t, d.Paths[things+"/{uuid}"]["patch"].RequestBody.Content, "application/merge-patch+json")
	require.Contains(t, d.Paths[things+"/{uuid}"]["patch"].Responses, "412")
}

func TestOpenAPI_NamesSchemas(t *testing.T) {
	t.Parallel()
	s := build(t)
	require.NoError(t, s.Mount("custom_things", func(r *web.Router) {
		web.Register(r, sound(), func(context.Context, *struct{}) (*struct{ Body []thing }, error) { return nil, nil })
		op := sound()
		op.ID, op.Path = "read_message", "/messages"
		web.Register(r, op, func(context.Context, *struct{}) (*web.Resource[message], error) { return nil, nil })
	}))
	d := documentOf(t, s)

	require.Subset(t, slices.Collect(maps.Keys(d.Components.Schemas)), []string{
		"Error", "ErrorBody", "ErrorResponse", "NotFound", "Unauthorized", "Forbidden", "ValidationError",
		"CustomThingsThing", "ThingsThing", "ThingsNewThing", "Message",
	})
}

func TestOpenAPI_IsServedWithATag(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.call(t, http.MethodGet, "/openapi.json", "", "Authorization:").ok(t)
	text, err := s.OpenAPI()
	require.NoError(t, err)

	require.Equal(t, string(text), r.body)
	require.Equal(t, "application/json", r.Header.Get("Content-Type"))
	require.Equal(t, http.StatusNotModified,
		s.call(t, http.MethodGet, "/openapi.json", "", "If-None-Match: "+r.Header.Get("ETag")).StatusCode)
}

func TestOpenAPI_IsTheSameForTheSameOperations(t *testing.T) {
	t.Parallel()
	first, err := build(t).OpenAPI()
	require.NoError(t, err)
	second, err := build(t).OpenAPI()
	require.NoError(t, err)

	require.Equal(t, string(first), string(second))
}
