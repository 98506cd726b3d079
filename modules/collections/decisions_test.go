package collections_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

var errTide = errs.New(errs.Conflict, "port.tide", "The tide is out.")

// pilot decides about berths: how many at once, and whether they are stored, is in their names.
type pilot struct{ berths *resource.Resource[berth] }

func newPilot(berths *resource.Resource[berth]) *pilot { return &pilot{berths} }

func (p *pilot) decide(ctx context.Context, all []*resource.Change[berth]) error {
	there, err := p.berths.CountBy(ctx, "substr(name, 1, 4)", "name <> ''")
	if err != nil {
		return err
	}
	for i, c := range all {
		switch name := c.After.Name; {
		case c.Verb == resource.Delete:
		case name == "Broken":
			return errTide
		case name == "Dry":
			c.Refuse(errTide)
			c.Refuse(p.berths.Invalid())
		case strings.HasPrefix(name, "Pier"):
			c.After.Name = fmt.Sprintf("Pier %d of %d, %d", i+1, len(all), there["Pier"])
		}
	}

	return nil
}

func decided() []fx.Option {
	return []fx.Option{fx.Provide(newPilot, fx.Private), resource.BeforeAll((*pilot).decide)}
}

func TestBeforeAll_DecidesAboutRowsThatAreWrittenTogether(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		made := y.bulk(t, y.Owner.Token, berth1, true, making(object{"name": "Pier"}), making(object{"name": "Quay"}), making(object{"name": "Pier"})).OK(t)
		require.Equal(t, `["Pier 1 of 3, 0","Quay","Pier 3 of 3, 0"]`, made.Get("data.#.record.name").Raw)
		one, two := made.Get("data.0.record.uuid").String(), made.Get("data.1.record.uuid").String()
		mixed := y.bulk(t, y.Owner.Token, berth1, true,
			object{"do": "delete", "uuid": one}, making(object{"name": "Pier"}), object{"do": "update", "uuid": two, "payload": object{"name": "Pier"}}).OK(t)
		require.Equal(t, `["Pier 2 of 3, 2","Pier 3 of 3, 2"]`, mixed.Get("data.#.record.name").Raw)
		require.Equal(t, "Pier 1 of 1, 3", y.post(t, "/port/api/v1/berths", object{"name": "Pier"}).OK(t).Get("name").String())

		id := y.send(t, y.Owner.Token, berth1, "name\nPier\nQuay 2\n")
		require.EqualValues(t, 2, y.do(t, y.Owner.Token, id, "start").Get("progress.created").Int())
		require.EqualValues(t, 1, y.get(t, "/port/api/v1/berths?count=exact&filter[name]=Pier%201%20of%202,%204").OK(t).Get("meta.total").Int())
	}, decided()...)
}

func TestBeforeAll_RefusesARowAndLeavesTheOthers(t *testing.T) {
	t.Parallel()
	eachPort(t, func(t *testing.T, y yard) {
		t.Helper()
		var items []object
		for i := range 20 {
			items = append(items, making(object{"name": fmt.Sprintf("Quay %d", i)}))
		}
		items[7], items[13], items[16] = making(object{"name": "Dry"}), making(object{"name": "Dry"}), making(object{"name": "Broken"})
		some := y.bulk(t, y.Owner.Token, berth1, false, items...).OK(t)
		require.JSONEq(t, `{"succeeded":17,"failed":3}`, some.Get("meta").Raw)
		for _, i := range []int{7, 13, 16} {
			require.Equal(t, "port.tide", some.Get(fmt.Sprintf("data.%d.error.code", i)).String(), string(some.Body))
		}
		refused := y.bulk(t, y.Owner.Token, berth1, true, making(object{"name": "Quay"}), making(object{"name": "Dry"}))
		require.Equal(t, `{"items.1":["The tide is out."]}`, refused.Get("errors").Raw)
		y.post(t, "/port/api/v1/berths", object{"name": "Dry"}).Refused(t, http.StatusConflict, "port.tide")
		same := object{"do": "update", "uuid": some.Get("data.0.record.uuid").String(), "payload": object{"name": "Quay 0"}}
		require.EqualValues(t, 1, y.bulk(t, y.Owner.Token, berth1, true, same).OK(t).Get("data.0.record.version").Int(), "nothing is changed")
	}, decided()...)
}
