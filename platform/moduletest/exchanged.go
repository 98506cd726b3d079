package moduletest

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/platform/resource"
)

const (
	// collectionsArea is the area by whose operations collections are reached.
	collectionsArea = "collections"
	collectionsPath = "/collections/api/v1/collections/"
	importsPath     = "/collections/api/v1/imports/"
	// exchangedRow is the number of the row that is exported, for values that are unique.
	exchangedRow = 8
)

// exchangesResources proves of every resource of the area, without a word of its own, that it is a collection: described,
// grouped, written in bulk, exported, and imported into a company that has none, where it is the same until the import is undone.
func (p player) exchangesResources(ctx context.Context, c certified) error {
	for _, d := range c.own {
		if slices.Contains(d.Own, resource.List) {
			continue
		}
		if err := p.describes(ctx, d); err != nil {
			return fmt.Errorf("collection %s: %w", d.Item, err)
		}
		if err := p.groupsRows(ctx, d); err != nil {
			return fmt.Errorf("collection %s: %w", d.Item, err)
		}
		if slices.Contains(d.Own, resource.Create) || slices.Contains(d.Own, resource.Update) {
			continue // its rows are written by its own operations alone
		}
		if err := p.writesInBulk(ctx, c, d); err != nil {
			return fmt.Errorf("collection %s: %w", d.Item, err)
		}
		if err := p.writesTogether(ctx, c, d); err != nil {
			return fmt.Errorf("collection %s: %w", d.Item, err)
		}
		if err := p.keepsOwnFields(ctx, c, d); err != nil {
			return fmt.Errorf("own fields of %s: %w", d.Item, err)
		}
		if c.bound(d) {
			continue // its rows are of no use in another company
		}
		if err := p.exchanges(ctx, c, d); err != nil {
			return fmt.Errorf("collection %s: %w", d.Item, err)
		}
		if err := p.keepsHistory(ctx, d); err != nil {
			return fmt.Errorf("history of %s: %w", d.Item, err)
		}
	}

	return nil
}

// bound reports whether a row must name what another company cannot have: a user, or a thing of which no resource is known.
func (c certified) bound(d resource.Description) bool {
	return slices.ContainsFunc(d.Fields, func(f resource.FieldDescription) bool {
		known := slices.ContainsFunc(c.all, func(other resource.Description) bool { return other.Item == f.Item })

		return f.Required && !f.ReadOnly && strings.HasSuffix(f.Key, "_uuid") && !known
	})
}

// describes finds each field of a resource in the description of the collection.
func (p player) describes(ctx context.Context, d resource.Description) error {
	described, err := p.mustCall(ctx, http.MethodGet, collectionsPath+d.Item, nil)
	if err != nil {
		return err
	}
	keys := map[string]bool{}
	for _, key := range described.Get("fields.#.key").Array() {
		keys[key.String()] = true
	}
	for key := range d.Body.Properties {
		if !keys[key] && key != resource.OwnKey {
			return fmt.Errorf("its description has no field %s: %s", key, described.Body)
		}
	}

	return nil
}

// exchanges takes a row with as many values as can be guessed to another company and back out.
func (p player) exchanges(ctx context.Context, c certified, d resource.Description) error {
	if err := p.fill(ctx, c, d); err != nil {
		return err
	}
	fresh, err := p.app.newCompany(ctx)
	if err != nil {
		return err
	}
	app := *p.app
	app.Owner = fresh
	there := p
	there.app, there.saved = &app, maps.Clone(p.saved)

	columns := exchangeableKeys(d)
	path := collectionsPath + d.Item + "/export?fields=" + strings.Join(columns, ",")
	out, err := p.mustCall(ctx, http.MethodGet, path+"&filter[uuid]="+p.saved["exchanged"], nil)
	if err != nil {
		return err
	}
	file, err := there.mapped(ctx, c, d, string(out.Body))
	if err != nil {
		return err
	}
	head, rows, _ := strings.Cut(file, "\n")
	if rows == "" {
		return fmt.Errorf("the export has no row: %s", file)
	}

	return there.imports(ctx, d, file, head+"\n", path)
}

// imports tries a file, imports it, compares, and undoes the import.
func (p player) imports(ctx context.Context, d resource.Description, file, none, export string) error {
	sent, err := p.mustCall(ctx, http.MethodPost, collectionsPath+d.Item+"/imports", file, "Content-Type", "text/csv")
	if err != nil {
		return err
	}
	id := sent.Get("uuid").String()
	for _, step := range []struct{ verb, state, count, file string }{
		{"dry_run", "ready", "dry_run.created", none},
		{"start", "completed", "progress.created", file},
		{"undo", "undone", "progress.undone", none},
	} {
		done, err := p.importStep(ctx, id, step.verb)
		if err != nil {
			return err
		}
		if done.Get("state").String() != step.state || done.Get(step.count).Int() != 1 {
			report := map[string]string{"start": "run"}[step.verb]
			failed, err := p.app.call(ctx, p.app.Owner.Token, http.MethodGet, importsPath+id+"/errors?of="+cmp.Or(report, step.verb), nil)

			return errors.Join(err, fmt.Errorf("%s of an exported file: want %s with 1 row: %s\n%s", step.verb, step.state, done.Body, failed.Body))
		}
		exported, err := p.mustCall(ctx, http.MethodGet, export, nil)
		if err != nil {
			return err
		}
		if string(exported.Body) != step.file {
			return fmt.Errorf("after %s, the export is\n%s\nwant\n%s", step.verb, exported.Body, step.file)
		}
	}

	return nil
}

// importStep takes a step with an import, and waits until nobody works on it any more.
func (p player) importStep(ctx context.Context, id, verb string) (Response, error) {
	if _, err := p.mustCall(ctx, http.MethodPost, importsPath+id+"/"+verb, nil); err != nil {
		return Response{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		shown, err := p.mustCall(ctx, http.MethodGet, importsPath+id, nil)
		if err != nil || !slices.Contains([]string{"checking", "running", "undoing"}, shown.Get("state").String()) {
			return shown, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return shown, fmt.Errorf("%s does not end: %w", verb, ctx.Err())
		}
	}
}

// mustCall calls as the owner, and must succeed.
func (p player) mustCall(ctx context.Context, method, path string, body any, headers ...string) (Response, error) {
	response, err := p.app.call(ctx, p.app.Owner.Token, method, path, body, headers...)
	if err == nil && !response.succeeded() {
		err = fmt.Errorf("%s %s: status %d: %s%s", method, path, response.Status, response.Body, response.reason())
	}

	return response, err
}

// fill makes a row that has every value that can be guessed, but for those that the area refuses beside the others.
func (p player) fill(ctx context.Context, c certified, d resource.Description) error {
	calls, err := c.creating(d, "exchanged", exchangedRow)
	if err != nil {
		return err
	}
	call := calls[len(calls)-1]
	for _, before := range calls[:len(calls)-1] {
		if err := p.create(ctx, before); err != nil {
			return err
		}
	}
	body, _ := call.Body.(map[string]any)
	for _, f := range d.Fields {
		if _, has := body[f.Key]; has || f.ReadOnly || f.Item != "" || f.User || f.AnyItem {
			continue
		}
		if value, ok := sampleOf(d.Body.Properties[f.Key], f, exchangedRow); ok {
			body[f.Key] = value
		}
	}
	for {
		err := p.create(ctx, call)
		refusal, refused := errors.AsType[refusedError](err)
		before := len(body)
		for field := range refusal.response.Get("errors").Map() {
			key, _, _ := strings.Cut(field, ".")
			delete(body, key)
		}
		if !refused || len(body) == before {
			return err
		}
	}
}

// refusedError is an answer that is no success.
type refusedError struct{ response Response }

// Error implements error.
func (e refusedError) Error() string {
	return fmt.Sprintf("status %d: %s%s", e.response.Status, e.response.Body, e.response.reason())
}

// exchangeableKeys are the keys that a file takes to another company: what names things of the first one stays, unless a row
// cannot be without.
func exchangeableKeys(d resource.Description) []string {
	var keys []string
	for _, f := range d.Fields {
		if !f.ReadOnly && (f.Required || (f.Item == "" && !f.User && !f.AnyItem)) {
			keys = append(keys, f.Key)
		}
	}

	return keys
}

// mapped puts things of this company in the place of those that a file names.
func (p player) mapped(ctx context.Context, c certified, d resource.Description, file string) (string, error) {
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		return "", err
	}
	for _, f := range d.Fields {
		column := slices.Index(rows[0], f.Key)
		target := slices.IndexFunc(c.all, func(other resource.Description) bool { return other.Item == f.Item })
		if f.Item == "" || column < 0 || target < 0 {
			continue
		}
		calls, err := c.creating(c.all[target], "mapped_"+f.Key, 1)
		for _, call := range calls {
			err = errors.Join(err, p.create(ctx, call))
		}
		if err != nil {
			return "", err
		}
		for _, row := range rows[1:] {
			row[column] = p.saved["mapped_"+f.Key]
		}
	}
	var out strings.Builder
	err = csv.NewWriter(&out).WriteAll(rows)

	return out.String(), err
}
