package custommodules_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	largeRecord  = 200 << 10
	largeRecords = 50
)

// largeModule makes a module with records of 200 KB.
func (y yard) largeModule(t *testing.T) (id string) {
	t.Helper()
	made := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": "Large", "fields": []object{
		{"key": "content", "type": "json", "options": object{"max_bytes": 262144}}, {"key": "number", "type": "integer", "indexed": true},
	}}).OK(t)
	id = gjson.GetBytes(made.Body, "uuid").String()
	text := strings.Repeat("x", largeRecord)
	for i := range largeRecords {
		y.create(t, id, object{"content": object{"text": text}, "number": i}).OK(t)
	}

	return id
}

func TestList_OfLargeRecordsEndsSoonerAndGoesOnByItsCursor(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		id := y.largeModule(t)
		list := "/custom_modules/api/v1/records?module_uuid=" + id + "&per_page=200&sort=number"
		walk := func(cursor, next string) (numbers []int64, last string) {
			for {
				page := y.get(t, list+"&cursor="+cursor).OK(t)
				require.Less(t, len(page.Body), 5<<20)
				found := gjson.GetBytes(page.Body, "data.#.payload.number").Array()
				require.NotEmpty(t, found)
				for _, n := range found {
					numbers = append(numbers, n.Int())
				}
				if last = gjson.GetBytes(page.Body, "meta.prev_cursor").String(); next == "prev_cursor" {
					last = ""
				}
				following := gjson.GetBytes(page.Body, "meta."+next)
				if following.Type == gjson.Null {
					return numbers, last
				}
				cursor = following.String()
			}
		}
		forward, prev := walk("", "next_cursor")
		require.Len(t, forward, largeRecords)
		require.True(t, slices.IsSorted(forward))
		backward, _ := walk(prev, "prev_cursor")
		slices.Sort(backward)
		require.Equal(t, forward[:len(backward)], backward)
		require.Greater(t, len(backward), 20)

		export := y.get(t, modulesPath+"/"+id+"/export?format=jsonl").OK(t)
		require.Equal(t, largeRecords, strings.Count(string(export.Body), "\n"))
	})
}

// unread asks for something and reads nothing of the answer.
func (y yard) unread(t *testing.T, path string) {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", y.API.Address())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	require.NoError(t, c.(*net.TCPConn).SetReadBuffer(4<<10))
	_, err = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+y.Owner.Token+"\r\n\r\n")
	require.NoError(t, err)
}

func TestReaders_WhoDoNotReadHaveOthersRefusedOnlyWhatIsLarge(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		id := y.largeModule(t)
		list := "/custom_modules/api/v1/records?module_uuid=" + id + "&per_page=200"
		require.Eventually(t, func() bool {
			y.unread(t, list)
			y.unread(t, modulesPath+"/"+id+"/export")
			page := y.get(t, list)

			return page.Status == http.StatusServiceUnavailable && strings.Contains(string(page.Body), "web.memory_full")
		}, time.Minute, 10*time.Millisecond)
		y.get(t, modulesPath+"/"+id+"/views").OK(t)
	}, moduletest.Set("web.overload.max_memory=16MiB"))
}

func TestModules_WithManyFieldsAreListedAndDocumentedWithinBounds(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		t.Helper()
		var ids []string
		for i := range 12 {
			var fields []object
			for n := range 60 {
				fields = append(fields, object{
					"key": fmt.Sprintf("field_%d", n), "type": "json",
					"options": object{"max_bytes": 2000, "schema": object{"type": "object", "description": strings.Repeat("x", 7<<10)}},
				})
			}
			made := y.Call(t, y.Owner.Token, http.MethodPost, modulesPath, object{"name": fmt.Sprintf("Module %d", i), "fields": fields}).OK(t)
			ids = append(ids, gjson.GetBytes(made.Body, "uuid").String())
		}
		seen, cursor := 0, ""
		for pages := 0; ; pages++ {
			page := y.get(t, modulesPath+"?per_page=200&cursor="+cursor).OK(t)
			require.Less(t, len(page.Body), 10<<20)
			for _, m := range gjson.GetBytes(page.Body, "data").Array() {
				if strings.HasPrefix(m.Get("name").String(), "Module ") {
					seen++
					require.Len(t, m.Get("fields").Array(), 60)
				}
			}
			if cursor = gjson.GetBytes(page.Body, "meta.next_cursor").String(); cursor == "" {
				require.Positive(t, pages)

				break
			}
		}
		require.Equal(t, len(ids), seen)

		const document = "/custom_modules/api/v1/openapi.json"
		refused := y.get(t, document)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
		require.Contains(t, string(refused.Body), "custom_modules.document_too_large")
		one := y.get(t, document+"?module_uuid="+ids[0]+","+ids[1]).OK(t)
		require.Contains(t, string(one.Body), "Module0Payload")
		require.Contains(t, string(one.Body), "Module1Payload")
		require.NotContains(t, string(one.Body), "Module2Payload")
		require.Equal(t, http.StatusNotFound, y.get(t, document+"?module_uuid=0190f000-0000-7000-8000-000000000000").Status)
	})
}
