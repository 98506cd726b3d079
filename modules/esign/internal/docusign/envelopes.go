package docusign

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/connect"
	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// include is what of an envelope is asked for.
const include = "recipients,custom_fields"

func pathOf(id string) string { return "envelopes/" + url.PathEscape(id) }

// Create implements provider.Envelopes.
func (a *account) Create(ctx context.Context, e provider.Envelope) (provider.Update, error) {
	d, err := a.definition(ctx, e)
	if err != nil {
		return provider.Update{}, err
	}
	var said struct {
		ID     string `json:"envelopeId"`
		Status string `json:"status"`
		At     string `json:"statusDateTime"`
	}
	if err := a.call(ctx, outbound.Request{Method: http.MethodPost, Path: "envelopes", JSON: d}, &said); err != nil {
		return provider.Update{}, err
	}
	if said.ID == "" {
		return provider.Update{}, unreadableError()
	}
	at, _ := time.Parse(time.RFC3339Nano, said.At) //nolint:errcheck // what cannot be read is not said

	return provider.Update{ID: connect.EnvelopeID(readableText(said.ID)), Reference: e.Reference, Status: strings.ToLower(readableText(said.Status)), At: at.UTC()}, nil
}

// Find implements provider.Envelopes: by the transaction id, which DocuSign knows for a week and which is there to find
// out whether an envelope was made, and by our custom field. Before settled has passed since the call, a request that was
// lost may be being worked on.
func (a *account) Find(ctx context.Context, reference string, since, called time.Time) (found []provider.Update, complete bool, err error) {
	for _, query := range []url.Values{
		{"transaction_ids": {reference}, "include": {include}},
		{"from_date": {formatTime(since.Add(-findMargin))}, "custom_field": {connect.FieldReference + "=" + reference}, "include": {include}},
	} {
		page, _, err := a.list(ctx, query)
		if err != nil {
			return nil, false, err
		}
		for _, u := range page {
			if u.Reference == "" {
				u.Reference = reference
			}
			if strings.EqualFold(u.Reference, reference) {
				found = append(found, u)
			}
		}
		if len(found) > 0 {
			return found, true, nil
		}
	}
	age := a.clock.Now().Sub(called)

	return nil, age > settled && age < transactionsKept, nil
}

const (
	findMargin       = time.Hour
	settled          = 15 * time.Minute
	transactionsKept = 6 * 24 * time.Hour
)

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// list reads a page of envelopes.
func (a *account) list(ctx context.Context, query url.Values) ([]provider.Update, string, error) {
	var said struct {
		page

		Envelopes []json.RawMessage `json:"envelopes"`
	}
	if err := a.call(ctx, outbound.Request{Method: http.MethodGet, Path: "envelopes", Query: query}, &said); err != nil {
		return nil, "", err
	}
	var all []provider.Update
	for _, raw := range said.Envelopes {
		u, err := connect.ReadEnvelope(raw)
		if err != nil || u.ID == "" {
			continue
		}
		all = append(all, u)
	}

	return all, said.next(len(said.Envelopes)), nil
}

// Fetch implements provider.Envelopes.
func (a *account) Fetch(ctx context.Context, id string) (provider.Update, error) {
	var raw json.RawMessage
	if err := a.call(ctx, outbound.Request{Method: http.MethodGet, Path: pathOf(id), Query: url.Values{"include": {include}}}, &raw); err != nil {
		return provider.Update{}, err
	}
	u, err := connect.ReadEnvelope(raw)
	if err != nil || u.ID == "" {
		return provider.Update{}, unreadableError()
	}

	return u, nil
}

// Changes implements provider.Envelopes.
func (a *account) Changes(ctx context.Context, since time.Time, from string) ([]provider.Update, string, error) {
	query, err := pageQuery(from, envelopesPage)
	if err != nil {
		return nil, "", err
	}
	query.Set("from_date", formatTime(since))
	query.Set("include", include)
	query.Set("order", "asc")
	query.Set("order_by", "last_modified")

	return a.list(ctx, query)
}

// put changes an envelope.
func (a *account) put(ctx context.Context, path string, query url.Values, body any) error {
	return a.call(ctx, outbound.Request{Method: http.MethodPut, Path: path, Query: query, JSON: body}, nil)
}

// Send implements provider.Envelopes.
func (a *account) Send(ctx context.Context, id string) error {
	return a.put(ctx, pathOf(id), nil, object{"status": "sent"})
}

// Resend implements provider.Envelopes.
func (a *account) Resend(ctx context.Context, id string) error {
	return a.put(ctx, pathOf(id), url.Values{"resend_envelope": {"true"}}, object{})
}

// longestReason is how long the reason of voiding may be.
const longestReason = 200

// Void implements provider.Envelopes.
func (a *account) Void(ctx context.Context, id, reason string) error {
	if runes := []rune(reason); len(runes) > longestReason {
		reason = string(runes[:longestReason])
	}

	return a.put(ctx, pathOf(id), nil, object{"status": "voided", "voidedReason": reason})
}

// Correct implements provider.Envelopes. Those who are new are added by a call of their own, which comes first.
func (a *account) Correct(ctx context.Context, id string, changed []provider.Recipient) error {
	known, err := a.Fetch(ctx, id)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, r := range known.Recipients {
		there[r.ID] = true
	}
	var others, anew []provider.Recipient
	for _, r := range changed {
		if there[r.ExternalID] {
			others = append(others, r)
		} else {
			anew = append(anew, r)
		}
	}
	if len(anew) > 0 {
		if err := a.recipients(ctx, http.MethodPost, id, anew); err != nil {
			return err
		}
	}
	if len(others) == 0 {
		return nil
	}

	return a.recipients(ctx, http.MethodPut, id, others)
}

func (a *account) recipients(ctx context.Context, method, id string, all []provider.Recipient) error {
	var said struct {
		Results []struct {
			Problem struct {
				Code    string `json:"errorCode"`
				Message string `json:"message"`
			} `json:"errorDetails"`
		} `json:"recipientUpdateResults"`
	}
	if err := a.call(ctx, outbound.Request{
		Method: method, Path: pathOf(id) + "/recipients", Query: url.Values{"resend_envelope": {"true"}}, JSON: recipientLists(all),
	}, &said); err != nil {
		return err
	}
	for _, r := range said.Results {
		if code := strings.ToUpper(r.Problem.Code); code != "" && code != "SUCCESS" {
			e := &provider.Error{Reason: provider.Conflict, Taken: provider.No, Code: readableText(code), Detail: readableText(r.Problem.Message)}
			if reason, ok := reasonOf(code); ok {
				e.Reason = reason
			}

			return e
		}
	}

	return nil
}

// SigningURL implements provider.Envelopes. The address is a secret for some minutes: it is kept nowhere.
func (a *account) SigningURL(ctx context.Context, id string, r provider.Recipient, returnURL string) (string, error) {
	var said struct {
		URL string `json:"url"`
	}
	if err := a.call(ctx, outbound.Request{Method: http.MethodPost, Path: pathOf(id) + "/views/recipient", JSON: object{
		"returnUrl": returnURL, "authenticationMethod": "none", "clientUserId": r.ClientID, "userName": r.Name, "email": r.Email, "recipientId": r.ExternalID,
	}}, &said); err != nil {
		return "", err
	}
	u, err := url.Parse(said.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", unreadableError()
	}

	return said.URL, nil
}

// Document implements provider.Envelopes.
func (a *account) Document(ctx context.Context, id string, which provider.Document) (io.ReadCloser, error) {
	answer, err := a.request(ctx, a.documents, outbound.Request{
		Method: http.MethodGet, Path: pathOf(id) + "/documents/" + url.PathEscape(string(which)), Header: http.Header{"Accept": {"application/pdf"}},
	}, nil)
	if err != nil {
		return nil, err
	}
	if len(answer.Body) == 0 {
		return nil, unreadableError()
	}

	return io.NopCloser(bytes.NewReader(answer.Body)), nil
}
