package moduletest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// groupsRows proves of a resource that its rows are grouped by each field that can be: the counts come to the number of rows, for
// the company and for another one.
func (p player) groupsRows(ctx context.Context, d resource.Description) error {
	var keys, numbers []string
	for _, f := range d.Fields {
		switch {
		case f.Filterable && f.Kind == kind.Time:
			keys = append(keys, f.Key+":day")
		case f.Filterable && (f.Sortable || f.Kind != kind.Text):
			keys = append(keys, f.Key)
		}
		if f.Kind == kind.Decimal || f.Kind == kind.Integer && f.Filterable {
			numbers = append(numbers, f.Key)
		}
	}
	var problems []error
	for i, key := range keys {
		query := "?group_by=" + key
		if i == 0 && numbers != nil {
			query += "&sum=" + strings.Join(numbers[:min(len(numbers), 4)], ",")
		}
		for _, token := range []string{p.app.Owner.Token, p.other} {
			problems = append(problems, p.groupsAll(ctx, d, token, query))
		}
	}

	return errors.Join(problems...)
}

// groupsAll proves that groups have all rows of the company whose token it is.
func (p player) groupsAll(ctx context.Context, d resource.Description, token, query string) error {
	listed, err := p.app.call(ctx, token, http.MethodGet, "/"+d.Area+"/api/v1"+d.Path+"?count=exact&per_page=1", nil)
	if err != nil || !listed.succeeded() {
		return fmt.Errorf("the list is answered with %d: %w: %s", listed.Status, err, listed.Body)
	}
	groups, err := p.app.call(ctx, token, http.MethodGet, collectionsPath+d.Item+"/groups"+query, nil)
	if err != nil || !groups.succeeded() {
		return fmt.Errorf("groups%s is answered with %d: %w: %s", query, groups.Status, err, groups.Body)
	}
	var counted int64
	for _, n := range groups.Get("data.#.count").Array() {
		counted += n.Int()
	}
	if want := listed.Get("meta.total").Int(); counted != want || groups.Get("meta.total").Int() != want {
		return fmt.Errorf("groups%s count %d rows of %d: %s", query, counted, want, groups.Body)
	}

	return nil
}
