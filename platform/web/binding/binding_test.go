package binding_test

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web/binding"
	"github.com/dispatchd/dispatchd/platform/web/jsonbody"
	"github.com/dispatchd/dispatchd/platform/web/schemas"
)

type humaContext huma.Context

// request is a request and its answer.
type request struct {
	humaContext

	op     *huma.Operation
	path   map[string]string
	header http.Header
	query  string

	status  int
	written http.Header
}

func (r *request) Operation() *huma.Operation { return r.op }

func (r *request) URL() url.URL { return url.URL{RawQuery: r.query} }

func (r *request) Param(name string) string { return r.path[name] }

func (r *request) Header(name string) string { return r.header.Get(name) }

func (r *request) Query(name string) string {
	address := r.URL()

	return address.Query().Get(name)
}

func (r *request) SetStatus(code int) { r.status = code }

func (r *request) SetHeader(name, value string) { r.written.Set(name, value) }

type color string

type paging struct {
	Page  int       `query:"page" minimum:"1" default:"1"`
	Count int8      `query:"count"`
	After time.Time `query:"after"`
}

type entry struct {
	City  string  `json:"city" minLength:"2"`
	Kind  string  `json:"kind,omitempty" default:"other"`
	Inner []entry `json:"inner,omitempty"`
}

type everything struct {
	Paging

	UUID   uuid.UUID         `path:"uuid" format:"uuid"`
	Color  color             `query:"color" enum:"red,blue"`
	Exact  bool              `query:"exact"`
	Owner  uuid.UUID         `query:"owner"`
	Names  []string          `query:"names" maxItems:"3"`
	Tags   []string          `query:"tag,explode"`
	Filter map[string]string `query:"filter,deepObject"`
	Asked  string            `query:"asked" required:"true"`
	Match  string            `header:"If-Match" maxLength:"5"`
	Body   struct {
		Name    string  `json:"name" maxLength:"10"`
		Year    int8    `json:"year,omitempty" default:"7"`
		Share   float64 `json:"share,omitempty" default:"0.5"`
		Open    *bool   `json:"open,omitempty" default:"true"`
		Entries []entry `json:"entries,omitempty"`
		First   *entry  `json:"first,omitempty"`
	}

	resolved string
}

// Paging is embedded.
type Paging paging

func (e *everything) Resolve(ctx huma.Context) []error {
	address := ctx.URL()
	if e.resolved = address.RawQuery; strings.Contains(e.resolved, "unresolved") {
		return []error{&huma.ErrorDetail{Location: "query.page", Message: "must be another."}}
	}

	return nil
}

func planOf[I, O any](t testing.TB) (*binding.Plan, *huma.Operation) {
	t.Helper()
	jsonbody.SetWords()
	in, err := binding.InputOf(reflect.TypeFor[I]())
	require.NoError(t, err)
	out, err := binding.OutputOf(reflect.TypeFor[O]())
	require.NoError(t, err)
	op := &huma.Operation{OperationID: "test", DefaultStatus: out.Status(0)}
	plan, err := binding.Describe(op, schemas.NewRequests(&schemas.Names{}), in, out)
	require.NoError(t, err)

	return plan, op
}

const one = "0190c3d0-7b1a-7c3d-8e4f-1a2b3c4d5e6f"

func TestRead_ReadsEveryKindOfParameter(t *testing.T) {
	t.Parallel()
	plan, _ := planOf[everything, struct{}](t)
	query := "color=red&exact=1&owner=" + one + "&names=a,b&tag=c&tag=d,e&filter[city]=Reno&filter[at][gt]=2&asked=yes&count=-128&after=2026-01-02T03:04:05Z"
	read, refusal := plan.Read(&request{path: map[string]string{"uuid": one}, query: query, header: http.Header{"If-Match": {`"3"`}}}, []byte(`{"name":"x"}`))
	require.Nil(t, refusal)
	in, ok := read.(*everything)
	require.True(t, ok)

	require.Equal(t, Paging{Page: 1, Count: -128, After: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, in.Paging)
	require.Equal(t, one, in.UUID.String())
	require.Equal(t, one, in.Owner.String())
	require.Equal(t, color("red"), in.Color)
	require.True(t, in.Exact)
	require.Equal(t, []string{"a", "b"}, in.Names)
	require.Equal(t, []string{"c", "d,e"}, in.Tags)
	require.Equal(t, map[string]string{"city": "Reno", "at": "2"}, in.Filter)
	require.Equal(t, `"3"`, in.Match)
	require.Equal(t, "x", in.Body.Name)
	require.Equal(t, query, in.resolved)
}

func TestRead_SetsTheDefaultsOfABodyWhereTheZeroValueIs(t *testing.T) {
	t.Parallel()
	plan, _ := planOf[everything, struct{}](t)
	body := `{"name":"x","open":false,"entries":[{"city":"Reno"},{"city":"Elko","kind":"yard"}],"first":{"city":"Ely","inner":[{"city":"Fallon"}]}}`
	for range 2 { // nothing of one request is seen by another
		read, refusal := plan.Read(&request{path: map[string]string{"uuid": one}, query: "asked=1"}, []byte(body))
		require.Nil(t, refusal)
		in, ok := read.(*everything)
		require.True(t, ok)

		require.Equal(t, int8(7), in.Body.Year)
		require.InDelta(t, 0.5, in.Body.Share, 0)
		require.False(t, *in.Body.Open)
		require.Equal(t, []entry{{City: "Reno", Kind: "other"}, {City: "Elko", Kind: "yard"}}, in.Body.Entries)
		require.Equal(t, &entry{City: "Ely", Kind: "other", Inner: []entry{{City: "Fallon"}}}, in.Body.First, "one level of a type inside of itself")
		in.Body.Entries[0].City = "changed"
	}
}

func TestRead_SaysEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	plan, _ := planOf[everything, struct{}](t)
	query := "page=0&count=300&after=today&color=green&exact=perhaps&owner=me&names=a,b,c,d&unresolved"
	_, refusal := plan.Read(&request{query: query, header: http.Header{"If-Match": {"too long"}}}, []byte(`{"nam":"x","year":1000,"entries":[{"city":"A"}]}`))

	require.Equal(t, errs.Invalid, refusal.Kind)
	require.Equal(t, map[string][]string{
		"page": {"The page must be at least 1.", "The page must be another."}, "count": {"The count must be an integer."},
		"after": {"`after` must be a time such as 2006-01-02T15:04:05Z."}, "color": {"The color must be one of: red, blue."},
		"exact": {"The exact must be true or false."}, "owner": {"The owner must be a UUID."}, "names": {"The names must have at most 3 items."},
		"asked": {"The asked is required."}, "uuid": {"The uuid is required."}, "If-Match": {"The If-Match must be at most 5 characters long."},
		"name": {"The name is required."}, "nam": {"This key is not known. Did you mean `name`?"}, "entries.0.city": {"The city must be at least 2 characters long."},
	}, refusal.Fields)

	_, refusal = plan.Read(&request{path: map[string]string{"uuid": one}, query: "asked=1"}, []byte(`{"name":"x","year":1000}`))
	require.Equal(t, map[string][]string{"year": {"The year must be an integer of 8 bits at most."}}, refusal.Fields)
	_, refusal = plan.Read(&request{}, nil)
	require.Equal(t, "web.body_missing", refusal.Code)
	_, refusal = plan.Read(&request{}, []byte(`{"name":`))
	require.Equal(t, "web.malformed_json", refusal.Code)
}

func TestRead_TakesNoBodyForAPointer(t *testing.T) {
	t.Parallel()
	type input struct{ Body *entry }
	plan, op := planOf[input, struct{}](t)
	require.False(t, op.RequestBody.Required)

	read, refusal := plan.Read(&request{}, nil)
	require.Nil(t, refusal)
	require.Equal(t, &input{}, read)
	read, refusal = plan.Read(&request{}, []byte(`{"city":"Reno"}`))
	require.Nil(t, refusal)
	require.Equal(t, &input{Body: &entry{City: "Reno", Kind: "other"}}, read)
}

type resolving struct {
	Name string `json:"name"`
}

func (*resolving) Resolve(huma.Context) []error { return nil }

// Resolves is embedded.
type Resolves struct{}

// Resolve implements huma.Resolver.
func (*Resolves) Resolve(huma.Context) []error { return nil }

func TestInputOf_RefusesWhatItDoesNotRead(t *testing.T) {
	t.Parallel()
	for want, in := range map[string]any{
		"a pointer for page of the query": struct {
			P *int `query:"page"`
		}{},
		"has session of a cookie": struct {
			P string `cookie:"session"`
		}{},
		"has file of a form": struct {
			P string `form:"file"`
		}{},
		"a float64 for price of the query": struct {
			P float64 `query:"price"`
		}{},
		"a uint for count of the query": struct {
			P uint `query:"count"`
		}{},
		"a time.Duration for wait of the query": struct {
			P time.Duration `query:"wait"`
		}{},
		"a []int for ids of the query": struct {
			P []int `query:"ids"`
		}{},
		"a []string for names of the path": struct {
			P []string `path:"names"`
		}{},
		"a time.Time for Date of the header": struct {
			P time.Time `header:"Date"`
		}{},
		"a map[string]int for filter of the query": struct {
			P map[string]int `query:"filter,deepObject"`
		}{},
		"a map[string]string for filter of the query": struct {
			P map[string]string `query:"filter"`
		}{},
		"a string for name of the query": struct {
			P string `query:"name,explode"`
		}{},
		"the option form for name of the query": struct {
			P string `query:"name,form"`
		}{},
		"the tag hidden for name of the query": struct {
			P string `query:"name" hidden:"true"`
		}{},
		"the tag timeFormat for at of the query": struct {
			P time.Time `query:"at" timeFormat:"2006"`
		}{},
		"has a Body and a RawBody":                       struct{ Body, RawBody []byte }{},
		"the RawBody of its input: want []byte":          struct{ RawBody string }{},
		"embeds a pointer to binding_test.Paging":        struct{ *Paging }{},
		"embeds binding_test.Resolves, whose Resolve is": struct{ Hides }{},
	} {
		_, err := binding.InputOf(reflect.TypeOf(in))
		require.ErrorContains(t, err, want, want)
	}
}

// Hides has two of them, so that it has none itself.
type Hides struct {
	Resolves
	Again
}

// Again is embedded.
type Again struct{}

// Resolve implements huma.Resolver.
func (*Again) Resolve(huma.Context) []error { return nil }

func TestDescribe_RefusesWhatABodyCannotHave(t *testing.T) {
	t.Parallel()
	for want, in := range map[string]any{
		"has a method Resolve, which is for inputs": struct {
			Body struct {
				Of []resolving `json:"of"`
			}
		}{},
		"has defaults in the values of a map": struct {
			Body struct {
				Of map[string]entry `json:"of"`
			}
		}{},
		"Names has a default and is a []string": struct {
			Body struct {
				Names []string `json:"names" default:"a,b"`
			}
		}{},
		"invalid int tag": struct {
			Body struct {
				Name string `json:"name" maxLength:"few"`
			}
		}{},
		"duplicate name": struct {
			Body struct {
				A entry `json:"a"`
				B other `json:"b"`
			}
		}{},
	} {
		input, err := binding.InputOf(reflect.TypeOf(in))
		require.NoError(t, err, want)
		out, err := binding.OutputOf(reflect.TypeFor[struct{}]())
		require.NoError(t, err)
		_, err = binding.Describe(&huma.Operation{OperationID: "test"}, schemas.NewRequests(&schemas.Names{}), input, out)
		require.ErrorContains(t, err, want)
	}
}

type other struct {
	Town string `json:"town"`
}

func (other) SchemaName() string { return "Entry" }

func TestOutputOf_RefusesWhatItDoesNotWrite(t *testing.T) {
	t.Parallel()
	for want, out := range map[string]any{
		"the Status of its output: want an int": struct{ Status string }{},
		"its output embeds a Body":              struct{ Answer }{},
		"a function as Body":                    struct{ Body func() }{},
		"a Content-Type, which is for a Body of": struct {
			Media string `header:"Content-Type"`
			Body  entry
		}{},
		"the field Price of its output is not": struct{ Price float64 }{},
		"the field Names of its output is not": struct {
			Names []string `header:"Names"`
		}{},
		"the field Pointed of its output is not": struct{ Pointed *string }{},
		"the field Hidden of its output is not": struct {
			Hidden string `hidden:"true"`
		}{},
	} {
		_, err := binding.OutputOf(reflect.TypeOf(out))
		require.ErrorContains(t, err, want, want)
	}
}

// Answer is embedded.
type Answer struct{ Body entry }

func TestBegin_WritesHeadersAndTheStatus(t *testing.T) {
	t.Parallel()
	type output struct {
		Status int
		Name   string    `header:"Name"`
		Empty  string    `header:"Empty"`
		Offset int64     `header:"Offset"`
		At     time.Time `header:"At"`
		Never  time.Time `header:"Never"`
		Body   entry
	}
	plan, op := planOf[struct{}, output](t)
	r := &request{op: op, written: http.Header{}}
	body, written := plan.Begin(r, &output{Status: 202, Name: "x", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Body: entry{City: "Reno"}})

	require.False(t, written)
	require.Equal(t, entry{City: "Reno"}, body)
	require.Equal(t, 202, r.status)
	require.Equal(t, http.Header{"Name": {"x"}, "Offset": {"0"}, "At": {"Fri, 02 Jan 2026 03:04:05 GMT"}, "Content-Type": {"application/json"}}, r.written)
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"asked=1", "page=99999999999999999999", "page=&page=2", "page=-1e9", "filter[=1&filter]=2&filter[a][b]=c&filter[]=", "tag&tag=%00&tag=\xff", "owner=\xff\xfe",
		"after=0000-00-00T00:00:00Z", "names=,,,,", "%zz=%", "exact=TRUE;count=1", "color=%ED%A0%80", "count=128&count=-129",
	} {
		f.Add(seed, one, []byte(`{"name":"x"}`))
		f.Add(seed, seed, []byte(`{"name":"`+seed+`","year":1e400,"open":null}`))
	}
	for _, body := range []string{"", "null", "[]", `"x"`, `{"entries":[null,{}],"first":[]}`, `{"name":"x","name":"y"}`, "{\"name\":\"\xff\"}", `{"year":-0.0,"share":1e309}`} {
		f.Add("asked=1", one, []byte(body))
	}
	plan, _ := planOf[everything, struct{}](f)
	f.Fuzz(func(t *testing.T, query, path string, body []byte) {
		in, refusal := plan.Read(&request{path: map[string]string{"uuid": path}, query: query, header: http.Header{"If-Match": {path}}}, body)
		if refusal == nil {
			require.NotNil(t, in)

			return
		}
		require.Nil(t, in)
		require.Contains(t, []errs.Kind{errs.Malformed, errs.Invalid}, refusal.Kind)
		_, ok := errors.AsType[*errs.Error](error(refusal))
		require.True(t, ok)
		for field, messages := range refusal.Fields {
			require.NotEmpty(t, messages, field)
		}
	})
}
