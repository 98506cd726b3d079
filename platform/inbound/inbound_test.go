package inbound_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/blob"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/feature"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const signature = "X-DocuSign-Signature-1"

// scene is a service with a bell.
type scene struct {
	*moduletest.App

	bell  *bell
	files *blob.Store
	clock *lateClock
}

// lateClock is a clock that can be put forward.
type lateClock struct{ late atomic.Int64 }

// Now implements clock.Clock.
func (c *lateClock) Now() time.Time {
	return clock.System{}.Now().Add(time.Duration(c.late.Load()))
}

// newBell is a bell that rings.
func newBell() *bell { return &bell{} }

// ringing boots a service with a bell of its own on each database.
func ringing(t *testing.T, cast func() *bell, test func(t *testing.T, s scene), settings ...string) {
	t.Helper()
	settings = append([]string{
		"jobs.poll=10ms", "jobs.retry_delay=10ms", "web.base_url=https://api.example.com", "web.services_url=https://hooks.example.com/",
	}, settings...)
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		s := scene{bell: cast(), clock: &lateClock{}}
		s.App = moduletest.Boot(t, url, []module.Module{s.bell.module()}, moduletest.Set(settings...),
			moduletest.With(fx.Populate(&s.files), fx.Decorate(func(clock.Clock) clock.Clock { return s.clock })))
		_, err := s.DB.SQL().ExecContext(t.Context(), ringTable)
		require.NoError(t, err)
		test(t, s)
	})
}

func as(t *testing.T, of moduletest.Company) context.Context {
	t.Helper()

	return principal.With(t.Context(), principal.ForCompany(of.ID))
}

func (s scene) path() string { return "/bell/api/v1/rings/" + s.Owner.ID.String() }

// ring sends a notification with the signature of a key.
func (s scene) ring(t *testing.T, key, body string) moduletest.Response {
	t.Helper()

	return s.Notify(t, s.path(), []byte(body), signature, verify.SignDocuSign([]byte(key), []byte(body)))
}

func TestReceive_StoresAnswersAndProcessesOnce(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		answer := s.ring(t, "old key", `{"n":1}`).OK(t)
		require.Equal(t, http.StatusOK, answer.Status)
		require.Equal(t, "{}", string(answer.Body))
		require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
		got := s.WaitHandled(t, s.Owner, 1)[0]
		require.Equal(t, inbound.Processed, got.State)
		require.Equal(t, "bell.ring", got.Kind)
		require.Equal(t, s.Owner.ID, got.Endpoint)
		require.Equal(t, "old", got.Key)
		require.Equal(t, 1, got.Attempts)
		require.Equal(t, int64(7), got.Size)
		require.Equal(t, "127.0.0.1", got.Address)
		require.NotNil(t, got.ProcessedAt)
		require.Equal(t, 1, count(t, s.DB, `SELECT count(*) FROM rings WHERE body = '{"n":1}'`))

		require.Equal(t, "{}", string(s.ring(t, "new key", `{"n":1}`).OK(t).Body), "the same again, by another key")
		got = s.WaitHandled(t, s.Owner, 1)[0]
		require.Equal(t, 1, got.Duplicates)
		require.NotNil(t, got.LastDuplicateAt)
		require.Equal(t, int64(1), s.bell.runs.Load())
		require.Empty(t, s.Audited(t, s.Owner), "the delivery is the record of it")
	})
}

func TestReceive_StoresWhatASharedEndpointIsToldForEachOfItsOwners(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		path, neighbour := "/bell/api/v1/hours/"+uuid.NewString(), s.NewCompany(t)
		ring := func(key string, companies ...uuid.UUID) moduletest.Response {
			body, err := json.Marshal(companies)
			require.NoError(t, err)

			return s.Notify(t, path, body, signature, verify.SignDocuSign([]byte(key), body))
		}
		for range 2 {
			ring("tower key", s.Owner.ID, neighbour.ID).OK(t)
		}
		for _, company := range []moduletest.Company{s.Owner, neighbour} {
			got := s.WaitHandled(t, company, 1)[0]
			require.Equal(t, inbound.Processed, got.State)
			require.Equal(t, company.ID, got.Endpoint)
			require.Equal(t, 1, got.Duplicates)
		}
		ring("tower key").OK(t)
		ring("stolen key", s.Owner.ID).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		require.Equal(t, 2, count(t, s.DB, "SELECT count(*) FROM inbound_deliveries"), "nothing of nobody and of strangers")
	})
}

func TestReceive_ADuplicateAtTheSameTimeIsOneDelivery(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		var all sync.WaitGroup
		answers := make([]moduletest.Response, 8)
		for i := range answers {
			all.Go(func() { answers[i] = s.ring(t, "new key", "{}") })
		}
		all.Wait()
		for _, answer := range answers {
			require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
		}
		require.Equal(t, len(answers)-1, s.WaitHandled(t, s.Owner, 1)[0].Duplicates)
		require.Equal(t, 1, count(t, s.DB, "SELECT count(*) FROM rings"))
		require.Equal(t, 1, count(t, s.DB, "SELECT count(*) FROM river_job WHERE kind = 'inbound.process'"))
	})
}

func TestReceive_RefusesStrangersAndStoresNothingOfTheirs(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		s.ring(t, "forged", "{}").Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		answer := s.Notify(t, s.path(), []byte("{}")).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		require.NotEmpty(t, answer.Header.Get("WWW-Authenticate"))
		tampered := verify.SignDocuSign([]byte("new key"), []byte(`{"n":1}`))
		s.Notify(t, s.path(), []byte(`{"n":2}`), signature, tampered).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		for _, id := range []string{uuid.NewString(), "x", "%00"} {
			s.Notify(t, "/bell/api/v1/rings/"+id, []byte("{}"), signature, tampered).Refused(t, http.StatusNotFound, "inbound.endpoint_unknown")
		}
		s.Call(t, "", http.MethodPost, s.path(), "a=1", "Content-Type", "application/x-www-form-urlencoded").
			Refused(t, http.StatusUnsupportedMediaType, "web.unsupported_media")
		s.ring(t, "new key", strings.Repeat("x", 64<<10+1)).Refused(t, http.StatusRequestEntityTooLarge, "web.body_too_large")
		s.bell.keyless.Store(true)
		s.ring(t, "", "{}").Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		s.bell.keyless.Store(false)
		s.bell.revoked.Store(true)
		s.ring(t, "new key", "{}").Refused(t, http.StatusNotFound, "inbound.endpoint_unknown")

		require.Empty(t, s.Received(t, s.Owner))
		require.Zero(t, count(t, s.DB, "SELECT count(*) FROM inbound_bodies"))
		found, err := s.Inbox.Refusals(as(t, s.Owner))
		require.NoError(t, err)
		reasons := map[string]int64{}
		for _, r := range found {
			reasons[r.Reason] += r.Count
			require.Equal(t, s.Owner.ID, r.EndpointID)
		}
		require.Equal(t, map[string]int64{"mismatch": 2, "unsigned": 1, "no_key": 1}, reasons)
	})
}

func TestReceive_AsksTheAreaBeforeItStores(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		s.ring(t, "forged", `"crack"`).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		s.ring(t, "new key", `"crack"`).Refused(t, http.StatusBadRequest, "bell.crack")
		s.ring(t, "new key", `"curse"`).Refused(t, http.StatusInternalServerError, "web.internal")
		s.bell.gone.Store(true)
		s.ring(t, "new key", "{}").Refused(t, http.StatusGone, "bell.broken")
		s.bell.gone.Store(false)
		require.Empty(t, s.Received(t, s.Owner))
		s.ring(t, "new key", "{}").OK(t)
		found, err := s.Inbox.Refusals(as(t, s.Owner))
		require.NoError(t, err)
		reasons := map[string]int64{}
		for _, r := range found {
			reasons[r.Reason] += r.Count
		}
		require.Equal(t, map[string]int64{"mismatch": 1, "bell.crack": 1}, reasons)
	})
}

func TestReceive_GivesBackTheRoomOfEveryBody(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		large := strings.Repeat("x", 60<<10)
		for i := range 40 { // more than a mebibyte together
			if i%2 == 0 {
				s.ring(t, "new key", large).OK(t)
			} else {
				s.ring(t, "forged", large).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
			}
		}
		leave := s.Inbox.TakeRoom(t)
		s.ring(t, "new key", "{}").Refused(t, http.StatusServiceUnavailable, "inbound.busy")
		leave()
		s.ring(t, "new key", "{}").OK(t)
	}, "inbound.memory=1MiB", "inbound.pause=500ms")
}

func TestReceive_WritesDownEveryRefusalByItself(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		s.ring(t, "forged", "{}").Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		written := func() int { return count(t, s.DB, "SELECT COALESCE(sum(count), 0) FROM inbound_rejections") }
		s.Eventually(t, func() bool { return written() == 1 }, "the first is written at once")
		for range 3 {
			s.ring(t, "forged", "{}").Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		}
		s.Eventually(t, func() bool { return written() == 4 }, "the others are written though none comes after them")
	})
}

func TestReceive_TakesTheHostOfTheServicesURLHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		signed := verify.SignDocuSign([]byte("new key"), []byte("{}"))
		for _, host := range []string{"hooks.example.com", "hooks.example.com:443", "Hooks.Example.Com:443", "hooks.example.com.", "hooks.example.com.:443"} {
			s.Notify(t, s.path(), []byte("{}"), signature, signed, "Host", host).OK(t)
		}
		for _, host := range []string{"hooks.example.com:80", "hooks.example.com:8443", "api.example.com", "example.com", "127.0.0.1"} {
			s.Notify(t, s.path(), []byte("{}"), signature, signed, "Host", host).Refused(t, http.StatusNotFound, "inbound.endpoint_unknown")
		}
	}, "inbound.services_url_only=true")
}

func TestReceive_LimitsWhoIsRefusedAndNobodyElse(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		for range 3 {
			s.ring(t, "forged", "{}").Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		}
		limited := s.ring(t, "forged", "{}").Refused(t, http.StatusTooManyRequests, "web.rate_limited")
		require.NotEmpty(t, limited.Header.Get("Retry-After"))
		for range 5 {
			s.ring(t, "new key", "{}").OK(t)
		}
	}, "web.rate_limit.per_address=3")
}

func TestReceive_TakesFormsByTheConfiguredAddress(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		path := "/bell/api/v1/messages/" + s.Owner.ID.String()
		require.Equal(t, "https://hooks.example.com"+path, s.Inbox.URL("bell.message", s.Owner.ID))
		require.Empty(t, s.Inbox.URL("bell.other", s.Owner.ID))
		form := url.Values{"Body": {"STOP"}, "From": {"+15551234567"}}
		send := func(base, query string, headers ...string) moduletest.Response {
			signed := verify.SignTwilio([]byte("auth token"), base+path+query, form)

			return s.Notify(t, path+query, []byte(form.Encode()), append([]string{
				"Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", signed, "Authorization", "Basic c2VjcmV0", "X-Mine", "kept here",
			}, headers...)...)
		}
		answer := send("https://hooks.example.com", "?token=hush&a=%2f").OK(t)
		require.Equal(t, "<Response/>", string(answer.Body))
		require.Equal(t, "text/xml", answer.Header.Get("Content-Type"))
		send("https://hooks.example.com:443", "").OK(t)
		send("https://api.example.com", "?b=1", "I-Test-Key", "one").OK(t)
		send("https://api.example.com", "?b=2", "I-Test-Key", "one").OK(t)
		send("https://evil.example.com", "", "Host", "evil.example.com", "X-Forwarded-Host", "evil.example.com").
			Refused(t, http.StatusUnauthorized, "inbound.not_verified")

		all := s.WaitHandled(t, s.Owner, 3)
		_, request, err := s.Inbox.Find(as(t, s.Owner), all[0].ID)
		require.NoError(t, err)
		require.Equal(t, path+"?token=%5Bnot+kept%5D&a=%2f", request.Target)
		require.Equal(t, "[not kept]", request.Header.Get("Authorization"))
		require.Equal(t, "kept here", request.Header.Get("X-Mine"))
		require.NotEmpty(t, request.Header.Get("X-Twilio-Signature"))
		require.Equal(t, form.Encode(), string(request.Body))
		require.Equal(t, 1, all[2].Duplicates, "told apart by a header")
	})
}

func TestProcess_TriesAgainWhatFailsOrPanics(t *testing.T) {
	t.Parallel()
	cast := func() *bell {
		b := newBell()
		b.act = func(context.Context, inbound.Delivery) error {
			switch b.runs.Load() {
			case 1:
				return errors.New("not yet")
			case 2:
				panic("boom")
			default:
				return nil
			}
		}

		return b
	}
	ringing(t, cast, func(t *testing.T, s scene) {
		s.ring(t, "new key", "{}").OK(t)
		got := s.WaitHandled(t, s.Owner, 1)[0]
		require.Equal(t, inbound.Processed, got.State)
		require.Equal(t, 3, got.Attempts)
		require.Empty(t, got.Error)
		require.Equal(t, 1, count(t, s.DB, "SELECT count(*) FROM rings"), "what failed attempts wrote is gone")
	})
}

func TestProcess_EndsAndIsReplayed(t *testing.T) {
	t.Parallel()
	cast := func() *bell {
		b := newBell()
		b.act = func(_ context.Context, d inbound.Delivery) error {
			switch {
			case string(d.Body) == `"ignored"`:
				return inbound.Ignored("nothing to do")
			case d.Replays > 0:
				return nil
			case string(d.Body) == `"permanent"`:
				return jobs.Permanent(errors.New("no use"))
			default:
				return errors.New("always")
			}
		}

		return b
	}
	ringing(t, cast, func(t *testing.T, s scene) {
		bodies := []string{`"ignored"`, `"permanent"`, `"failing"`}
		for _, body := range bodies {
			s.ring(t, "new key", body).OK(t)
		}
		all := s.WaitHandled(t, s.Owner, len(bodies))
		require.Equal(t, []inbound.State{inbound.Skipped, inbound.Failed, inbound.Failed}, states(all))
		require.Equal(t, []int{1, 1, 2}, []int{all[0].Attempts, all[1].Attempts, all[2].Attempts})
		require.Equal(t, "nothing to do", all[0].Error)
		require.Equal(t, "always", all[2].Error)
		require.Equal(t, 1, count(t, s.DB, "SELECT count(*) FROM rings"), "of the one that was ignored")

		_, err := s.Inbox.Replay(as(t, s.NewCompany(t)), all[1].ID)
		require.ErrorIs(t, err, inbound.ErrDelivery)
		replayed, err := s.Inbox.Replay(as(t, s.Owner), all[1].ID)
		require.NoError(t, err)
		require.Equal(t, 1, replayed.Replays)
		n, next, err := s.Inbox.ReplayAll(as(t, s.Owner), inbound.Selection{
			State: inbound.Failed, Kind: "bell.ring", Endpoint: s.Owner.ID, From: all[0].ReceivedAt, Before: clock.System{}.Now().Add(time.Hour),
		})
		require.NoError(t, err)
		require.Equal(t, uuid.Nil, next)
		require.Equal(t, 1, n)
		all = s.WaitHandled(t, s.Owner, len(bodies))
		require.Equal(t, []inbound.State{inbound.Skipped, inbound.Processed, inbound.Processed}, states(all))
		require.Equal(t, 3, count(t, s.DB, "SELECT count(*) FROM rings"))
	}, "inbound.attempts=2")
}

func states(all []inbound.Recorded) []inbound.State {
	list := make([]inbound.State, 0, len(all))
	for _, r := range all {
		list = append(list, r.State)
	}

	return list
}

func TestProcess_WaitsForACompanyThatDoesNotUseTheArea(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		ctx := as(t, s.Owner)
		switchArea(t, s, false)
		s.ring(t, "new key", "{}").OK(t)
		s.Eventually(t, func() bool {
			return count(t, s.DB, "SELECT count(*) FROM river_job WHERE kind = 'inbound.process' AND state = 'scheduled'") == 1
		}, "the job is put off")
		require.Equal(t, []inbound.State{inbound.Received}, states(s.Received(t, s.Owner)))
		require.Zero(t, s.bell.runs.Load())
		switchArea(t, s, true)
		_, err := s.Inbox.Replay(ctx, s.Received(t, s.Owner)[0].ID)
		require.NoError(t, err)
		require.Equal(t, inbound.Processed, s.WaitHandled(t, s.Owner, 1)[0].State)
	})
}

func switchArea(t *testing.T, s scene, on bool) {
	t.Helper()
	_, err := s.Features.Apply(as(t, s.Owner), s.Owner.ID, feature.Change{Areas: map[string]bool{"bell": on}})
	require.NoError(t, err)
}

func TestSweep_RemovesBodiesFirstAndKeepsWhatWaits(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		s.ring(t, "new key", "1").OK(t)
		s.ring(t, "new key", "2").OK(t)
		all := s.WaitHandled(t, s.Owner, 2)
		age := func(id uuid.UUID, days int) uuid.UUID {
			old := database.FirstID(clock.System{}.Now().Add(-time.Duration(days) * 24 * time.Hour))
			for _, table := range []string{"inbound_deliveries", "inbound_bodies"} {
				_, err := s.DB.SQL().ExecContext(t.Context(), "UPDATE "+table+" SET id = $1 WHERE id = $2", old.String(), id.String())
				require.NoError(t, err)
			}

			return old
		}
		old, older := age(all[0].ID, 31), age(all[1].ID, 181)
		removed := 1
		for removed > 0 {
			var err error
			removed, err = s.Inbox.Sweep(t.Context())
			require.NoError(t, err)
		}
		_, request, err := s.Inbox.Find(as(t, s.Owner), old)
		require.NoError(t, err)
		require.Nil(t, request)
		_, err = s.Inbox.Replay(as(t, s.Owner), old)
		require.ErrorIs(t, err, inbound.ErrBodyGone)
		_, _, err = s.Inbox.Find(as(t, s.Owner), older)
		require.ErrorIs(t, err, inbound.ErrDelivery)
		require.Zero(t, count(t, s.DB, "SELECT count(*) FROM inbound_bodies"))
	})
}
