package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/dispatchd/dispatchd/modules/sms/smstest"
)

// vendorLatency is how long the vendor takes to answer.
const vendorLatency = 50 * time.Millisecond

// slowVendor speaks as Twilio does, takes its time, and notes when a message came.
type slowVendor struct {
	*smstest.Twilio

	address string
	server  *http.Server

	mu      sync.Mutex
	arrived map[string]time.Time
	inside  int
	most    int // that were inside at the same time
}

// newSlowVendor listens until close.
func newSlowVendor(ctx context.Context) (*slowVendor, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	v := &slowVendor{Twilio: smstest.NewTwilio(1), address: "http://" + listener.Addr().String(), arrived: map[string]time.Time{}}
	v.AddNumber("+12025550160")
	v.server = &http.Server{Handler: v, ReadHeaderTimeout: requestTimeout}
	go func() {
		if err := v.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	}()

	return v, nil
}

func (v *slowVendor) close() error { return v.server.Close() }

// ServeHTTP implements http.Handler.
func (v *slowVendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		v.Twilio.ServeHTTP(w, r)

		return
	}
	now := time.Now()
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)

		return
	}
	v.mu.Lock()
	v.arrived[r.PostForm.Get("To")] = now
	v.inside++
	v.most = max(v.most, v.inside)
	v.mu.Unlock()
	time.Sleep(vendorLatency)
	v.Twilio.ServeHTTP(w, r)
	v.mu.Lock()
	v.inside--
	v.mu.Unlock()
}

// progress is how many messages came so far.
func (v *slowVendor) progress() int {
	v.mu.Lock()
	defer v.mu.Unlock()

	return len(v.arrived)
}

// bareCalls is how many messages a second the vendor is given by nothing but an HTTP client, with that many at once.
func (v *slowVendor) bareCalls(ctx context.Context, parallel, n int) (float64, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallel}, Timeout: requestTimeout}
	defer client.CloseIdleConnections()
	form := url.Values{"To": {"+12025550130"}, "From": {"+12025550160"}, "Body": {smsText}}.Encode()
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	begin := time.Now()
	for range parallel {
		group.Go(func() error {
			for next.Add(1) <= int64(n) {
				if err := v.bareCall(ctx, client, form); err != nil {
					return err
				}
			}

			return nil
		})
	}
	err := group.Wait()

	return float64(n) / time.Since(begin).Seconds(), err
}

func (v *slowVendor) bareCall(ctx context.Context, client *http.Client, form string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.address+"/2010-04-01/Accounts/"+v.SID+"/Messages.json", strings.NewReader(form))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(v.SID, v.Token)
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)

	return errors.Join(err, response.Body.Close())
}
