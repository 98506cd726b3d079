package moduletest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/web"
)

// Fixture is testdata/certify.yaml: calls that use every operation of an area in an order in which
// each succeeds. Values of an answer are kept under a name and stand in later calls as ${name}:
//
//	calls:
//	  - operation: notes_create_note
//	    body: {text: Hello}
//	    save: {note: uuid}          # name: path in the JSON answer
//	  - operation: notes_read_note
//	    path: {uuid: "${note}"}
//	  - operation: notes_list_notes
//	    query: {"filter[text]": Hello}
//
// ${tomorrow} is this time of tomorrow. {type: certify.thing, uuid: 0190d0c0-0000-7000-8000-0000000000ce} is an item of every company, and certify.box a resource. The calls are the owner's, or the operator's where the operation is for the operator. A call with
// a token is whose token that is: token: "${session}". A call that cannot succeed in a service with its defaults
// says with which code it is refused to who may call: refused: attachments.no_scanner. A call that looks for what a job
// brings about says what its answer has then, and is repeated until it does: until: {data.0.state: sent}; "" is anything
// but null. Each POST has an Idempotency-Key, unless the operation takes none: keyless: true.
//
// An area that is about the items of others names some of those, whose operations its calls may use too: with: [companies].
//
// The operations that a resource (platform/resource) has are called without a word here, with values that its tags allow.
// Where nobody can guess these, or the area's decisions refuse them, there is a body that creates one; a verb of its
// life that takes more than that is called above.
//
//	resources:
//	  trucks.truck: {unit: T-1, vin: 1FUJA6CV45LM12345}
type Fixture struct {
	With      []string                  `yaml:"with"`
	Calls     []FixtureCall             `yaml:"calls"`
	Resources map[string]map[string]any `yaml:"resources"`
}

// FixtureCall is one call of a fixture.
type FixtureCall struct {
	Operation string            `yaml:"operation"`
	Path      map[string]string `yaml:"path"`
	Query     map[string]string `yaml:"query"`
	Headers   map[string]string `yaml:"headers"`
	Body      any               `yaml:"body"`
	Save      map[string]string `yaml:"save"`
	Token     string            `yaml:"token"`
	Refused   string            `yaml:"refused"`
	Until     map[string]string `yaml:"until"`
	Keyless   bool              `yaml:"keyless"`

	// refers says that the call creates a row that refers to items: those of another company are wrong values.
	refers bool
}

func parseFixture(text []byte) (Fixture, error) {
	var f Fixture
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return Fixture{}, fmt.Errorf("certify.yaml: %w", err)
	}

	return f, nil
}

// answersFixture plays the fixture as the owner and proves, before each call, who is refused it.
func answersFixture(ctx context.Context, s subject) error {
	return s.booted(ctx, append(s.alone(append(s.ownFieldsAreas(), append(s.fixture.With, collectionsArea)...)...), certifyArea()), func(a *App) error {
		other, err := a.newCompany(ctx)
		if err != nil {
			return err
		}
		a.Identity.KnowScopes(nil) // there is no scope that no operation asks for
		powerless, err := a.token(ctx, a.Owner, "certify:nothing")
		if err != nil {
			return err
		}
		p := player{app: a, other: other.Token, powerless: powerless, saved: map[string]string{
			"tomorrow": clock.System{}.Now().Add(24 * time.Hour).Format(time.RFC3339),
		}}
		if p.operator, err = a.operator(ctx, "*"); err != nil {
			return err
		}
		if p.powerlessOperator, err = a.operator(ctx, "certify:nothing"); err != nil {
			return err
		}
		resources := s.certified(a)
		generated, err := resources.calls()
		if err != nil {
			return err
		}
		for _, call := range slices.Concat(s.fixture.Calls, generated) {
			if err := p.play(ctx, call); err != nil {
				return fmt.Errorf("operation %q: %w", call.Operation, err)
			}
		}

		if err := p.keepResourceRules(ctx, resources); err != nil {
			return err
		}
		if !slices.ContainsFunc(s.modules, func(m module.Module) bool { return m.ID() == collectionsArea }) {
			return nil // a test of the platform, which has no areas
		}

		return p.exchangesResources(ctx, resources)
	})
}

// ownFieldsAreas are the ids of the areas that keep the fields that companies add to resources: one, or none.
func (s subject) ownFieldsAreas() []string {
	var ids []string
	for _, m := range s.modules {
		if slices.ContainsFunc(m.Contributions(), func(c module.Contribution) bool { return c.Kind == resource.OwnFieldsKind }) {
			ids = append(ids, m.ID())
		}
	}

	return ids
}

// player plays a fixture and keeps what its answers saved.
type player struct {
	app                         *App
	other, powerless            string
	operator, powerlessOperator string
	saved                       map[string]string
}

func (p player) play(ctx context.Context, call FixtureCall) error {
	operations := p.app.API.Operations()
	i := slices.IndexFunc(operations, func(o web.OperationInfo) bool { return o.ID == call.Operation })
	if i < 0 {
		return errors.New("the fixture calls it, but it is not served")
	}
	send := func(token string) (Response, error) { return p.send(ctx, operations[i], call, token) } // the call as it is then
	if operations[i].Access != web.Public {
		if err := p.refuses(send, operations[i], call); err != nil {
			return err
		}
	}

	who, token := p.caller(operations[i], call)
	if operations[i].Method == http.MethodPost && call.Until == nil && !call.Keyless {
		call = call.keyed()
	}
	response, err := call.patiently(ctx, func() (Response, error) { return send(token) })
	if err != nil {
		return err
	}
	if call.Refused != "" {
		if code := response.Get("code").String(); response.succeeded() || code != call.Refused {
			return fmt.Errorf("%s got %d, and not %s: %s", who, response.Status, call.Refused, response.Body)
		}

		return nil
	}
	if !response.succeeded() {
		return fmt.Errorf("%s got %d: %s%s", who, response.Status, response.Body, response.reason())
	}
	if err := p.trims(ctx, operations[i], call, token, response); err != nil {
		return err
	}
	for name, path := range call.Save {
		value := response.Get(path)
		if !value.Exists() {
			return fmt.Errorf("save %q: the answer has no %q: %s", name, path, response.Body)
		}
		p.saved[name] = value.String()
	}

	return nil
}

// trims repeats the call of a list with each key of its first item in fields=, for the document to be kept to with it.
func (p player) trims(ctx context.Context, o web.OperationInfo, call FixtureCall, token string, response Response) error {
	if o.Method != http.MethodGet {
		return nil
	}
	for key := range response.Get("data.0").Map() {
		trimmed := call
		trimmed.Query = maps.Clone(call.Query)
		if trimmed.Query == nil {
			trimmed.Query = map[string]string{}
		}
		trimmed.Query["fields"] = key
		if _, err := p.send(ctx, o, trimmed, token); err != nil {
			return err
		}
	}

	return nil
}

// keyed is the call with an Idempotency-Key, which puts all of it into one transaction. Where an operation takes none, it
// makes no difference.
func (c FixtureCall) keyed() FixtureCall {
	c.Headers = maps.Clone(c.Headers)
	if c.Headers == nil {
		c.Headers = map[string]string{}
	}
	c.Headers["Idempotency-Key"] = uuid.NewString()

	return c
}

// repeatEvery is how often a call is repeated that looks for what a job brings about.
const repeatEvery = 50 * time.Millisecond

// patiently repeats a call until its answer has what it looks for.
func (c FixtureCall) patiently(ctx context.Context, send func() (Response, error)) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(repeatEvery)
	defer tick.Stop()
	for {
		response, err := send()
		if err != nil || c.has(response) {
			return response, err
		}
		select {
		case <-ctx.Done():
			return response, fmt.Errorf("the answer does not come to %v: %s", c.Until, response.Body)
		case <-tick.C:
		}
	}
}

func (c FixtureCall) has(response Response) bool {
	for path, want := range c.Until {
		value := response.Get(path)
		if want == "" && (!value.Exists() || value.Type == gjson.Null) || want != "" && value.String() != want {
			return false
		}
	}

	return true
}

// caller returns who makes a call, and the token.
func (p player) caller(o web.OperationInfo, call FixtureCall) (who, token string) {
	switch {
	case call.Token != "":
		return "whose token it is", os.Expand(call.Token, func(name string) string { return p.saved[name] })
	case o.Callers == web.OfOperator:
		return "the operator", p.operator
	default:
		return "the owner", p.app.Owner.Token
	}
}

// refused is somebody whom a call must refuse.
type refused struct {
	who, token string
	status     int
}

// strangers are those whom a call must refuse.
func (p player) strangers(o web.OperationInfo, call FixtureCall) []refused {
	all := []refused{{"a caller without a token", "", http.StatusUnauthorized}}
	if o.Callers == web.OfOperator {
		return append(all,
			refused{"a token of the operator without the scope", p.powerlessOperator, http.StatusForbidden},
			refused{"the owner of a company", p.app.Owner.Token, http.StatusForbidden})
	}
	if o.Access != web.SignedIn {
		all = append(all, refused{"a token without the scope", p.powerless, http.StatusForbidden})
	}
	if o.Callers == web.OfCompany {
		all = append(all, refused{"the operator", p.operator, http.StatusForbidden})
	}
	switch {
	case call.refers, call.namesThing() && !call.withoutBody().namesThing():
		all = append(all, refused{"another company", p.other, http.StatusUnprocessableEntity})
	case call.namesThing():
		all = append(all, refused{"another company", p.other, http.StatusNotFound})
	}

	return all
}

// refuses proves that nobody but the company with the scope gets an answer.
func (p player) refuses(send func(token string) (Response, error), o web.OperationInfo, call FixtureCall) error {
	for _, w := range p.strangers(o, call) {
		response, err := send(w.token)
		if err != nil {
			return err
		}
		// What a body refers to is a wrong value, or is said not to be there.
		missing := w.status == http.StatusUnprocessableEntity && response.Status == http.StatusNotFound
		if response.Status != w.status && !missing {
			return fmt.Errorf("%s got %d, want %d: %s%s", w.who, response.Status, w.status, response.Body, response.reason())
		}
	}

	return nil
}

// namesThing reports whether the call names something that an earlier call of the company made.
func (c FixtureCall) namesThing() bool {
	c.Token = ""
	text, err := yaml.Marshal(c)

	return err == nil && bytes.Contains(text, []byte("${"))
}

// withoutBody is the call without its body.
func (c FixtureCall) withoutBody() FixtureCall {
	c.Body = nil

	return c
}

// send makes the request of a call.
func (p player) send(ctx context.Context, o web.OperationInfo, call FixtureCall, token string) (Response, error) {
	fill := func(text string) string { return os.Expand(text, func(name string) string { return p.saved[name] }) }
	path := o.Path
	for name, value := range call.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(fill(value)))
	}
	if len(call.Query) > 0 {
		query := url.Values{}
		for name, value := range call.Query {
			query.Set(name, fill(value))
		}
		path += "?" + query.Encode()
	}
	headers := make([]string, 0, 2*len(call.Headers))
	for name, value := range call.Headers {
		headers = append(headers, name, fill(value))
	}

	return p.app.call(ctx, token, o.Method, path, fillBody(call.Body, fill), headers...)
}

// fillBody replaces ${name} in every string of a body.
func fillBody(body any, fill func(string) string) any {
	switch b := body.(type) {
	case string:
		return fill(b)
	case map[string]any:
		filled := make(map[string]any, len(b))
		for key, value := range b {
			filled[key] = fillBody(value, fill)
		}

		return filled
	case []any:
		filled := make([]any, len(b))
		for i, value := range b {
			filled[i] = fillBody(value, fill)
		}

		return filled
	default:
		return body
	}
}
