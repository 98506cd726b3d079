package custommodules_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// heard is an event as a client reads it.
type heard struct{ id, name, data string }

func (h heard) get(path string) string { return gjson.Get(h.data, path).String() }

// ear is a client that listens.
type ear struct {
	heard chan heard
	close func()
}

// listen opens the stream of a module's changes. Headers come in pairs.
func listen(t *testing.T, a *moduletest.App, token, module, query string, headers ...string) *ear {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+a.API.Address()+modulesPath+"/"+module+"/changes"+query, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request) //nolint:bodyclose // below
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	e := &ear{heard: make(chan heard, 700), close: cancel}
	t.Cleanup(cancel)
	go func() {
		defer close(e.heard)
		defer response.Body.Close() //nolint:errcheck // read to its end, or given up
		var h heard
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch {
			case key == "id":
				h.id = value
			case key == "event":
				h.name = value
			case key == "data":
				h.data = value
			case key == "" && h.name != "":
				e.heard <- h
				h = heard{}
			}
		}
	}()

	return e
}

// next returns the next event, of which the test knows the name.
func (e *ear) next(t *testing.T, name string) heard {
	t.Helper()
	select {
	case h, open := <-e.heard:
		require.True(t, open, "the stream has ended")
		require.Equal(t, name, h.name, h.data)

		return h
	case <-time.After(time.Minute):
		require.Fail(t, "nothing was heard", "want %s", name)

		return heard{}
	}
}

// ended requires that nothing comes any more.
func (e *ear) ended(t *testing.T) {
	t.Helper()
	select {
	case h, open := <-e.heard:
		require.False(t, open, h)
	case <-time.After(time.Minute):
		require.Fail(t, "the stream goes on")
	}
}

func TestChanges_AreToldAsTheyHappen(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		e := listen(t, y.App, y.Owner.Token, y.customers, "?include=record")
		require.NotEmpty(t, e.next(t, "ready").id)
		y.create(t, y.vehicles, object{"vin": "1HGCM82633A004352"}).OK(t) // of another module

		path := recordsPath + "/" + y.create(t, y.customers, object{"name": "Ann"}).OK(t).Get("uuid").String()
		made := e.next(t, "created")
		require.Equal(t, y.customers, made.get("module_uuid"))
		require.Equal(t, "1", made.get("version"))
		require.Equal(t, "Ann", made.get("record.payload.name"))
		y.Call(t, y.Owner.Token, http.MethodPatch, path, object{"payload": object{"name": "Bob"}}).OK(t)
		updated := e.next(t, "updated")
		require.Equal(t, `["name"]`, updated.get("changed"))
		require.Equal(t, "Bob", updated.get("record.payload.name"))
		y.Call(t, y.Owner.Token, http.MethodDelete, path, nil).OK(t)
		deleted := e.next(t, "deleted")
		require.Equal(t, made.get("record_uuid"), deleted.get("record_uuid"))
		require.JSONEq(t, "null", gjson.Get(deleted.data, "record").Raw)
		y.Call(t, y.Owner.Token, http.MethodPost, path+"/restore", nil).OK(t)
		require.Equal(t, "4", e.next(t, "restored").get("version"))
	})
}

func TestChanges_GoOnAfterTheEventThatWasSeenLast(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		e := listen(t, y.App, y.Owner.Token, y.customers, "")
		ready := e.next(t, "ready")
		y.create(t, y.customers, object{"name": "Ann"}).OK(t)
		first := e.next(t, "created")
		e.close()
		second := y.create(t, y.customers, object{"name": "Bob"}).OK(t).Get("uuid").String()

		again := listen(t, y.App, y.Owner.Token, y.customers, "", "Last-Event-ID", first.id)
		require.Equal(t, second, again.next(t, "created").get("record_uuid"))
		once := listen(t, y.App, y.Owner.Token, y.customers, "?follow=false&last_event_id="+ready.id)
		require.Equal(t, first.get("record_uuid"), once.next(t, "created").get("record_uuid"))
		require.Equal(t, second, once.next(t, "created").get("record_uuid"))
		require.Equal(t, "done", once.next(t, "stream.ended").get("reason"))
		once.ended(t)

		old := listen(t, y.App, y.Owner.Token, y.customers, "", "Last-Event-ID", "01800000-0000-7000-8000-000000000000")
		reset := old.next(t, "reset")
		require.Equal(t, "too_old", reset.get("reason"))
		third := y.create(t, y.customers, object{"name": "Cid"}).OK(t).Get("uuid").String()
		require.Equal(t, third, old.next(t, "created").get("record_uuid"))
		after := listen(t, y.App, y.Owner.Token, y.customers, "", "Last-Event-ID", reset.id)
		require.Equal(t, third, after.next(t, "created").get("record_uuid"))

		for _, wrong := range []string{"17", "null", uuid.NewString()} {
			y.Call(t, y.Owner.Token, http.MethodGet, modulesPath+"/"+y.customers+"/changes", nil, "Last-Event-ID", wrong).
				Refused(t, http.StatusUnprocessableEntity, "custom_modules.unknown_event")
		}
	})
}

func TestChanges_ShowWhatTheListenerMaySee(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.customers+"/fields",
			object{"key": "ssn", "type": "text", "sensitive": true}).OK(t)
		reader := y.Token(t, y.Owner, "custom_modules:read")
		open, all := listen(t, y.App, reader, y.customers, "?include=record"), listen(t, y.App, y.Owner.Token, y.customers, "?include=record")
		open.next(t, "ready")
		all.next(t, "ready")
		path := recordsPath + "/" + y.customer
		y.Call(t, y.Owner.Token, http.MethodPatch, path, object{"payload": object{"ssn": "424242", "name": "Ann"}}).OK(t)
		whole, masked := all.next(t, "updated"), open.next(t, "updated")
		require.Equal(t, `["name","ssn"]`, whole.get("changed"))
		require.Equal(t, "424242", whole.get("record.payload.ssn"))
		require.Equal(t, `["name"]`, masked.get("changed"))
		require.NotContains(t, masked.data, "424242")
		require.Equal(t, `["ssn"]`, masked.get("record.masked"))

		stranger := y.NewCompany(t)
		y.Call(t, stranger.Token, http.MethodGet, modulesPath+"/"+y.customers+"/changes", nil).
			Refused(t, http.StatusNotFound, "custom_modules.module_not_found")

		module := modulesPath + "/" + y.customers
		y.Call(t, y.Owner.Token, http.MethodPatch, module, object{"permissions": object{"read": []string{}}}).OK(t)
		require.Equal(t, "module_not_found", open.next(t, "gone").get("reason"))
		require.Equal(t, "done", open.next(t, "stream.ended").get("reason"))
		open.ended(t)
		y.Call(t, reader, http.MethodGet, module+"/changes", nil).Refused(t, http.StatusNotFound, "custom_modules.module_not_found")
	})
}

func TestChanges_EndWithTheModule(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		e := listen(t, y.App, y.Owner.Token, y.vehicles, "")
		e.next(t, "ready")
		y.Call(t, y.Owner.Token, http.MethodPost, modulesPath+"/"+y.vehicles+"/archive", nil).OK(t) // can still be read
		y.Call(t, y.Owner.Token, http.MethodDelete, modulesPath+"/"+y.vehicles, nil).OK(t)
		e.next(t, "gone")
	})
}

func TestChanges_EndWithTheTokenAndTheRole(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		user, err := y.Identity.CreateUser(t.Context(), identity.NewUser{Company: y.Owner.ID, Email: "ann@example.com", Name: "Ann", Role: "admin"})
		require.NoError(t, err)
		_, role, err := y.Identity.IssueToken(t.Context(), identity.NewToken{Company: y.Owner.ID, User: user.ID, Name: "ears", Scopes: []string{"*"}})
		require.NoError(t, err)
		token, secret, err := y.Identity.IssueToken(t.Context(), identity.NewToken{Company: y.Owner.ID, Name: "ears", Scopes: []string{"custom_modules:read"}})
		require.NoError(t, err)
		service, person := listen(t, y.App, secret, y.customers, ""), listen(t, y.App, role, y.customers, "")
		service.next(t, "ready")
		person.next(t, "ready")

		require.NoError(t, y.Identity.RevokeToken(t.Context(), token.ID))
		require.Equal(t, "revoked", service.next(t, "stream.ended").get("reason"))
		service.ended(t)
		user.Role = "viewer"
		_, err = y.Identity.UpdateUser(t.Context(), user)
		require.NoError(t, err)
		require.Equal(t, "revoked", person.next(t, "stream.ended").get("reason"), "the role may read, and is another")
	}, moduletest.Set("web.streams.recheck=20ms"))
}

func TestChanges_LeaveBehindWhoDoesNotRead(t *testing.T) {
	t.Parallel()
	eachYard(t, func(t *testing.T, y yard) {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", y.API.Address())
		require.NoError(t, err)
		defer conn.Close() //nolint:errcheck // the service has closed it
		_, err = conn.Write([]byte("GET " + modulesPath + "/" + y.vehicles + "/changes?include=record HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " +
			y.Owner.Token + "\r\n\r\n"))
		require.NoError(t, err)
		tcp, ok := conn.(*net.TCPConn)
		require.True(t, ok)
		require.NoError(t, tcp.SetReadBuffer(4<<10))
		first := make([]byte, 12)
		_, err = conn.Read(first)
		require.NoError(t, err)
		require.Equal(t, "HTTP/1.1 200", string(first))
		reads := listen(t, y.App, y.Owner.Token, y.vehicles, "")
		reads.next(t, "ready")

		const many, times, size = 100, 4, 60_000
		for range times {
			items := make([]object, many)
			for i := range items {
				items[i] = object{"do": "create", "payload": object{"vin": "1HGCM82633A004352", "notes": strings.Repeat("x", size)}}
			}
			y.Call(t, y.Owner.Token, http.MethodPost, recordsPath+"/bulk", object{"module_uuid": y.vehicles, "items": items}).OK(t)
		}
		for range times * many {
			reads.next(t, "created") // in spite of the one who does not
		}
		require.Eventually(t, func() bool {
			_, err := conn.Write([]byte("."))

			return err != nil
		}, time.Minute, 20*time.Millisecond, "the connection is still open")
	}, moduletest.Set("web.streams.write_timeout=200ms", "web.streams.event_buffer=16", "modules.custom_modules.max_bulk_size=16MiB"))
}

func TestChanges_AreReadOnceForAThousandListeners(t *testing.T) {
	t.Parallel()
	const listeners, changes = 1000, 3
	eachYard(t, func(t *testing.T, y yard) {
		ears := make([]*ear, listeners)
		for i := range ears {
			ears[i] = listen(t, y.App, y.Owner.Token, y.customers, "?include=record")
			ears[i].next(t, "ready")
		}
		var reads atomic.Int64
		y.OnStatement(func(_ context.Context, s database.Statement) {
			if s.Table == "custom_modules_records" && strings.HasPrefix(s.SQL, "SELECT") {
				reads.Add(1)
			}
		})
		for range changes {
			y.create(t, y.customers, object{"name": "Ann"}).OK(t)
		}
		for _, e := range ears {
			for range changes {
				require.Equal(t, "Ann", e.next(t, "created").get("record.payload.name"))
			}
		}
		require.Positive(t, reads.Load())
		require.LessOrEqual(t, reads.Load(), int64(changes))
	}, moduletest.Set("web.streams.max_per_company=1100"))
}

func TestChanges_AreToldWhereverTheyAreMade(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		here, there := moduletest.Boot(t, url, modules()), moduletest.Boot(t, url, modules())
		token := here.Owner.Token
		module := here.Call(t, token, http.MethodPost, modulesPath, object{"name": "Trucks", "fields": []object{{"key": "unit", "type": "text"}}}).
			OK(t).Get("uuid").String()
		e := listen(t, there, token, module, "?include=record")
		ready := e.next(t, "ready")
		var last heard
		for _, unit := range []string{"1", "2", "3"} {
			here.Call(t, token, http.MethodPost, recordsPath, object{"module_uuid": module, "payload": object{"unit": unit}}).OK(t)
			last = e.next(t, "created")
			require.Equal(t, unit, last.get("record.payload.unit"))
		}
		again := listen(t, here, token, module, "", "Last-Event-ID", ready.id) // in the other process
		for range 3 {
			again.next(t, "created")
		}
		require.NotEmpty(t, last.id)
		here.Call(t, token, http.MethodDelete, modulesPath+"/"+module, nil).OK(t)
		e.next(t, "gone")
	})
}
