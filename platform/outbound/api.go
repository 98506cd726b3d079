package outbound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/dispatchd/dispatchd/platform/secret"
)

// Authorize puts what authorizes a request into its header. It is called for each call, so that a
// secret is kept nowhere longer than that.
type Authorize func(ctx context.Context, header http.Header) error

// Basic is HTTP's basic authentication (RFC 7617) with what the callback returns.
func Basic(credentials func(context.Context) (user string, password secret.Text, err error)) Authorize {
	return func(ctx context.Context, header http.Header) error {
		user, password, err := credentials(ctx)
		if err != nil {
			return err
		}
		r := http.Request{Header: header}
		r.SetBasicAuth(user, password.Reveal())

		return nil
	}
}

// Bearer is a bearer token (RFC 6750), which the callback returns.
func Bearer(token func(context.Context) (secret.Text, error)) Authorize {
	return func(ctx context.Context, header http.Header) error {
		text, err := token(ctx)
		if err == nil {
			header.Set("Authorization", "Bearer "+text.Reveal())
		}

		return err
	}
}

// API is a vendor's API at a fixed address. It may be used from several goroutines.
type API struct {
	client *Client
	base   *url.URL
}

// API returns the API at base, such as https://api.vendor.com/v2. Paths of requests are added to it.
func (c *Client) API(base string) (*API, error) {
	u, err := c.guard.check(base)
	if err != nil {
		return nil, c.refused(BlockedURL, err)
	}
	if u.RawQuery != "" {
		return nil, c.refused(BlockedURL, errors.New("the address has a query"))
	}

	return &API{client: c, base: u}, nil
}

// Request is a request to an API. It prints without what it holds.
type Request struct {
	Method string
	// Path is added to the base. Parts that come from data are escaped by its caller, see url.PathEscape.
	Path  string
	Query url.Values
	// JSON or Form is the body, if one is not nil.
	JSON any
	Form url.Values
	// Header has further fields.
	Header http.Header
	// Auth authorizes the request; nil is nobody.
	Auth Authorize
	// Key and Repeat are as in Call.
	Key    string
	Repeat Repeat
}

// Format implements fmt.Formatter.
func (r Request) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprintf(state, "request %q", r.Method) //nolint:errcheck // fmt gives a formatter no way to return an error
}

// LogValue implements slog.LogValuer.
func (r Request) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(r)) }

// Call makes a request, and reads the JSON of an answer of 2xx into out, unless that is nil. Errors are
// of type *Error; another status is one with the Reason BadStatus and the Answer.
func (a *API) Call(ctx context.Context, r Request, out any) (Answer, error) {
	call, err := a.call(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	answer, err := a.client.Do(ctx, call)
	if err != nil {
		return Answer{}, err
	}
	if !answer.OK() {
		return answer, a.notAsAsked(BadStatus, answer)
	}
	if out == nil {
		return answer, nil
	}
	if json.Unmarshal(answer.Body, out) != nil {
		return answer, a.notAsAsked(NotJSON, answer)
	}

	return answer, nil
}

// notAsAsked is the error of an answer, with the time for which it asks to wait.
func (a *API) notAsAsked(why Reason, answer Answer) *Error {
	e := &Error{Client: a.client.spec.Name, Outcome: Answered, Reason: why, Status: answer.Status, Answer: &answer}
	now := a.client.network.clock.Now()
	if pause, ok := RetryAfter(answer.Header, now); ok {
		e.RetryAt = now.Add(pause)
	}

	return e
}

func (a *API) call(ctx context.Context, r Request) (Call, error) {
	call := Call{Method: r.Method, Header: r.Header.Clone(), Key: r.Key, Repeat: r.Repeat}
	if call.Header == nil {
		call.Header = http.Header{}
	}
	var err error
	if call.URL, err = a.address(r); err != nil {
		return Call{}, a.client.refused(BadRequest, err)
	}
	if call.Body, err = encodeBody(r, call.Header); err != nil {
		return Call{}, a.client.refused(BadRequest, err)
	}
	if call.Header.Get("Accept") == "" {
		call.Header.Set("Accept", "application/json")
	}
	if r.Auth != nil {
		if err := r.Auth(ctx, call.Header); err != nil {
			failure := a.client.refused(NotAuthorized, errors.New("the credentials are unavailable"))
			failure.cause = err

			return Call{}, failure
		}
	}

	return call, nil
}

// address joins the base and a path, which leads nowhere else: not up, and not to another host.
func (a *API) address(r Request) (string, error) {
	path, err := url.Parse("/" + strings.TrimPrefix(r.Path, "/"))
	if err != nil || path.Host != "" || path.RawQuery != "" || path.Fragment != "" || strings.ContainsAny(r.Path, "?#") {
		return "", errors.New("the path cannot be read")
	}
	for part := range strings.SplitSeq(path.Path, "/") {
		if part == "." || part == ".." {
			return "", errors.New("the path leads outside the API's address")
		}
	}
	u := a.base.JoinPath(path.EscapedPath())
	u.RawQuery = r.Query.Encode()

	return u.String(), nil
}

// encodeBody returns the body, and sets its type unless the caller did.
func encodeBody(r Request, header http.Header) ([]byte, error) {
	kind, text := "", []byte(nil)
	switch {
	case r.JSON != nil && r.Form != nil:
		return nil, errors.New("the request has two bodies")
	case r.JSON != nil:
		var err error
		if text, err = json.Marshal(r.JSON); err != nil {
			return nil, errors.New("the body cannot be written as JSON")
		}
		kind = "application/json"
	case r.Form != nil:
		kind, text = "application/x-www-form-urlencoded", []byte(r.Form.Encode())
	default:
		return nil, nil
	}
	if _, _, err := mime.ParseMediaType(header.Get("Content-Type")); err != nil {
		header.Set("Content-Type", kind)
	}

	return text, nil
}
