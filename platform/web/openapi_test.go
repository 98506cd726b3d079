package web_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
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

func TestOpenAPI_IsKeptPackedAndUnpackedForThoseWhoCannot(t *testing.T) {
	t.Parallel()
	s := start(t)
	text, err := s.OpenAPI()
	require.NoError(t, err)

	packed := s.call(t, http.MethodGet, "/openapi.json", "", "Authorization:", "Accept-Encoding: gzip, br").ok(t)
	plain := s.call(t, http.MethodGet, "/openapi.json", "", "Authorization:", "Accept-Encoding: identity").ok(t)
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	require.Empty(t, plain.Header.Get("Content-Encoding"))
	require.Less(t, len(packed.body), len(plain.body)/4)
	require.Equal(t, string(text), unpacked(t, packed))
	require.Equal(t, string(text), plain.body)
	require.EqualValues(t, len(text), plain.ContentLength)
	require.NotEqual(t, plain.Header.Get("ETag"), packed.Header.Get("ETag"))
	for _, r := range []reply{plain, packed} {
		require.Equal(t, "Accept-Encoding", r.Header.Get("Vary"))
		for _, coding := range []string{"gzip", "identity"} {
			known := s.call(t, http.MethodGet, "/openapi.json", "", "Accept-Encoding: "+coding, "If-None-Match: "+r.Header.Get("ETag"))
			require.Equal(t, http.StatusNotModified, known.StatusCode)
			require.Equal(t, r.Header.Get("ETag"), known.Header.Get("ETag"))
		}
	}
}

func TestOpenAPI_OfAnAreaHasItsOperationsAndWhatTheyReach(t *testing.T) {
	t.Parallel()
	s := build(t)
	require.NoError(t, s.Mount("other", func(r *web.Router) {
		op := sound()
		op.ID, op.Path = "read_message", "/messages"
		web.Register(r, op, func(context.Context, *struct{}) (*web.Resource[message], error) { return nil, nil })
	}))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })

	whole := s.call(t, http.MethodGet, "/openapi.json", "", "Authorization:").ok(t)
	part := s.call(t, http.MethodGet, "/openapi.json?area=things", "", "Authorization:").ok(t)
	require.NotEqual(t, whole.Header.Get("ETag"), part.Header.Get("ETag"))
	var of, all parsed
	require.NoError(t, json.Unmarshal([]byte(part.body), &of))
	require.NoError(t, json.Unmarshal([]byte(whole.body), &all))
	require.Len(t, of.Tags, 1)
	require.Equal(t, "things", of.Tags[0].Name)
	for path, item := range all.Paths {
		for method, op := range item {
			if strings.HasPrefix(op.OperationID, "things_") {
				require.Equal(t, op, of.Paths[path][method])
			} else {
				require.NotContains(t, of.Paths, path)
			}
		}
	}
	require.Contains(t, of.Components.Schemas, "ThingsThing")
	require.NotContains(t, of.Components.Schemas, "Message")
	require.Contains(t, all.Components.Schemas, "Message")
	var document map[string]any
	require.NoError(t, json.Unmarshal([]byte(part.body), &document))
	used := map[string]bool{}
	for _, reference := range references(document) {
		used[strings.TrimPrefix(reference, "#/components/schemas/")] = true
	}
	for name := range of.Components.Schemas {
		require.True(t, used[name], name)
	}

	for _, query := range []string{"?area=boats", "?area=", "?area=%00"} {
		p := s.call(t, http.MethodGet, "/openapi.json"+query, "", "Authorization:").refused(t, 422)
		require.Contains(t, p.Errors["area"][0], "things")
	}
}

func TestOpenAPI_IsNeverWholeInMemoryWhileItIsSent(t *testing.T) { //nolint:paralleltest // it counts what is allocated meanwhile
	s := build(t)
	require.NoError(t, s.Mount("many", func(r *web.Router) {
		for i := range 100 {
			op := sound()
			op.ID, op.Path = "read_"+strconv.Itoa(i), "/things/"+strconv.Itoa(i)
			web.Register(r, op, func(context.Context, *struct{}) (*web.Resource[message], error) { return nil, nil })
		}
	}))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	text, err := s.OpenAPI()
	require.NoError(t, err)
	const calls = 20
	buffer := make([]byte, 32<<10)
	read := func() {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address()+"/openapi.json", nil)
		require.NoError(t, err)
		response, err := plainly.RoundTrip(request)
		require.NoError(t, err)
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, response.Body, buffer)
		require.NoError(t, err)
		require.EqualValues(t, len(text), n)
		require.NoError(t, response.Body.Close())
	}
	read()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		read()
	}
	runtime.ReadMemStats(&after)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/calls, uint64(len(text)))
}
