package tags_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/collections"
	"github.com/dispatchd/dispatchd/modules/tags"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const base = "/tags/api/v1"

type object = map[string]any

func each(t *testing.T, test func(t *testing.T, a *moduletest.App)) {
	t.Helper()
	moduletest.BootEach(t, []module.Module{collections.Module, tags.Module}, test)
}

func post(t *testing.T, a *moduletest.App, path string, body any) moduletest.Response {
	t.Helper()

	return a.Call(t, a.Owner.Token, http.MethodPost, base+path, body)
}

func get(t *testing.T, a *moduletest.App, path string) moduletest.Response {
	t.Helper()

	return a.Call(t, a.Owner.Token, http.MethodGet, base+path, nil).OK(t)
}

// newTag returns the id of a new tag, which is an item too.
func newTag(t *testing.T, a *moduletest.App, name string) string {
	t.Helper()

	return post(t, a, "/tags", object{"name": name}).OK(t).Get("uuid").String()
}

func items(ids ...string) []object {
	all := make([]object, len(ids))
	for i, id := range ids {
		all[i] = object{"type": "tags.tag", "uuid": id}
	}

	return all
}

func TestTag_HasANameOfItsOwnAndAColor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		require.Equal(t, "#d73a4a", post(t, a, "/tags", object{"name": "Façade", "color": "#D73A4A"}).OK(t).Get("color").String())
		refused := post(t, a, "/tags", object{"name": "FACADE"}).Refused(t, http.StatusConflict, "tags.tag_taken")
		require.Equal(t, "The name is taken by Façade.", refused.Get("errors.name.0").String())
		post(t, a, "/tags", object{"name": "x", "color": "red"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
	})
}

func TestTags_FilterTheListsOfWhatTheyAreOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		urgent, hot, both, one := newTag(t, a, "Urgent"), newTag(t, a, "Hot"), newTag(t, a, "Both"), newTag(t, a, "One")
		post(t, a, "/assignments", object{"put": []string{urgent, hot}, "items": items(both)}).OK(t)
		post(t, a, "/assignments", object{"put": []string{urgent}, "items": items(one)}).OK(t)
		for query, want := range map[string]string{
			"filter[tags]=" + urgent: `["Both","One"]`, "filter[tags]=" + hot: `["Both"]`, "filter[tags][in]=" + urgent + "," + hot: `["Both","One"]`,
			"filter[tags][ne]=" + hot: `["Hot","One","Urgent"]`, "filter[tags][null]=true": `["Hot","Urgent"]`, "filter[tags][null]=false": `["Both","One"]`,
			"filter[tags]=" + urgent + "&filter[name]=One&count=exact": `["One"]`, "filter[tags]=" + one: `[]`,
		} {
			require.Equal(t, want, get(t, a, "/tags?"+query).Get("data.#.name").Raw, query)
		}
		refused := a.Call(t, a.Owner.Token, http.MethodGet, base+"/tags?filter[tags]=urgent", nil)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status)
		require.Equal(t, "[]", a.Call(t, a.NewCompany(t).Token, http.MethodGet, base+"/tags?filter[tags]="+urgent, nil).OK(t).Get("data").Raw)
	})
}

func TestAssign_PutsAndTakesOnceHoweverOften(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		urgent, hot, load, other := newTag(t, a, "Urgent"), newTag(t, a, "Hot"), newTag(t, a, "Load"), newTag(t, a, "Other")
		body := object{"put": []string{urgent, hot}, "items": items(load, other, load)}
		require.Equal(t, int64(4), post(t, a, "/assignments", body).OK(t).Get("put").Int())
		require.Zero(t, post(t, a, "/assignments", body).OK(t).Get("put").Int())
		require.Equal(t, int64(2), get(t, a, "/assignments?filter[item_uuid]="+load).Get("data.#").Int())
		page := get(t, a, "/assignments?per_page=1&expand=item,tag&filter[tag_uuid]="+urgent)
		require.Equal(t, "Urgent", page.Get("data.0.expanded.tag.title").String())
		require.Equal(t, "Load", page.Get("data.0.expanded.item.title").String())
		require.NotEmpty(t, page.Get("meta.next_cursor").String())
		require.JSONEq(t, `{"total": 2, "types": [{"type": "tags.tag", "items": 2}]}`, string(get(t, a, "/tags/"+urgent+"/usage").Body))

		body = object{"take": []string{urgent}, "items": items(load)}
		require.Equal(t, int64(1), post(t, a, "/assignments", body).OK(t).Get("taken").Int())
		require.Zero(t, post(t, a, "/assignments", body).OK(t).Get("taken").Int())
		require.Equal(t, int64(1), get(t, a, "/tags/"+urgent+"/usage").Get("total").Int())
		require.ElementsMatch(t, []string{"tags.tag.put", "tags.tag.put", "tags.tag.taken"}, a.EventNames(t, a.Owner))
	})
}

func TestAssign_RefusesWhatIsNotThereAndDoesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		urgent, load := newTag(t, a, "Urgent"), newTag(t, a, "Load")
		gone := uuid.NewString()
		refused := post(t, a, "/assignments", object{"put": []string{urgent}, "items": items(load, gone)})
		refused.Refused(t, http.StatusUnprocessableEntity, "tags.invalid_assignment")
		require.True(t, refused.Get(`errors.items\.1`).Exists())
		post(t, a, "/assignments", object{"put": []string{urgent, gone}, "items": items(load)}).Refused(t, http.StatusNotFound, "tags.tag_not_found")
		post(t, a, "/assignments", object{"put": []string{urgent}, "take": []string{urgent}, "items": items(load)}).
			Refused(t, http.StatusUnprocessableEntity, "tags.invalid_assignment")
		post(t, a, "/assignments", object{"put": []string{urgent}, "items": []object{{"type": "loads.load", "uuid": load}}}).
			Refused(t, http.StatusUnprocessableEntity, "item.unknown_type")
		require.Zero(t, get(t, a, "/assignments").Get("data.#").Int())
	})
}

func TestAssign_TagsManyItemsTwice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		urgent := newTag(t, a, "Urgent")
		const many = 500 // the most that a request may have
		rows := make([]object, many)
		for i := range rows {
			rows[i] = object{"do": "create", "payload": object{"name": fmt.Sprintf("Load %d", i)}}
		}
		made := a.Call(t, a.Owner.Token, http.MethodPost, "/collections/api/v1/collections/tags.tag/bulk", object{"atomic": true, "items": rows}).OK(t)
		ids := make([]string, many)
		for i, id := range made.Get("data.#.record.uuid").Array() {
			ids[i] = id.String()
		}
		for _, want := range []int64{many, 0} {
			require.Equal(t, want, post(t, a, "/assignments", object{"put": []string{urgent}, "items": items(ids...)}).OK(t).Get("put").Int())
		}
		require.Equal(t, int64(many), get(t, a, "/tags/"+urgent+"/usage").Get("total").Int())
		require.Equal(t, http.StatusUnprocessableEntity, post(t, a, "/assignments", object{"put": []string{urgent}, "items": items(append(ids, urgent)...)}).Status)
	})
}

func TestMerge_LeavesOneTagOnTheItemsOfBoth(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		from, into, both, one := newTag(t, a, "Pressing"), newTag(t, a, "Urgent"), newTag(t, a, "Both"), newTag(t, a, "One")
		post(t, a, "/assignments", object{"put": []string{from}, "items": items(both, one)}).OK(t)
		post(t, a, "/assignments", object{"put": []string{into}, "items": items(both)}).OK(t)
		post(t, a, "/tags/"+from+"/merge", object{"into_uuid": from}).Refused(t, http.StatusUnprocessableEntity, "tags.merged_into_itself")
		require.Equal(t, into, post(t, a, "/tags/"+from+"/merge", object{"into_uuid": into}).OK(t).Get("uuid").String())
		require.Equal(t, int64(2), get(t, a, "/tags/"+into+"/usage").Get("total").Int())
		require.Equal(t, int64(2), get(t, a, "/assignments").Get("data.#").Int())
		post(t, a, "/tags/"+from+"/merge", object{"into_uuid": into}).Refused(t, http.StatusNotFound, "tags.tag_not_found")
		require.Equal(t, "tags.tag.merged", a.EventNames(t, a.Owner)[2])
	})
}

func TestAssignments_HaveNoStreamOfChanges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		changes := func(collection string) string {
			return "/collections/api/v1/collections/" + collection + "/changes?follow=false"
		}
		a.Call(t, a.Owner.Token, http.MethodGet, changes("tags.assignment"), nil).Refused(t, http.StatusConflict, "collection.changes_not_told")
		a.Call(t, a.Owner.Token, http.MethodGet, changes("tags.tag"), nil).OK(t)
	})
}

func TestDelete_TakesTheTagOffItsItems(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		urgent, load := newTag(t, a, "Urgent"), newTag(t, a, "Load")
		post(t, a, "/assignments", object{"put": []string{urgent}, "items": items(load)}).OK(t)
		a.Call(t, a.Owner.Token, http.MethodDelete, base+"/tags/"+urgent, nil).OK(t)
		require.Zero(t, get(t, a, "/assignments").Get("data.#").Int())
		post(t, a, "/tags/"+urgent+"/restore", nil).OK(t)
		require.Zero(t, get(t, a, "/tags/"+urgent+"/usage").Get("total").Int())
	})
}
