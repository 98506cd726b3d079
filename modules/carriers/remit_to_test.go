package carriers_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/attachments"
	"github.com/dispatchd/dispatchd/modules/carriers"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/hook"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/web"
)

const accountNumber = "9876543210123"

// toBank is a remit-to of a bank account.
func toBank(via string) object {
	return object{
		"kind": "carrier", "payee": "Sample Auto Lines LLC", "method": "ach", "routing_number": "021000021", "account_number": accountNumber,
		"account_type": "checking", "requested_by": "Ann Lee", "requested_via": via,
	}
}

// uploaded stores a file, and returns its uuid.
func uploaded(t *testing.T, a *moduletest.App, name string) string {
	t.Helper()
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.4\n%%EOF\r\n--b--\r\n"

	return a.Call(t, a.Owner.Token, http.MethodPost, "/attachments/api/v1/attachments", body, "Content-Type", "multipart/form-data; boundary=b").OK(t).Get("uuid").String()
}

func TestRemitTo_IsHeldAndVerifiedBeforeItIsEffective(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		made := call(http.MethodPost, carriersPath, sample("9900001")).OK(t)
		at := carriersPath + "/" + made.Get("uuid").String() + "/remit_to"
		require.JSONEq(t, `{"effective": null, "pending": null}`, string(call(http.MethodGet, at, nil).OK(t).Body))

		first := call(http.MethodPost, at, toBank("email")).OK(t)
		require.Equal(t, "pending", first.Get("state").String())
		require.Equal(t, "0123", first.Get("account_last4").String())
		change := first.Header.Get("Location")
		call(http.MethodPost, change+"/verify", object{"via": "email", "channel": "a@example.com", "with": "Bo"}).Refused(t, http.StatusUnprocessableEntity, "carriers.same_channel")
		call(http.MethodPost, change+"/verify", object{"via": "phone", "channel": "+12025550199", "with": "Bo"}).Refused(t, http.StatusUnprocessableEntity, "carriers.not_on_record")
		call(http.MethodPost, change+"/take_effect", nil).Refused(t, http.StatusNotFound, "web.route_not_found")
		record := call(http.MethodGet, area+"/regulator/9900001", nil).OK(t).Get("identity.phone").String()
		verified := call(http.MethodPost, change+"/verify", object{"via": "phone", "channel": record, "with": "Bo Chen, owner"}).OK(t)
		require.Equal(t, "Bo Chen, owner", verified.Get("verified_with").String())
		a.Eventually(t, func() bool { return call(http.MethodGet, change, nil).OK(t).Get("state").String() == "effective" }, "the hold is over")
		require.Equal(t, change, "/carriers/api/v1/remit_to_changes/"+call(http.MethodGet, at, nil).OK(t).Get("effective.uuid").String())
		require.NotContains(t, string(call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t).Body), "payment_redirect", "the first one redirects nothing")

		// A second one replaces a pending one, and warns from the moment that it is proposed.
		stray := call(http.MethodPost, at, toBank("phone")).OK(t)
		second := call(http.MethodPost, at, toBank("letter")).OK(t)
		require.Equal(t, "replaced", call(http.MethodGet, stray.Header.Get("Location"), nil).OK(t).Get("state").String())
		call(http.MethodPost, stray.Header.Get("Location")+"/verify", object{"via": "in_person", "with": "Bo"}).Refused(t, http.StatusConflict, "carriers.remit_to_not_pending")
		require.Contains(t, codesIn(call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t), "warnings"), "payment_redirect")
		call(http.MethodPost, second.Header.Get("Location")+"/cancel", object{"reason": "Nobody at the carrier asked for it."}).OK(t)
		require.NotContains(t, codesIn(call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t), "warnings"), "payment_redirect")
		third := call(http.MethodPost, at, toBank("letter")).OK(t).Header.Get("Location")
		call(http.MethodPost, third+"/verify", object{"via": "in_person", "with": "Bo"}).OK(t)
		a.Eventually(t, func() bool { return call(http.MethodGet, third, nil).OK(t).Get("state").String() == "effective" }, "the hold is over")
		require.Equal(t, "replaced", call(http.MethodGet, change, nil).OK(t).Get("state").String())
		redirected := call(http.MethodPut, carriersPath+"/validate", object{"usdot": "9900001"}).OK(t)
		require.NotEmpty(t, redirected.Get(`warnings.#(code=="payment_redirect").evidence.value`).String())

		names := strings.Join(a.EventNames(t, a.Owner), " ")
		require.Equal(t, 4, strings.Count(names, "carriers.carrier.remit_to_proposed"))
		require.Equal(t, 2, strings.Count(names, "carriers.carrier.remit_to_changed"))
		require.Equal(t, 1, strings.Count(names, "carriers.carrier.remit_to_cancelled"))
		for _, e := range a.Events(t, a.Owner) {
			require.NotContains(t, e.Payload, accountNumber)
		}
		shown := string(call(http.MethodGet, area+"/remit_to_changes", nil).OK(t).Body) + strings.Join(a.Audited(t, a.Owner), " ") + a.Logged()
		require.NotContains(t, shown, accountNumber)
		other := a.NewCompany(t)
		a.Call(t, other.Token, http.MethodGet, at, nil).Refused(t, http.StatusNotFound, "carriers.carrier_not_found")
		a.Call(t, other.Token, http.MethodPost, at, toBank("email")).Refused(t, http.StatusNotFound, "carriers.carrier_not_found")
		a.Call(t, other.Token, http.MethodPost, third+"/verify", object{"via": "in_person", "with": "Eve"}).Refused(t, http.StatusNotFound, "carriers.remit_to_change_not_found")
	}, moduletest.Set(sandbox, "modules.carriers.remit_hold=100ms"))
}

func TestRemitTo_WaitsForItsHoldEvenIfItIsVerified(t *testing.T) {
	t.Parallel()
	fake := clock.NewFake(noon)
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath, sample("9900001")).OK(t)
		at := carriersPath + "/" + made.Get("uuid").String() + "/remit_to"
		change := a.Call(t, a.Owner.Token, http.MethodPost, at, toBank("email")).OK(t)
		require.Equal(t, noon.Add(72*time.Hour).Format(time.RFC3339), change.Get("hold_until").String())
		verified := a.Call(t, a.Owner.Token, http.MethodPost, change.Header.Get("Location")+"/verify", object{"via": "in_person", "with": "Bo"}).OK(t)
		require.Equal(t, "pending", verified.Get("state").String())
		require.Equal(t, "null", a.Call(t, a.Owner.Token, http.MethodGet, at, nil).OK(t).Get("effective").Raw)
	}, moduletest.Set(sandbox), moduletest.With(fx.Decorate(func(clock.Clock) clock.Clock { return fake })))
}

func TestRemitTo_NeedsWhatItsMethodAndItsPayeeNeed(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), attachments.Module), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		at := carriersPath + "/" + call(http.MethodPost, carriersPath, object{"legal_name": "One"}).OK(t).Get("uuid").String() + "/remit_to"
		refused := func(body object, field string) {
			t.Helper()
			got := call(http.MethodPost, at, body).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_remit_to_change")
			require.NotEmpty(t, got.Get("errors."+field+".0").String(), string(got.Body))
			require.NotContains(t, string(got.Body), accountNumber)
		}
		bad := toBank("email")
		bad["routing_number"] = "021000022"
		refused(bad, "routing_number")
		bad["routing_number"], bad["account_number"] = "021000021", accountNumber+"x"
		refused(bad, "account_number")
		refused(object{"kind": "carrier", "payee": "One", "method": "check", "requested_via": "phone"}, "address")
		refused(object{"kind": "carrier", "payee": "One", "method": "card", "requested_via": "phone", "account_number": accountNumber}, "account_number")
		factor := object{
			"kind": "factor", "payee": "Sample Factoring Inc.", "method": "check", "requested_via": "letter",
			"address": object{"line1": "1 Main St", "city": "Dallas", "state": "TX", "postal_code": "75201"},
		}
		refused(factor, "notice_uuid")
		factor["notice_uuid"], factor["notice_date"] = uploaded(t, a, "notice.pdf"), "2026-11-20"
		made := call(http.MethodPost, at, factor).OK(t).Header.Get("Location")
		call(http.MethodPost, made+"/verify", object{"via": "in_person", "with": "Bo"}).OK(t)
		require.Equal(t, "factor", call(http.MethodGet, at, nil).OK(t).Get("effective.kind").String(), "there is no hold here")
		refused(toBank("email"), "release_uuid")
		released := toBank("email")
		released["release_uuid"] = uploaded(t, a, "release.pdf")
		call(http.MethodPost, at, released).OK(t)
	}, moduletest.Set(sandbox, "modules.carriers.remit_hold=0s"))
}

// payer is an area that pays carriers.
type payer struct {
	payees carriersapi.Payees
	db     *database.DB
	// running is whether the first company has a pay run.
	running atomic.Bool
}

var errPayRun = errs.New(errs.Conflict, "payer.pay_run", "A pay run is under way.")

func (p *payer) refuse(_ context.Context, c *carriersapi.ChangingRemitTo) error {
	if c.Effective && p.running.Load() {
		return errPayRun
	}

	return nil
}

type payInput struct {
	UUID string `path:"uuid"`
}

type payOutput struct {
	Body struct {
		Payee  string `json:"payee"`
		Shown  string `json:"shown"`
		Digits int    `json:"digits"`
	}
}

func (p *payer) pay(ctx context.Context, in *payInput) (*payOutput, error) {
	found, err := p.payees.RemitTo(ctx, in.UUID, "nonsense")
	if err != nil {
		return nil, err
	}
	out := &payOutput{}
	out.Body.Payee = found[in.UUID].Payee
	err = p.db.InTx(ctx, func(ctx context.Context) error {
		account, err := p.payees.Account(ctx, found[in.UUID].Change)
		out.Body.Shown, out.Body.Digits = fmt.Sprintf("%v %+v %s", account, account, account), len(account.Reveal())

		return err
	})

	return out, err
}

func (p *payer) start(context.Context, *struct{}) (*struct{}, error) {
	p.running.Store(!p.running.Load())

	return nil, nil
}

func paying() module.Module {
	return module.New("payer", "Pays carriers",
		fx.Provide(func(payees carriersapi.Payees, db *database.DB) *payer { return &payer{payees: payees, db: db} }, fx.Private),
		hook.On((*payer).refuse),
		web.Routes(func(r *web.Router, p *payer) {
			failures := []*errs.Error{errs.New(errs.NotFound, "carriers.remit_to_change_not_found", "There is no such remit to change.")}
			web.Register(r, web.Operation{
				Method: http.MethodPost, Path: "/pay/{uuid}", ID: "pay", Access: web.Write, Summary: "Pay", Errors: failures,
			}, p.pay)
			web.Register(r, web.Operation{Method: http.MethodPost, Path: "/runs", ID: "run", Access: web.Write, Summary: "Start or end a pay run", Errors: failures}, p.start)
		}),
	).Needs(carriersapi.Area)
}

func TestRemitTo_IsRefusedByAreasAndReadByThoseThatPay(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, []module.Module{carriers.Module, paying()}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, http.MethodPost, path, body)
		}
		id := call(carriersPath, object{"legal_name": "One"}).OK(t).Get("uuid").String()
		pay := "/payer/api/v1/pay/" + id
		call(pay, nil).Refused(t, http.StatusNotFound, "carriers.remit_to_change_not_found")
		made := call(carriersPath+"/"+id+"/remit_to", toBank("email")).OK(t).Header.Get("Location")
		seen := object{"via": "in_person", "with": "Bo"}
		call("/payer/api/v1/runs", nil).OK(t)
		call(made+"/verify", seen).Refused(t, http.StatusConflict, "payer.pay_run")
		call("/payer/api/v1/runs", nil).OK(t)
		require.Equal(t, "effective", call(made+"/verify", seen).OK(t).Get("state").String())
		paid := call(pay, nil).OK(t)
		require.JSONEq(t, `{"payee": "Sample Auto Lines LLC", "shown": "…0123 …0123 …0123", "digits": 13}`, string(paid.Body))
		require.Contains(t, a.Audited(t, a.Owner), "carriers.remit_to_change.account_read")
		other := a.NewCompany(t)
		a.Call(t, other.Token, http.MethodPost, pay, nil).Refused(t, http.StatusNotFound, "carriers.remit_to_change_not_found")
	}, moduletest.Set("modules.carriers.remit_hold=0s"))
}
