package list_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/humatest"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/list"
)

type loadsInput struct {
	list.Input

	Company string `query:"company"`
}

type loadBody struct {
	UUID     uuid.UUID      `json:"uuid"`
	Number   string         `json:"number"`
	Customer map[string]any `json:"customer"`
}

// serve lists two loads, as an area does; the query decides what is made of them.
func serve(t *testing.T) humatest.TestAPI {
	t.Helper()
	config := huma.DefaultConfig("test", "1")
	config.RejectUnknownQueryParameters = true
	config.Transformers = []huma.Transformer{list.Trim}
	config.CreateHooks = nil
	_, api := humatest.New(t, config)
	huma.Register(api, huma.Operation{Method: http.MethodGet, Path: "/loads", OperationID: "list"},
		func(ctx context.Context, in *loadsInput) (*list.Output[loadBody], error) {
			q, err := in.Parse(ctx, loads())
			if err != nil {
				return nil, huma.Error422UnprocessableEntity(messages(t, err))
			}
			rows := []load{{Number: "a"}, {Number: "b"}}
			page, err := list.NewPage(q, rows, func(l load) []any { return []any{l.Price, l.ID} })
			if err != nil {
				return nil, err
			}

			return list.Answer(q, list.Convert(page, func(l load) loadBody {
				return loadBody{UUID: l.ID, Number: l.Number, Customer: map[string]any{"name": "Ann", "secret": 1}}
			})), nil
		})

	return api
}

func get(api humatest.TestAPI, target string) (status int, link, body string) {
	answer := api.Get(target)

	return answer.Code, answer.Header().Get("Link"), answer.Body.String()
}

func TestInput_IsReadByHumaAsPartOfAnOperationsInput(t *testing.T) {
	t.Parallel()
	api := serve(t)
	status, link, body := get(api, "/loads?per_page=1&filter[price][gte]=1&company=x%26y")
	require.Equal(t, http.StatusOK, status, body)
	var page list.Page[loadBody]
	require.NoError(t, json.Unmarshal([]byte(body), &page))
	require.Len(t, page.Data, 1)
	require.Nil(t, page.Meta.PrevCursor)
	next := "/loads?company=x%26y&cursor=" + *page.Meta.NextCursor + "&filter%5Bprice%5D%5Bgte%5D=1&per_page=1"
	require.Equal(t, "<"+next+`>; rel="next"`, link)

	status, link, body = get(api, next)
	require.Equal(t, http.StatusOK, status, body)
	require.Contains(t, link, `rel="prev"`)
	require.Contains(t, body, `"next_cursor":null`)

	status, _, body = get(api, strings.Replace(next, "company=x", "company=z", 1))
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, body, "belongs to a list with another filter")
}

func TestInput_EveryMistakeIsRefused(t *testing.T) {
	t.Parallel()
	api := serve(t)
	for query, want := range map[string]string{
		"per_page=many": "1 to 200", "per_page=999": "1 to 200", "count=all": "exact or estimate",
		"filter[price][over]=1": "allowed are eq", "filter=1": "unknown query parameter", "filters[price]=1": "unknown query parameter", "page=2": "unknown query parameter",
		"filter[price]=%zz": "cannot be read", "filter[price]=1;sort=x": "cannot be read",
	} {
		status, _, body := get(api, "/loads?"+query)
		require.Equal(t, http.StatusUnprocessableEntity, status, query)
		require.Contains(t, body, want, query)
	}
}

func TestTrim_KeepsTheKeysAskedForAndTheID(t *testing.T) {
	t.Parallel()
	api := serve(t)
	status, _, body := get(api, "/loads?fields=customer.name")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"data":[
		{"uuid":"00000000-0000-0000-0000-000000000000","customer":{"name":"Ann"}},
		{"uuid":"00000000-0000-0000-0000-000000000000","customer":{"name":"Ann"}}],
		"meta":{"per_page":50,"next_cursor":null,"prev_cursor":null}}`, body)
	_, _, body = get(api, "/loads?fields=customer,customer.name")
	require.Contains(t, body, "secret")
	require.NotContains(t, body, "number")
}

func TestInput_DocumentsItsQueryKeys(t *testing.T) {
	t.Parallel()
	api := serve(t)
	raw, err := json.Marshal(api.OpenAPI().Paths["/loads"].Get.Parameters)
	require.NoError(t, err)
	var parameters []struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Style       string         `json:"style"`
		Explode     bool           `json:"explode"`
		Schema      map[string]any `json:"schema"`
	}
	require.NoError(t, json.Unmarshal(raw, &parameters))
	documented := map[string]map[string]any{}
	for _, p := range parameters {
		documented[p.Name] = p.Schema
		if p.Name != "company" {
			require.NotEmpty(t, p.Description, p.Name)
		}
		require.Equal(t, p.Name == "filter", p.Style == "deepObject" && p.Explode)
	}
	require.Len(t, documented, 9)
	delete(documented["per_page"], "description")
	require.Equal(t, map[string]any{"type": "integer", "minimum": 1.0, "maximum": 200.0, "default": 50.0}, documented["per_page"])
	require.Equal(t, []any{"exact", "estimate"}, documented["count"]["enum"])
}

func TestKeysOf_AreThoseOfTheJSON(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"uuid", "number", "customer"}, list.KeysOf[loadBody]())
}
