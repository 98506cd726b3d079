package companies_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/numbering"
	"github.com/dispatchd/dispatchd/platform/web"
)

// crates is an area that numbers its things: POST /crates/api/v1/crates takes a number.
func crates() module.Module {
	type made struct {
		Body struct {
			Number string `json:"number"`
		}
	}
	type shelf struct {
		db      *database.DB
		numbers *numbering.Numbers
	}

	return module.New("crates", "Crates",
		numbering.Series("crates.big_crate", "C-{yyyy}-{seq:4}"),
		fx.Provide(func(db *database.DB, n *numbering.Numbers) shelf { return shelf{db, n} }, fx.Private),
		web.Routes(func(r *web.Router, s shelf) {
			web.Register(r, web.Operation{
				Method: http.MethodPost, Path: "/crates", ID: "create_crate", Access: web.Write, Summary: "Create a crate", Errors: []*errs.Error{database.ErrUnavailable},
			}, func(ctx context.Context, _ *struct{}) (*made, error) {
				out := &made{}

				return out, s.db.InTx(ctx, func(ctx context.Context) (err error) {
					out.Body.Number, err = s.numbers.Next(ctx, "crates.big_crate")

					return err
				})
			})
		}),
	)
}

func TestNumberSeries_AreShownAndChanged(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(areas(), crates()), func(t *testing.T, booted *moduletest.App) {
		t.Helper()
		a := app{App: booted}
		year := time.Now().UTC().Format("2006") //nolint:forbidigo // the service goes by the machine's clock
		take := func() string {
			return a.Call(t, a.Owner.Token, http.MethodPost, "/crates/api/v1/crates", fields{}).OK(t).Get("number").String()
		}
		shown := a.get(t, a.Owner.Token, "/number_series").OK(t)
		require.JSONEq(t, `{"data": [{"series": "crates.big_crate", "kind": "Big crate", "template": "C-{yyyy}-{seq:4}", "next_number": 1,
			"sample": "C-`+year+`-0001"}]}`, string(shown.Body))
		require.Equal(t, "C-"+year+"-0001", take())

		path := "/number_series/crates.big_crate"
		moved := a.patch(t, a.Owner.Token, path, fields{"next_number": 5000}).OK(t)
		require.Equal(t, []any{int64(5000), "C-" + year + "-5000"}, []any{moved.Get("next_number").Int(), moved.Get("sample").String()})
		require.Equal(t, "C-"+year+"-5000", take())
		back := a.patch(t, a.Owner.Token, path, fields{"next_number": 5000}).Refused(t, http.StatusConflict, "numbering.only_forward")
		require.Contains(t, back.Get("message").String(), "5001")

		both := a.patch(t, a.Owner.Token, path, fields{"template": "BOX-{seq:3}", "next_number": 7}).OK(t)
		require.Equal(t, "BOX-007", both.Get("sample").String())
		require.Equal(t, "BOX-007", take())
		a.patch(t, a.Owner.Token, path, fields{"template": "BOX-{seq:3}", "next_number": 3}).Refused(t, http.StatusConflict, "numbering.only_forward")
		a.patch(t, a.Owner.Token, path, fields{"template": "B{seq:4}", "next_number": 0}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		a.patch(t, a.Owner.Token, path, fields{"template": "{yyy}"}).Refused(t, http.StatusUnprocessableEntity, "numbering.invalid_template")
		a.patch(t, a.Owner.Token, path, fields{"template": "C-{seq:8}"}).OK(t)
		a.patch(t, a.Owner.Token, path, fields{"template": "C-{yyyy}-{seq:4}"}).OK(t)
		require.Equal(t, "C-"+year+"-5001", take(), "a template that is changed back goes on")
		a.patch(t, a.Owner.Token, path, fields{}).Refused(t, http.StatusUnprocessableEntity, "companies.invalid_series")
		missing := a.patch(t, a.Owner.Token, "/number_series/crates.bigcrate", fields{"next_number": 3}).Refused(t, http.StatusNotFound, "companies.series_not_found")
		require.Contains(t, missing.Get("message").String(), "crates.big_crate")

		changes := slices.DeleteFunc(a.actions(t, a.Owner.Token), func(action string) bool { return !strings.HasPrefix(action, "numbering.") })
		require.Equal(t, []string{
			"numbering.template_changed", "numbering.template_changed", "numbering.moved_forward", "numbering.template_changed", "numbering.moved_forward",
		}, changes)
		other := a.get(t, a.NewCompany(t).Token, "/number_series").OK(t)
		require.Equal(t, int64(1), other.Get("data.0.next_number").Int())
	})
}
