package vendorhttp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/dispatchd/dispatchd/modules/sms/internal/provider"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// MaxFile is how many bytes a file of a message may have. Carriers take about 5 MB.
const MaxFile = 10 << 20

// Files reads files of messages.
type Files struct{ client *outbound.Client }

// NewFiles returns what reads files. The name is that of a client of outbound.
func NewFiles(network *outbound.Network, name string) (Files, error) {
	client, err := network.Client(outbound.Spec{Name: name, MaxAnswer: MaxFile})

	return Files{client: client}, err
}

// Get reads a file. A vendor that redirects to where it keeps its files, once, is followed without the credentials.
func (f Files) Get(ctx context.Context, link, key string, auth outbound.Authorize) (provider.File, error) {
	answer, err := f.call(ctx, link, key, auth)
	if err == nil && answer.Status >= 300 && answer.Status < 400 {
		var next string
		if next, err = redirectURL(link, answer.Header.Get("Location")); err == nil {
			answer, err = f.call(ctx, next, key, nil)
		}
	}
	switch failure, _ := errors.AsType[*outbound.Error](err); {
	case failure != nil && failure.Reason == outbound.TooLong:
		return provider.File{}, &provider.Error{Reason: provider.InvalidMessage, Taken: provider.No, Cause: err}
	case err != nil:
		return provider.File{}, Dialect{Read: noErrorText, Means: unknownCode}.Error(err, time.Time{})
	case answer.Status == http.StatusNotFound || answer.Status == http.StatusGone:
		return provider.File{}, &provider.Error{Reason: provider.NotFound, Taken: provider.No}
	case answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden:
		return provider.File{}, &provider.Error{Reason: provider.Auth, Taken: provider.No}
	case !answer.OK():
		return provider.File{}, &provider.Error{Reason: provider.ProviderDown, Retryable: true}
	}

	return provider.File{MediaType: answer.Header.Get("Content-Type"), Content: answer.Body}, nil
}

func noErrorText([]byte) Said            { return Said{} }
func unknownCode(string) (Meaning, bool) { return Meaning{}, false }

func (f Files) call(ctx context.Context, link, key string, auth outbound.Authorize) (outbound.Answer, error) {
	call := outbound.Call{Method: http.MethodGet, URL: link, Header: http.Header{}, Key: key, Repeat: outbound.RepeatIdempotent()}
	if auth != nil {
		if err := auth(ctx, call.Header); err != nil {
			return outbound.Answer{}, err
		}
	}

	return f.client.Do(ctx, call)
}

// redirectURL is where a redirect leads.
func redirectURL(from, to string) (string, error) {
	base, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	next, err := base.Parse(to)
	if err != nil {
		return "", err
	}

	return next.String(), nil
}
