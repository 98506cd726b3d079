package moduletest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/dispatchd/dispatchd/platform/resource"
)

// keepsHistory proves of the row that was exported that its collection keeps versions: a change is in the history, the
// version before reads as the row was, revert brings all of it back, and neither another company nor a version that there is
// not is answered.
func (p player) keepsHistory(ctx context.Context, d resource.Description) error {
	row, versions := "/"+d.Area+"/api/v1"+d.Path+"/"+p.saved["exchanged"], collectionsPath+d.Item+"/items/"+p.saved["exchanged"]
	first, err := p.mustCall(ctx, http.MethodGet, row, nil)
	if err != nil {
		return err
	}
	change := changeOf(d, first)
	if change == nil {
		return nil
	}
	changed, err := p.mustCall(ctx, http.MethodPatch, row, change)
	if err != nil {
		return err
	}
	was := first.Get("version").String()
	if err := p.checkHistoryChange(ctx, versions, change, changed); err != nil {
		return err
	}
	then, err := p.mustCall(ctx, http.MethodGet, versions+"/history/"+was, nil)
	if err == nil {
		err = sameRow("version "+was, first, then)
	}
	if err != nil {
		return err
	}
	back := map[string]any{"version": first.Get("version").Int()}
	for _, refused := range []struct {
		token, method, path string
		body                any
		status              int
	}{
		{p.other, http.MethodGet, "/history", nil, http.StatusNotFound},
		{p.other, http.MethodGet, "/history/" + was, nil, http.StatusNotFound},
		{p.other, http.MethodPost, "/revert", back, http.StatusNotFound},
		{p.app.Owner.Token, http.MethodGet, "/history/0", nil, http.StatusUnprocessableEntity},
		{p.app.Owner.Token, http.MethodPost, "/revert", map[string]any{"version": 0}, http.StatusUnprocessableEntity},
		{p.app.Owner.Token, http.MethodGet, "/history/1000", nil, http.StatusNotFound},
		{p.app.Owner.Token, http.MethodPost, "/revert", map[string]any{"version": 1000}, http.StatusNotFound},
	} {
		response, err := p.app.call(ctx, refused.token, refused.method, versions+refused.path, refused.body)
		if err != nil || response.Status != refused.status {
			return errors.Join(err, fmt.Errorf("%s %s: %v is answered with %d, want %d: %s",
				refused.method, refused.path, refused.body, response.Status, refused.status, response.Body))
		}
	}
	reverted, err := p.mustCall(ctx, http.MethodPost, versions+"/revert", back, "If-Match", changed.Header.Get("ETag"))
	if err != nil {
		return err
	}

	return sameRow("the reverted row", first, reverted, "version", "updated_at", "updated_by")
}

// checkHistoryChange finds a change in the history of its row.
func (p player) checkHistoryChange(ctx context.Context, versions string, change map[string]any, changed Response) error {
	told, err := p.mustCall(ctx, http.MethodGet, versions+"/history?per_page=1", nil)
	if err != nil {
		return err
	}
	for key := range change {
		after := told.Get("data.0.changes." + key + ".after")
		if told.Get("data.0.version").Int() != changed.Get("version").Int() || after.Raw != changed.Get(key).Raw {
			return fmt.Errorf("the history does not tell the change %v of version %d: %s", change, changed.Get("version").Int(), told.Body)
		}
	}

	return nil
}

// sameRow compares two answers with a row, but for some keys.
func sameRow(what string, want, got Response, but ...string) error {
	var rows [2]map[string]any
	for i, r := range []Response{want, got} {
		if err := json.Unmarshal(r.Body, &rows[i]); err != nil {
			return err
		}
		maps.DeleteFunc(rows[i], func(key string, _ any) bool { return slices.Contains(but, key) })
	}
	if !reflect.DeepEqual(rows[0], rows[1]) {
		return fmt.Errorf("%s is\n%s\nwant\n%s", what, got.Body, want.Body)
	}

	return nil
}
