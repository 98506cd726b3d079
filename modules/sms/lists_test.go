package sms_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLists_EmbedWhatExpandNames(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		template := d.post(t, "/templates", `{"name": "Near", "body": "Near"}`).OK(t).Get("uuid").String()
		for _, to := range []string{"+12025550130", "+12025550131"} {
			d.post(t, "/messages", map[string]any{"to": to, "template_uuid": template, "from_uuid": d.number}).OK(t)
		}
		plain := d.post(t, "/messages", map[string]any{"to": "+12025550132", "body": "Plain", "from_uuid": d.number}).OK(t).Get("uuid").String()

		messages := d.get(t, "/messages?expand=number,template&sort=created_at").OK(t)
		require.Equal(t, []string{"+12025550160", "+12025550160", "+12025550160"}, strs(messages, "data.#.number.number"))
		require.Equal(t, []string{"Near", "Near"}, strs(messages, "data.#.template.name"))
		require.False(t, messages.Get("data.2.template").Exists(), plain)
		require.False(t, d.get(t, "/messages").OK(t).Get("data.0.number").Exists())
		threads := d.get(t, "/threads?expand=last_message&filter[counterpart]="+url.QueryEscape("+12025550132")).OK(t)
		require.Equal(t, plain, threads.Get("data.0.last_message.uuid").String())
		require.Equal(t, "Plain", threads.Get("data.0.last_message.body").String())
		numbers := d.get(t, "/numbers?expand=account").OK(t)
		require.Equal(t, "Sandbox", numbers.Get("data.0.account.name").String())
		require.NotContains(t, string(numbers.Body), "hunter2")
		for path, name := range map[string]string{"/messages": "number", "/threads": "last_message", "/numbers": "account"} {
			refused := d.get(t, path+"?expand=owner")
			require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
			require.Contains(t, string(refused.Body), name, "it names what there is")
		}
	})
}

func TestLists_OfMessagesFilterSortSearchAndCount(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d desk) {
		first := d.post(t, "/messages", map[string]any{"to": "+12025550130", "body": "Gate 7", "from_uuid": d.number, "send_at": d.inOneHour(t)}).OK(t)
		id, thread := first.Get("uuid").String(), first.Get("thread_uuid").String()
		d.post(t, "/messages", map[string]any{
			"to": "+12025550131", "body": "Dock 9", "from_uuid": d.number, "send_at": d.inOneHour(t), "owner_type": "sms.message", "owner_uuid": id,
		}).OK(t)
		d.receive(t, "Which gate?", "1")
		for query, want := range map[string][]string{
			"sort=created_at":                                         {"Gate 7", "Dock 9", "Which gate?"},
			"sort=-created_at":                                        {"Which gate?", "Dock 9", "Gate 7"},
			"filter[direction]=inbound":                               {"Which gate?"},
			"filter[state]=scheduled&sort=created_at":                 {"Gate 7", "Dock 9"},
			"filter[state][in]=received,scheduled&sort=created_at":    {"Gate 7", "Dock 9", "Which gate?"},
			"filter[owner_type]=sms.message&filter[owner_uuid]=" + id: {"Dock 9"},
			"filter[thread_uuid]=" + thread + "&sort=created_at":      {"Gate 7", "Which gate?"},
			"filter[to]=%2B12025550131":                               {"Dock 9"},
			"filter[created_at][gt]=2999-01-01T00:00:00Z":             {},
			"q=gate&sort=created_at":                                  {"Gate 7", "Which gate?"},
			"sort=due_at&per_page=1":                                  {"Which gate?"},
		} {
			got := strs(d.get(t, "/messages?"+query).OK(t), "data.#.body")
			require.ElementsMatch(t, want, got, query)
			if len(want) > 1 {
				require.Equal(t, want, got, query)
			}
		}
		page := d.get(t, "/messages?per_page=2&count=exact&sort=created_at&fields=body").OK(t)
		require.Equal(t, int64(3), page.Get("meta.total").Int())
		require.Len(t, page.Get("data.0").Map(), 2, "the id and the field")
		next := d.get(t, "/messages?per_page=2&sort=created_at&cursor="+page.Get("meta.next_cursor").String()).OK(t)
		require.Equal(t, []string{"Which gate?"}, strs(next, "data.#.body"))
		require.Equal(t, http.StatusUnprocessableEntity, d.get(t, "/messages?filter[colour]=red").Status)
		require.Equal(t, http.StatusUnprocessableEntity, d.get(t, "/messages?sort=body").Status)
	})
}
