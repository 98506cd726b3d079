package moduletest

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dispatchd/dispatchd/platform/web"
)

// described are the OpenAPI documents of the services that the tests of this process boot, by their operations: to write and
// to read one takes as long as to boot.
var described sync.Map

// document is an OpenAPI document by which answers are checked.
type document struct {
	root       map[string]any
	operations []documentedOperation

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

type documentedOperation struct {
	method   string
	segments []string
	// responses is where the document has the operation's responses.
	responses []string
}

const documentURL = "urn:openapi"

// documentOf returns the document of a service.
func documentOf(api *web.API) (*document, error) {
	read, _ := described.LoadOrStore(documentKey(api), sync.OnceValues(func() (*document, error) {
		text, err := api.OpenAPI()
		if err != nil {
			return nil, err
		}

		return newDocument(text)
	}))

	return read.(func() (*document, error))()
}

// documentKey says everything that decides what the document has.
func documentKey(api *web.API) string {
	var key strings.Builder
	for _, o := range api.Operations() {
		fmt.Fprintf(&key, "%s %s %s %s %s %p", o.ID, o.Method, o.Path, o.Access, o.Callers, o.Output)
		for _, e := range o.Errors {
			fmt.Fprintf(&key, " %d", e.Kind)
		}
		key.WriteByte('\n')
	}

	return key.String()
}

func newDocument(text []byte) (*document, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	d := &document{root: parsed.(map[string]any), compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(documentURL, parsed); err != nil {
		return nil, err
	}
	paths, _ := d.root["paths"].(map[string]any)
	for path, item := range paths {
		for method := range item.(map[string]any) {
			d.operations = append(d.operations, documentedOperation{
				method: strings.ToUpper(method), segments: strings.Split(path, "/"), responses: []string{"paths", path, method, "responses"},
			})
		}
	}

	return d, nil
}

// check says what of an answer the document does not have. A request of no documented operation is none of its matter.
func (d *document) check(method, path string, r Response) error {
	head := method == http.MethodHead
	if head {
		method = http.MethodGet
	}
	operation, found := d.find(method, path)
	if !found {
		return nil
	}
	if err := d.checkAnswer(operation, r, head); err != nil {
		return fmt.Errorf("%s %s: the response does not match the OpenAPI document: %w\nstatus %d: %s", method, path, err, r.Status, r.Body)
	}

	return nil
}

// find returns the operation of a path: the one with the most fixed parts, as the service does.
func (d *document) find(method, path string) (best documentedOperation, found bool) {
	segments := strings.Split(path, "/")
	for _, o := range d.operations {
		if o.method != method || !o.matches(segments) {
			continue
		}
		if !found || slices.Compare(o.order(), best.order()) < 0 {
			best, found = o, true
		}
	}

	return best, found
}

func isParameter(segment string) bool { return strings.HasPrefix(segment, "{") }

func (o documentedOperation) matches(segments []string) bool {
	return slices.EqualFunc(o.segments, segments, func(own, given string) bool {
		return own == given || isParameter(own) && given != ""
	})
}

// order has 1 for each part that is a parameter, 0 for others.
func (o documentedOperation) order() []int {
	order := make([]int, len(o.segments))
	for i, segment := range o.segments {
		if isParameter(segment) {
			order[i] = 1
		}
	}

	return order
}

func (d *document) checkAnswer(o documentedOperation, r Response, head bool) error {
	response, at := d.at(append(slices.Clone(o.responses), strconv.Itoa(r.Status)))
	if response == nil {
		return errors.New("it does not have the status")
	}
	content, _ := response["content"].(map[string]any)
	if len(r.Body) == 0 {
		if _, json := content["application/json"]; json && !head && len(content) == 1 {
			return errors.New("the answer has no body")
		}

		return nil
	}
	label, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("the media type %q: %w", r.Header.Get("Content-Type"), err)
	}
	media, known := content[label].(map[string]any)
	if !known {
		return fmt.Errorf("it does not have the media type %s", label)
	}
	minimal := r.Header.Get("Preference-Applied") == "return=minimal" && strings.TrimSpace(string(r.Body)) == "{}"
	if _, has := media["schema"]; !has || label != "application/json" || minimal {
		return nil
	}

	return d.validate(append(at, "content", label, "schema"), r.Body)
}

// at returns an object of the document and where it is, after a reference that may stand in its place.
func (d *document) at(path []string) (object map[string]any, place []string) {
	var value any = d.root
	for _, part := range path {
		inner, _ := value.(map[string]any)
		value = inner[part]
	}
	object, _ = value.(map[string]any)
	if ref, ok := object["$ref"].(string); ok {
		return d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/"))
	}

	return object, path
}

// validate checks a body against the schema at a place of the document.
func (d *document) validate(place []string, body []byte) error {
	schema, err := d.schema(place)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}

	return schema.Validate(value)
}

func (d *document) schema(place []string) (*jsonschema.Schema, error) {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var pointer strings.Builder
	for _, part := range place {
		pointer.WriteString("/" + escape.Replace(part))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.compiled[pointer.String()]; known != nil {
		return known, nil
	}
	schema, err := d.compiler.Compile(documentURL + "#" + pointer.String())
	if err != nil {
		return nil, err
	}
	d.compiled[pointer.String()] = schema

	return schema, nil
}
