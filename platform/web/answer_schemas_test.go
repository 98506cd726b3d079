package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/web"
)

// inner is embedded, and not exported.
type inner struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"`
}

type place struct {
	City string `json:"city"`
}

// anything writes its own JSON.
type anything []byte

// MarshalJSON implements json.Marshaler.
func (anything) MarshalJSON() ([]byte, error) { return []byte(`{"a": 1}`), nil }

type answered struct {
	inner
	unwritten `json:"-"`

	UUID   uuid.UUID   `json:"uuid"`
	Owner  *uuid.UUID  `json:"owner"`
	Kind   *string     `json:"kind" enum:"car,truck"`
	From   *place      `json:"from" doc:"Where it comes from."`
	To     *place      `json:"to,omitempty"`
	Facts  anything    `json:"facts"`
	Stops  []*place    `json:"stops"`
	Within *[]answered `json:"within,omitempty"`
}

type unwritten struct{ Hidden string }

// documentOfAnswers is the document of operations that answer with what Huma does not describe.
func documentOfAnswers(t *testing.T) gjson.Result {
	t.Helper()
	s := build(t)
	require.NoError(t, s.Mount("answers", func(r *web.Router) {
		read := sound()
		read.ID, read.Path = "read_answer", "/answers/read"
		web.Register(r, read, func(context.Context, *struct{}) (*web.Resource[answered], error) { return nil, nil })
		write := sound()
		write.ID, write.Path, write.Method = "write_answer", "/answers", http.MethodPost
		web.Register(r, write, func(context.Context, *struct{}) (*web.Resource[answered], error) { return nil, nil })
		all := sound()
		all.ID, all.Path = "list_answers", "/answers"
		web.Register(r, all, func(context.Context, *struct{ list.Input }) (*list.Output[answered], error) { return nil, nil })
	}))
	text, err := s.OpenAPI()
	require.NoError(t, err)

	return gjson.ParseBytes(text)
}

func TestOpenAPI_DescribesWhatIsWrittenOfAnAnswer(t *testing.T) {
	t.Parallel()
	d := documentOfAnswers(t)
	schema := d.Get("components.schemas.AnswersAnswered")
	require.JSONEq(t, `["uuid", "owner", "kind", "from", "facts", "stops", "name"]`, schema.Get("required").Raw)
	for member, want := range map[string]string{
		"name":  `{"type": "string"}`,
		"note":  `{"type": "string"}`,
		"uuid":  `{"type": "string", "format": "uuid"}`,
		"owner": `{"type": ["string", "null"], "format": "uuid"}`,
		"kind":  `{"type": ["string", "null"], "enum": ["car", "truck", null]}`,
		"from":  `{"description": "Where it comes from.", "oneOf": [{"$ref": "#/components/schemas/AnswersPlace"}, {"type": "null"}]}`,
		"to":    `{"$ref": "#/components/schemas/AnswersPlace"}`,
		"facts": `{}`,
		"stops": `{"type": "array", "items": {"$ref": "#/components/schemas/AnswersPlace"}}`,
	} {
		require.JSONEq(t, want, schema.Get("properties."+member).Raw, member)
	}
}

func TestOpenAPI_DescribesAnswersThatAreCut(t *testing.T) {
	t.Parallel()
	d := documentOfAnswers(t)
	const answer = "responses.200.content.application/json.schema"
	require.JSONEq(t, `{"$ref": "#/components/schemas/AnswersAnswered"}`, d.Get("paths./answers/api/v1/answers/read.get."+answer).Raw)
	require.JSONEq(t, `{"$ref": "#/components/schemas/AnswersAnswered"}`, d.Get("paths./answers/api/v1/answers.post."+answer).Raw)
	require.Equal(t, "#/components/schemas/PartialAnswersAnswered", d.Get("components.schemas.AnswersPageAnswered.properties.data.items.$ref").String())
	partial := d.Get("components.schemas.PartialAnswersAnswered")
	require.JSONEq(t, `["uuid"]`, partial.Get("required").Raw)
	require.JSONEq(t, d.Get("components.schemas.AnswersAnswered.properties").Raw, partial.Get("properties").Raw)
}

// both is a type of a request and of an answer, which may be null in one of them.
type both struct {
	Place *place `json:"place"`
}

func TestOpenAPI_RefusesATypeThatIsAnotherInRequestsThanInAnswers(t *testing.T) {
	t.Parallel()
	s := build(t)
	require.NoError(t, s.Mount("answers", func(r *web.Router) {
		op := sound()
		op.Method = http.MethodPost
		web.Register(r, op, func(context.Context, *struct{ Body both }) (*struct{ Body both }, error) { return nil, nil })
	}))
	_, err := s.OpenAPI()
	require.ErrorContains(t, err, "the schema AnswersBoth differs between requests and answers")
}

func TestErrors_HaveErrorsInEvery422(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.call(t, http.MethodGet, failPath+"invalid", "")
	require.Equal(t, http.StatusUnprocessableEntity, r.StatusCode)
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(r.body), &body))
	require.JSONEq(t, `{}`, string(body["errors"]))
}
