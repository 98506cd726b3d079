package moduletest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/resource"
)

// bulkRow is the number of the row that is made in bulk, for values that are unique.
const bulkRow = 7

// writesInBulk proves of a resource that the rows of its collection are written in bulk: one is made, changed and deleted,
// each beside an item that fails; of an atomic request with such an item nothing is done, and a row of another company is not
// there.
func (p player) writesInBulk(ctx context.Context, c certified, d resource.Description) error {
	calls, err := c.creating(d, "bulk", bulkRow)
	if err != nil {
		return err
	}
	for _, before := range calls[:len(calls)-1] {
		if err := p.create(ctx, before); err != nil {
			return err
		}
	}
	values := fillBody(calls[len(calls)-1].Body, func(text string) string {
		return os.Expand(text, func(name string) string { return p.saved[name] })
	})
	rows := "/" + d.Area + "/api/v1" + d.Path + "/"
	unknown := map[string]any{"do": "delete", "uuid": uuid.NewString()}
	missing, err := p.app.call(ctx, p.app.Owner.Token, http.MethodGet, rows+uuid.NewString(), nil)
	if err != nil {
		return err
	}
	if err := p.refusesBulk(ctx, d, map[string]any{"do": "create", "payload": values}, unknown); err != nil {
		return err
	}
	made, err := p.bulk(ctx, d, "web.invalid",
		map[string]any{"do": "create", "payload": map[string]any{"no_such_key": 1}}, map[string]any{"do": "create", "payload": values})
	if err != nil {
		return err
	}
	row := made.Get("data.1.record.uuid").String()
	read, err := p.mustCall(ctx, http.MethodGet, rows+row, nil)
	if err != nil {
		return err
	}
	if patch := changeOf(d, read); patch != nil {
		change := map[string]any{"do": "update", "uuid": row, "version": read.Get("version").Int(), "payload": patch}
		stale := map[string]any{"do": "update", "uuid": row, "version": read.Get("version").Int() + 1, "payload": patch}
		changed, err := p.bulk(ctx, d, "web.stale", stale, change)
		if err != nil {
			return err
		}
		for key := range patch {
			if changed.Get("data.1.record."+key).Raw == read.Get(key).Raw {
				return fmt.Errorf("bulk %v leaves the row as it was: %s", change, changed.Body)
			}
		}
	}
	strange := map[string]any{"atomic": false, "items": []any{map[string]any{"do": "update", "uuid": row, "payload": map[string]any{}}}}
	refused, err := p.app.call(ctx, p.other, http.MethodPost, collectionsPath+d.Item+"/bulk", strange)
	if err != nil || refused.Get("data.0.error.code").String() != missing.Get("code").String() {
		return fmt.Errorf("another company changes a row: want %s: %w: %s", missing.Get("code").String(), err, refused.Body)
	}
	if slices.Contains(d.Own, resource.Delete) {
		return nil
	}
	if _, err := p.bulk(ctx, d, missing.Get("code").String(), unknown, map[string]any{"do": "delete", "uuid": row}); err != nil {
		return err
	}

	return p.answers(ctx, p.app.Owner.Token, http.MethodGet, rows+row, http.StatusNotFound)
}

// bulk does two items by themselves, of which the first must fail with a code, and the second succeed.
func (p player) bulk(ctx context.Context, d resource.Description, code string, items ...any) (Response, error) {
	done, err := p.mustCall(ctx, http.MethodPost, collectionsPath+d.Item+"/bulk", map[string]any{"atomic": false, "items": items})
	if err == nil && (done.Get("data.#.ok").Raw != "[false,true]" || done.Get("data.0.error.code").String() != code) {
		err = fmt.Errorf("bulk %v: want the first item to fail with %s and the second to succeed: %s", items, code, done.Body)
	}

	return done, err
}

// refusesBulk does two items together, of which the second fails.
func (p player) refusesBulk(ctx context.Context, d resource.Description, items ...any) error {
	rows := func() (Response, error) {
		return p.mustCall(ctx, http.MethodGet, "/"+d.Area+"/api/v1"+d.Path+"?count=exact&per_page=1", nil)
	}
	before, err := rows()
	if err != nil {
		return err
	}
	refused, err := p.app.call(ctx, p.app.Owner.Token, http.MethodPost, collectionsPath+d.Item+"/bulk", map[string]any{"items": items})
	if err != nil {
		return err
	}
	named := slices.Collect(maps.Keys(refused.Get("errors").Map()))
	if refused.Status != http.StatusUnprocessableEntity || !slices.Equal(named, []string{"items.1"}) {
		return fmt.Errorf("an atomic bulk request of which the second item fails is answered with %d, want 422 that names items.1: %s", refused.Status, refused.Body)
	}
	after, err := rows()
	if err == nil && before.Get("meta.total").Int() != after.Get("meta.total").Int() {
		err = fmt.Errorf("an atomic bulk request that is refused leaves rows: %s", after.Body)
	}

	return err
}
