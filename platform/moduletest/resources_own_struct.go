package moduletest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/platform/kind"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// ownRead and ownState are the keys of formulas that read the struct: a field of it, and the state of its life.
const ownRead, ownState = "own_read", "own_state"

// structRead is a field of the struct that own formulas read: one that changes if there is one, or else the title.
func (c certified) structRead(d resource.Description) (resource.FieldDescription, bool) {
	changes := c.patchOf(d)
	var title resource.FieldDescription
	for _, f := range d.Fields {
		readable := f.Kind == kind.Integer || f.Kind == kind.Text
		if _, changed := changes[f.Key]; changed && readable && !f.Sensitive {
			return f, true
		}
		if f.Key == d.Title {
			title = f
		}
	}

	return title, title.Key != ""
}

// formulasOverStruct are own fields that are computed of the struct.
func (c certified) formulasOverStruct(d resource.Description) map[string]ownValue {
	all := map[string]ownValue{}
	if f, is := c.structRead(d); is {
		text, result := f.Key+` + "!"`, "text"
		if f.Kind == kind.Integer {
			text, result = f.Key+" * 2", "integer"
		}
		all[ownRead] = ownValue{typ: "formula", options: map[string]any{"formula": text, "result": result}, filterable: true}
	}
	if d.State != "" {
		all[ownState] = ownValue{typ: "formula", options: map[string]any{"formula": "upper(" + d.State + ")", "result": "text"}, filterable: true}
	}

	return all
}

// followsStruct compares what formulas have read of the struct with a row, and finds the row by one.
func (p player) followsStruct(ctx context.Context, c certified, d resource.Description, path string) error {
	row, err := p.mustCall(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	own := row.Get(resource.OwnKey)
	if d.State != "" && own.Get(ownState).String() != strings.ToUpper(row.Get(d.State).String()) {
		return fmt.Errorf("the formula over the state is %s: %s", own.Get(ownState).Raw, row.Body)
	}
	f, is := c.structRead(d)
	if !is {
		return nil
	}
	is, want := row.Get(f.Key).String() != "", row.Get(f.Key).String()+"!"
	if f.Kind == kind.Integer {
		want = strconv.FormatInt(2*row.Get(f.Key).Int(), 10)
	}
	if is && own.Get(ownRead).String() != want {
		return fmt.Errorf("the formula over %s is %s, want %s: %s", f.Key, own.Get(ownRead).Raw, want, row.Body)
	}
	list := "/" + d.Area + "/api/v1" + d.Path + "?fields=uuid&filter[uuid]=" + row.Get("uuid").String()
	found, err := p.finds(ctx, p.app.Owner.Token, list+"&filter[custom."+ownRead+"]="+url.QueryEscape(want), "")
	if err == nil && is && !found {
		err = fmt.Errorf("the filter by the formula over %s does not find the row", f.Key)
	}

	return err
}

// findsOwnText proves that q= finds a row by the text that it has in an own field, and not by another one.
func (p player) findsOwnText(ctx context.Context, d resource.Description, row, text, other string) error {
	list := "/" + d.Area + "/api/v1" + d.Path + "?filter[uuid]=" + row + "&q="
	found, err := p.finds(ctx, p.app.Owner.Token, list+url.QueryEscape(disguiseText(text)), row)
	if err == nil && !found {
		err = fmt.Errorf("q= does not find the row by its custom.own_text %q", text)
	}
	if err != nil {
		return err
	}
	found, err = p.finds(ctx, p.app.Owner.Token, list+url.QueryEscape(other), row)
	if err == nil && found {
		err = fmt.Errorf("q= finds the row by %q, which it no longer has", other)
	}

	return err
}

// movesOn takes the first step of a life, if it has one that nobody else takes.
func (p player) movesOn(ctx context.Context, c certified, d resource.Description, path string) error {
	for _, walk := range c.walks(d) {
		if len(walk) > 0 {
			_, err := p.mustCall(ctx, http.MethodPost, path+"/"+walk[0], nil)

			return err
		}
	}

	return nil
}
