package modules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/web"
)

type node = map[string]any

// openapi is the document of all areas, as generators of clients read it.
type openapi struct {
	root    node
	schemas node
	// operations are by method and path: "GET /loads/api/v1/loads".
	operations map[string]node
	app        *moduletest.App
}

func TestOpenAPI_IsWhatGeneratorsOfClientsCanUse(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules.All(), checkOpenAPI)
}

func checkOpenAPI(t *testing.T, a *moduletest.App) {
	t.Helper()
	text, err := a.API.OpenAPI()
	require.NoError(t, err)
	d := openapi{app: a, operations: map[string]node{}}
	require.NoError(t, json.Unmarshal(text, &d.root))
	d.schemas = at(d.root, "components", "schemas")
	for path, item := range at(d.root, "paths") {
		for method, op := range item.(node) {
			d.operations[strings.ToUpper(method)+" "+path] = op.(node)
		}
	}
	require.Len(t, d.operations, len(a.API.Operations()))

	for name, rule := range map[string]func(*testing.T, openapi){
		"no schema has the name that generators give to a property of another": uniqueNames,
		"what expand= embeds is one schema":                                    oneExpanded,
		"references that may be null are oneOf":                                nullableReferences,
		"every operation says whether it needs a token":                        statedSecurity,
		"there is no key that JSON Schema does not have":                       standardKeys,
		"it says whose it is":                                                  licenseAndContact,
		"no request fits two paths":                                            unambiguousPaths,
		"every body has an example that is right":                              rightExamples,
		"forms are objects":                                                    describedForms,
		"answers with secrets are marked":                                      markedSecrets,
		"the documents of areas are all of it":                                 wholeByAreas,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule(t, d)
		})
	}
}

// at returns the object at a place, nil if there is none.
func at(root node, path ...string) node {
	for _, key := range path {
		root, _ = root[key].(node)
	}

	return root
}

// visit calls f with every object inside of a value, and where it is.
func visit(value any, place string, f func(place string, object node)) {
	switch v := value.(type) {
	case node:
		f(place, v)
		for key, inner := range v {
			visit(inner, place+"/"+key, f)
		}
	case []any:
		for i, inner := range v {
			visit(inner, fmt.Sprintf("%s/%d", place, i), f)
		}
	}
}

// pascal is how generators write a key in the name of a type.
func pascal(key string) string {
	var name strings.Builder
	for _, part := range strings.FieldsFunc(key, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		name.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}

	return name.String()
}

func uniqueNames(t *testing.T, d openapi) {
	t.Helper()
	var check func(name string, schema any)
	check = func(name string, schema any) {
		object, _ := schema.(node)
		for key, property := range at(object, "properties") {
			require.NotContains(t, d.schemas, name+pascal(key), "the property %s of %s", key, name)
			require.NotContains(t, d.schemas, name+pascal(key)+"Item")
			check(name+pascal(key), property)
		}
		if items := object["items"]; items != nil {
			check(name+"Item", items)
		}
	}
	lower := map[string]string{}
	for name, schema := range d.schemas {
		check(name, schema)
		require.Empty(t, lower[strings.ToLower(name)], name)
		lower[strings.ToLower(name)] = name
	}
	ids := map[string]bool{}
	for place, op := range d.operations {
		id := op["operationId"].(string)
		require.False(t, ids[id], place)
		ids[id] = true
		for _, of := range []string{"", "Params", "Request", "Response", "Req", "Res", "JSONBody", "JSONRequestBody", "OK"} {
			require.NotContains(t, d.schemas, pascal(id)+of, place)
		}
	}
}

func oneExpanded(t *testing.T, d openapi) {
	t.Helper()
	found := 0
	visit(d.schemas, "", func(place string, object node) {
		if property, is := at(object, "properties")["expanded"]; is {
			found++
			require.Equal(t, node{"$ref": "#/components/schemas/Expanded"}, property.(node)["additionalProperties"], place)
		}
	})
	require.Greater(t, found, 10)
	require.NotContains(t, d.schemas["Expanded"], "anyOf")
}

func nullableReferences(t *testing.T, d openapi) {
	t.Helper()
	found := 0
	visit(d.root, "", func(place string, object node) {
		for _, kind := range []string{"anyOf", "oneOf", "allOf"} {
			choices, _ := object[kind].([]any)
			null := slices.ContainsFunc(choices, func(choice any) bool { return choice.(node)["type"] == "null" })
			if !null {
				continue
			}
			found++
			require.Equal(t, "oneOf", kind, place)
			require.Len(t, choices, 2, place)
			require.NotEmpty(t, choices[0].(node)["$ref"], place)
		}
		if _, ref := object["$ref"].(string); ref {
			require.NotContains(t, object, "type", place)
			require.NotContains(t, object, "nullable", place)
		}
	})
	require.Positive(t, found)
}

func statedSecurity(t *testing.T, d openapi) {
	t.Helper()
	for _, o := range d.app.API.Operations() {
		security, stated := d.operations[o.Method+" "+o.Path]["security"].([]any)
		require.True(t, stated, o.ID)
		require.Equal(t, o.Access == web.Public, len(security) == 0, o.ID)
	}
}

func standardKeys(t *testing.T, d openapi) {
	t.Helper()
	visit(d.root, "", func(place string, object node) {
		if !strings.HasSuffix(place, "/properties") {
			require.NotContains(t, object, "patternDescription", place)
			require.NotContains(t, object, "nullable", place)
		}
	})
}

func licenseAndContact(t *testing.T, d openapi) {
	t.Helper()
	require.Equal(t, "Apache-2.0", at(d.root, "info", "license")["identifier"])
	require.NotEmpty(t, at(d.root, "info", "license")["name"])
	require.NotEmpty(t, at(d.root, "info", "contact")["name"])
}

// unambiguousPaths checks that of two paths that one request fits, one is the more fixed one in every part, as OpenAPI decides.
func unambiguousPaths(t *testing.T, d openapi) {
	t.Helper()
	paths := slices.Sorted(maps.Keys(at(d.root, "paths")))
	for i, one := range paths {
		for _, other := range paths[i+1:] {
			x, y := strings.Split(one, "/"), strings.Split(other, "/")
			if len(x) != len(y) {
				continue
			}
			fits, looser, stricter := true, false, false
			for k := range x {
				px, py := strings.HasPrefix(x[k], "{"), strings.HasPrefix(y[k], "{")
				fits = fits && (px || py || x[k] == y[k])
				looser, stricter = looser || px && !py, stricter || py && !px
			}
			require.False(t, fits && looser == stricter, "%s and %s", one, other)
		}
	}
}

func rightExamples(t *testing.T, d openapi) {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("urn:openapi", any(d.root)))
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	bodies := 0
	check := func(place string, content node) {
		for media, described := range content {
			of := described.(node)
			example, has := of["example"]
			for _, one := range at(of, "examples") {
				if ref, is := one.(node)["$ref"].(string); is {
					one = at(d.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
				}
				example, has = one.(node)["value"]
			}
			require.True(t, has, "%s: %s", place, media)
			bodies++
			if of["schema"] == nil {
				continue
			}
			schema, err := compiler.Compile("urn:openapi#" + place + "/" + escape.Replace(media) + "/schema")
			require.NoError(t, err, place)
			if err := schema.Validate(example); err != nil {
				text, failed := json.Marshal(example)
				require.NoError(t, failed)
				t.Errorf("%s: %s: %v\n%s", place, media, err, text)
			}
		}
	}
	for name, response := range at(d.root, "components", "responses") {
		check("/components/responses/"+name+"/content", at(response.(node), "content"))
	}
	for place, op := range d.operations {
		method, path, _ := strings.Cut(place, " ")
		place := "/paths/" + escape.Replace(path) + "/" + strings.ToLower(method)
		check(place+"/requestBody/content", at(op, "requestBody", "content"))
		for status, response := range at(op, "responses") {
			check(place+"/responses/"+status+"/content", at(response.(node), "content"))
		}
	}
	require.Greater(t, bodies, 1000)
}

func describedForms(t *testing.T, d openapi) {
	t.Helper()
	for place, op := range d.operations {
		for media, described := range at(op, "requestBody", "content") {
			schema := at(described.(node), "schema")
			switch {
			case media == "application/x-www-form-urlencoded", media == "multipart/form-data":
				require.Equal(t, "object", schema["type"], "%s: %s", place, media)
			case strings.HasPrefix(media, "text/"):
				require.NotContains(t, schema, "format", "%s: %s", place, media)
			}
		}
	}
}

var (
	// secretKey matches keys of values by which somebody gets in.
	secretKey = regexp.MustCompile(`^(link|url|token|code|password|secret|upload_links|client_secret|access_token)$`)
	// madeOnce is how such a value is described.
	madeOnce = regexp.MustCompile(`(?i)only (in )?(the|this) (answer|response)|never shown again|no other response|shown this once|in the answer that makes it alone|in this answer alone`)
)

// markedSecrets checks that an answer with a value that is shown once is Secret, which keeps it from being compressed and kept. A member that
// may be left out is only there in the answers of some operations: one that is Secret has the same schema then.
func markedSecrets(t *testing.T, d openapi) {
	t.Helper()
	secret, marked := map[string]bool{}, map[string]bool{}
	for _, o := range d.app.API.Operations() {
		secret[o.Method+" "+o.Path] = o.HoldsSecrets
	}
	found := 0
	for _, pass := range []bool{true, false} {
		for place, op := range d.operations {
			if secret[place] != pass || !strings.HasPrefix(place, http.MethodPost) {
				continue // what is shown once is shown by who makes it
			}
			for status, response := range at(op, "responses") {
				schema := at(response.(node), "content", "application/json", "schema")
				key, always := d.secretIn(schema, map[string]bool{})
				if !strings.HasPrefix(status, "2") || key == "" {
					continue
				}
				found++
				ref, _ := schema["$ref"].(string)
				marked[ref] = marked[ref] || pass
				require.True(t, pass || !always && marked[ref], "%s answers %s: set Secret", place, key)
			}
		}
	}
	require.Greater(t, found, 10)
}

// secretIn returns a key of a value that is shown once, "" for none, and whether it is there always.
func (d openapi) secretIn(schema node, seen map[string]bool) (key string, always bool) {
	visit(schema, "", func(_ string, object node) {
		required, _ := object["required"].([]any)
		for name, property := range at(object, "properties") {
			if about, _ := property.(node)["description"].(string); secretKey.MatchString(name) && madeOnce.MatchString(about) {
				key, always = name, always || slices.Contains(required, any(name))
			}
		}
		if ref, is := object["$ref"].(string); is && !seen[ref] {
			seen[ref] = true
			if inner, has := d.secretIn(at(d.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...), seen); inner != "" {
				key, always = inner, always || has
			}
		}
	})

	return key, always
}

func wholeByAreas(t *testing.T, d openapi) {
	t.Helper()
	seen := map[string]bool{}
	for _, area := range modules.All() {
		if area.Prefix() != area.ID() {
			continue // its operations are in the document of the area whose names it has
		}
		r := d.app.Call(t, "", http.MethodGet, "/openapi.json?area="+area.ID(), nil).OK(t)
		var part node
		require.NoError(t, json.Unmarshal(r.Body, &part))
		for path, item := range at(part, "paths") {
			for method, op := range item.(node) {
				place := strings.ToUpper(method) + " " + path
				require.Equal(t, d.operations[place], op)
				require.False(t, seen[place], place)
				seen[place] = true
			}
		}
		visit(part, "", func(place string, object node) {
			if ref, is := object["$ref"].(string); is {
				keys := strings.Split(strings.TrimPrefix(ref, "#/"), "/")
				require.Equal(t, at(d.root, keys...), at(part, keys...), "%s: %s", place, ref)
				require.NotEmpty(t, at(part, keys...), ref)
			}
		})
	}
	require.Len(t, seen, len(d.operations))
}
