package moduletest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// keepsViews proves of a resource, where the area of collections is among the modules, that a view of its first fields is kept,
// decides about lists, and is gone when it is deleted, and that another company has nothing of it. Row is the uuid of a row, ""
// for none.
func (p player) keepsViews(ctx context.Context, d resource.Description, row string) error {
	served := slices.ContainsFunc(p.app.API.Operations(), func(o web.OperationInfo) bool { return o.ID == "collections_create_view" })
	if !served || slices.Contains(d.Own, resource.List) {
		return nil
	}
	rows, views := "/"+d.Area+"/api/v1"+d.Path, collectionsPath+d.Item+"/views"
	body, err := p.viewOf(ctx, d, rows, row)
	if err != nil {
		return err
	}
	made, err := p.app.call(ctx, p.app.Owner.Token, http.MethodPost, views, body)
	if err != nil || !made.succeeded() {
		return fmt.Errorf("saving the view %v: %w: %s", body, err, made.Body)
	}
	id := made.Get("uuid").String()
	listed, err := p.app.call(ctx, p.app.Owner.Token, http.MethodGet, rows+"?view="+id, nil)
	if found := listed.Get("data.#").Int(); err != nil || !listed.succeeded() || row != "" && (found != 1 || listed.Get("data.0.uuid").String() != row) {
		return fmt.Errorf("the list by the view %v does not have the row %q alone: %w: %s", body, row, err, listed.Body)
	}
	if listed.Get("data.0.version").Exists() {
		return fmt.Errorf("the list by the view %v has other columns: %s", body, listed.Body)
	}
	shown, err := p.app.call(ctx, p.app.Owner.Token, http.MethodGet, views+"/"+id, nil)
	if err != nil || shown.Get("filter.#").Int() != made.Get("filter.#").Int() || shown.Get("broken").Exists() {
		return fmt.Errorf("the view %v is shown otherwise: %w: %s", body, err, shown.Body)
	}

	return errors.Join(
		p.answers(ctx, p.other, http.MethodGet, views+"/"+id, http.StatusNotFound),
		p.answers(ctx, p.other, http.MethodGet, rows+"?view="+id, http.StatusNotFound),
		p.answers(ctx, p.other, http.MethodDelete, views+"/"+id, http.StatusNotFound),
		p.answers(ctx, p.app.Owner.Token, http.MethodDelete, views+"/"+id, http.StatusNoContent),
		p.answers(ctx, p.app.Owner.Token, http.MethodGet, rows+"?view="+id, http.StatusNotFound),
	)
}

// viewOf is a view that has one row alone, by its uuid and the value of the first field of the area that can be filtered by, in the
// order of the first that can be sorted by. The columns are the uuid and the latter.
func (p player) viewOf(ctx context.Context, d resource.Description, rows, row string) (map[string]any, error) {
	columns, body := []string{"uuid"}, map[string]any{"name": "Certified"}
	if i := slices.IndexFunc(d.Fields, func(f resource.FieldDescription) bool { return f.Sortable && !f.ReadOnly }); i >= 0 {
		columns, body["sort"] = append(columns, d.Fields[i].Key), []any{map[string]any{"field": d.Fields[i].Key, "descending": true}}
	}
	body["columns"] = columns
	if row == "" {
		return body, nil
	}
	read, err := p.app.call(ctx, p.app.Owner.Token, http.MethodGet, rows+"/"+row, nil)
	filter := []any{map[string]any{"field": "uuid", "op": "eq", "value": row}}
	if i := slices.IndexFunc(d.Fields, func(f resource.FieldDescription) bool { return f.Filterable && !f.ReadOnly && f.Kind != kind.Time }); i >= 0 {
		condition := map[string]any{"field": d.Fields[i].Key, "op": "eq", "value": read.Get(d.Fields[i].Key).String()}
		if read.Get(d.Fields[i].Key).Type == gjson.Null {
			condition["op"], condition["value"] = "null", "true"
		}
		filter = append(filter, condition)
	}
	body["filter"] = filter

	return body, err
}

// answers reports a call that is answered with another status.
func (p player) answers(ctx context.Context, token, method, path string, want int) error {
	response, err := p.app.call(ctx, token, method, path, nil)
	if err == nil && response.Status != want {
		err = fmt.Errorf("%s %s is answered with %d, want %d: %s", method, path, response.Status, want, response.Body)
	}

	return err
}
