// Package outsider calls the service as somebody from outside does.
package outsider

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/dispatchd/dispatchd/platform/web"
)

// patience is how long a Caller waits for a response.
const patience = 30 * time.Second

// ErrNotServing is for a process that serves no requests, so that nobody can call it from outside.
var ErrNotServing = errors.New("this process serves no requests")

// Caller calls the service as somebody from outside does who has no token: by HTTP, at the address at which this process listens. Robots of
// sandboxes use it, so that what they do is what people do.
type Caller struct {
	api    *web.API
	client *http.Client
}

// New returns a caller of an API.
func New(api *web.API) *Caller {
	return &Caller{api, &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}}
}

// Post sends a body to a path, and returns the status of the response. A response of which nothing can be said is an error, as one that asks to come
// again is: 429 and 5xx.
func (o *Caller) Post(ctx context.Context, path, media string, body []byte) (status int, err error) {
	address := o.api.Address()
	if address == "" {
		return 0, ErrNotServing
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", media)
	request.Header.Set("Accept", "application/json")
	response, err := o.client.Do(request)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if status = response.StatusCode; status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		err = errors.Join(err, errors.New("the service answers "+response.Status))
	}

	return status, errors.Join(err, response.Body.Close())
}
