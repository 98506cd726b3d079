package square

import (
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
	"github.com/dispatchd/dispatchd/modules/companies/companiesapi"
	"github.com/dispatchd/dispatchd/modules/square/internal/gateway"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/web"
)

//go:embed page
var pageFiles embed.FS

// door has the operations by which merchants connect.
type door struct {
	application *application
	connector   *connector
	opener      *opener
	brands      companiesapi.Brands
	layout      *page.Layout
}

func newDoor(app *application, c *connector, o *opener, b companiesapi.Brands) *door {
	return &door{app, c, o, b, page.New(page.Parts{Content: page.File(pageFiles, "page/connect.html")})}
}

func oauthRoutes(r *web.Router, d *door) {
	scope := web.Scope("accounts")
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/oauth", ID: "read_oauth", Access: scope, Summary: "Read what to enter at Square for OAuth",
		Description: "For who keeps the deployment's application at Square.", Errors: []*errs.Error{errNoApplication},
	}, d.getOAuth)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/oauth/start", ID: "start_oauth", Access: scope, Secret: true, Summary: "Connect an account at Square with OAuth",
		Description: "Open the url in the browser of the merchant, who allows the access at Square within 15 minutes and confirms it on our page.",
		Errors:      []*errs.Error{errNoApplication, errInvalid, cardsapi.ErrAccount},
	}, d.postStart)
	refusals := append(slices.Clone(link.Refusals), errNotConnected, errDown)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/oauth/callback", ID: "read_oauth_callback", Access: web.Public, Summary: "Come back from Square",
		Description: "Square sends the merchant's browser here. Reading changes nothing: the page asks whether to connect the account to the company it names.",
		Errors:      refusals, Page: d.callbackPage,
	}, d.getCallback)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/oauth/callback", ID: "finish_oauth", Access: web.Public, Summary: "Confirm the connection", Timeout: requestTimeout,
		Description: "Exchanges the code for tokens, which are stored with the account.",
		Errors:      append(refusals, cardsapi.ErrAccount, cardsapi.ErrInvalid), Form: callbackForm, Page: d.finishedPage,
	}, d.postCallback)
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/oauth/revoke", ID: "revoke_oauth", Access: scope, Summary: "Revoke the access to an account at Square",
		Description: "Ends the access of this application to the merchant, of all accounts that were connected by it. What was charged stays.", Timeout: requestTimeout,
		Errors: append(slices.Clone(which), errNotOAuth, errNotConnected, errDown, errHeader),
	}, d.postRevoke)
}

type oauthOutput struct {
	Body struct {
		ApplicationID string   `json:"application_id"`
		RedirectURL   string   `json:"redirect_url" doc:"The redirect URL of the application."`
		NotifyURL     *string  `json:"notify_url" doc:"The notification URL of the webhook subscription; null if the service has no public address."`
		Scopes        []string `json:"scopes" nullable:"false" doc:"What merchants are asked for."`
	}
}

func (d *door) getOAuth(context.Context, *struct{}) (*oauthOutput, error) {
	if !d.application.exists() {
		return nil, errNoApplication
	}
	out := &oauthOutput{}
	out.Body.ApplicationID, out.Body.RedirectURL, out.Body.NotifyURL = d.application.id(), d.application.redirectURL(), web.Optional(d.application.notifyURL())
	out.Body.Scopes = gateway.Scopes

	return out, nil
}

type startInput struct {
	Body struct {
		Name        string    `json:"name,omitempty" maxLength:"100" default:"Square" doc:"Name of the new account."`
		AccountUUID uuid.UUID `json:"account_uuid,omitzero" doc:"An account to connect again, in place of a new one."`
		LocationID  string    `json:"location_id,omitempty" maxLength:"100" doc:"The location that payments are made at; by default the merchant's main location."`
	}
}

type startOutput struct {
	Body struct {
		URL       string    `json:"url"`
		ExpiresAt time.Time `json:"expires_at"`
	}
}

func (d *door) postStart(ctx context.Context, in *startInput) (*startOutput, error) {
	w := wish{Name: in.Body.Name, Location: in.Body.LocationID}
	if in.Body.AccountUUID != uuid.Nil {
		w.Name, w.Account = "", in.Body.AccountUUID.String()
	}
	address, until, err := d.connector.start(ctx, w)
	out := &startOutput{}
	out.Body.URL, out.Body.ExpiresAt = address, until

	return out, err
}

// callbackBody is what the page shows.
type callbackBody struct {
	Brand page.Brand `json:"brand"`
	Code  string     `json:"code" doc:"Square's code, for the confirmation; empty if access was denied."`
	State string     `json:"state"`
	Error string     `json:"error" doc:"Square's word for why there is no code; empty if there is one."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (callbackBody) SchemaName() string { return "SquareConnection" }

type callbackInput struct {
	State string `query:"state" maxLength:"200"`
	Code  string `query:"code" maxLength:"500"`
	Error string `query:"error" maxLength:"200" doc:"Such as access_denied."`

	// Square sends these too.
	ResponseType     string `query:"response_type" maxLength:"50"`
	ErrorDescription string `query:"error_description" maxLength:"1000"`
}

type callbackOutput struct{ Body callbackBody }

func (d *door) getCallback(ctx context.Context, in *callbackInput) (*callbackOutput, error) {
	ctx, err := d.connector.enter(ctx, in.State)
	if err != nil {
		return nil, err
	}
	brand, err := d.brands.Brand(ctx)
	body := callbackBody{Brand: page.Brand(brand), Code: in.Code, State: in.State, Error: in.Error}
	if in.Code == "" && in.Error == "" {
		body.Error = "no_code"
	}

	return &callbackOutput{body}, err
}

// connectForms are the forms of the page.
type connectForms struct{ Forms []page.Form }

// callbackPage asks the merchant whether the account is to be this company's: whoever else has sent the address could not have asked that.
func (d *door) callbackPage(a web.Answer) web.Page {
	var b callbackBody
	if a.Status != http.StatusOK || json.Unmarshal(a.JSON, &b) != nil {
		return d.layout.Refused(a, noLabel)
	}
	shown := page.Page{Brand: b.Brand, Heading: "Connect Square", Texts: []string{
		b.Brand.Name + " will be able to charge cards at your Square account, and to see its payments and customers.",
		"Only go on if you know " + b.Brand.Name + ". You can end the access at Square at any time.",
	}, Content: connectForms{[]page.Form{{Hidden: map[string]string{"code": b.Code, "state": b.State}, Submit: "Connect to " + b.Brand.Name}}}}
	if b.Error != "" {
		shown.Texts, shown.Content = []string{"You can close this page, or start again."}, nil
		shown.Problems = []string{"Square was not connected, because access was not allowed there."}
	}

	return d.layout.Show(shown)
}

type finishInput struct{ Body finishBody }

type finishBody struct {
	State string `json:"state" minLength:"1" maxLength:"200"`
	Code  string `json:"code" minLength:"1" maxLength:"500"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (finishBody) SchemaName() string { return "SquareConfirmation" }

func callbackForm(form url.Values) any {
	return map[string]string{"state": form.Get("state"), "code": form.Get("code")}
}

type finishOutput struct {
	Body struct {
		Name string `json:"name" doc:"Name of the account that is connected."`
	}
}

func (d *door) postCallback(ctx context.Context, in *finishInput) (*finishOutput, error) {
	account, err := d.connector.finish(ctx, in.Body.State, in.Body.Code)
	out := &finishOutput{}
	out.Body.Name = account.Name

	return out, err
}

func (d *door) finishedPage(a web.Answer) web.Page {
	if a.Status != http.StatusOK {
		return d.layout.Refused(a, noLabel)
	}

	return d.layout.Show(page.Page{Heading: "Square is connected", Texts: []string{"You can close this page."}})
}

// noLabel is for pages whose fields nobody sees.
func noLabel(string) string { return "" }

type revokeInput struct {
	Body struct {
		AccountUUID uuid.UUID `json:"account_uuid,omitzero" doc:"By default the only enabled account at Square."`
	}
}

func (d *door) postRevoke(ctx context.Context, in *revokeInput) (*struct{}, error) {
	if database.InTransaction(ctx) {
		return nil, errHeader // nobody is called in a transaction
	}
	chosen, err := d.opener.account(ctx, in.Body.AccountUUID)
	if err != nil {
		return nil, err
	}

	return nil, d.connector.revoke(ctx, chosen)
}
