package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/dispatchd/dispatchd/platform/web/formbody"
)

const mediaForm = "application/x-www-form-urlencoded"

// checkForm refuses a declaration of a form that has no body to stand for.
func checkForm(e *endpoint, typed bool) error {
	if e.takesForm() && (!typed || e.raw || e.op.Method != http.MethodPost) {
		return errors.New("its Form: want a POST with a Body")
	}
	if e.op.Form != nil && e.op.TakesForm {
		return errors.New("it has both Form and TakesForm")
	}

	return nil
}

func (e *endpoint) takesForm() bool { return e.op.Form != nil || e.op.TakesForm }

// documentForm adds the form to what the operation takes, and the page that browsers are sent to.
func documentForm(e *endpoint, op *huma.Operation) {
	if !e.takesForm() || op.RequestBody == nil {
		return
	}
	op.RequestBody.Content[mediaForm] = &huma.MediaType{Schema: &huma.Schema{
		Type: huma.TypeObject, Description: "The fields of the operation's HTML form.",
	}}
	op.Responses[strconv.Itoa(http.StatusSeeOther)] = &huma.Response{Description: "Browsers, which ask for text/html, are sent to the page that comes next."}
}

// readForm replaces the body of an HTML form by the JSON that it stands for. What is wrong with the bytes of a form is ignored, as
// browsers send none of it; what is wrong with its values is found in the JSON.
func readForm(e *endpoint, c *call) {
	media, _, _ := strings.Cut(c.fiber.Get(fiber.HeaderContentType), ";")
	if !e.takesForm() || !strings.EqualFold(strings.TrimSpace(media), mediaForm) || !e.readWhole(c) {
		return
	}
	values, _ := url.ParseQuery(string(c.body)) //nolint:errcheck // see above
	c.form = values
	body, err := e.formBody(values)
	if err != nil {
		body = []byte("null")
	}
	c.body = body
}

// formReader returns what makes the JSON body out of a form's values, nil for an operation that takes none.
func (e *endpoint) formReader(op *huma.Operation, registry huma.Registry) func(url.Values) ([]byte, error) {
	switch {
	case e.op.Form != nil:
		return func(values url.Values) ([]byte, error) { return json.Marshal(e.op.Form(values)) }
	case e.op.TakesForm:
		schema := op.RequestBody.Content[mediaJSON].Schema

		return func(values url.Values) ([]byte, error) { return formbody.Read(values, schema, registry) }
	default:
		return nil
	}
}
