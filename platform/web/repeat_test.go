package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/idempotency"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/secret"
	"github.com/dispatchd/dispatchd/platform/web"
)

// notes is an area that writes to a table of its own.
type notes struct {
	db     *database.DB
	number atomic.Int64
	// fails is how many times in a row writing fails.
	fails atomic.Int64
	// failure is what it fails with, errTaken if nothing is here.
	failure atomic.Pointer[error]
	// enter and leave stop a write in the middle, if they are there.
	enter, leave chan struct{}
}

type newNote struct {
	Body struct {
		Text string   `json:"text" minLength:"1"`
		Tags []string `json:"tags,omitempty"`
	}
}

type note struct {
	Number int64    `json:"number"`
	Text   string   `json:"text"`
	Tags   []string `json:"tags"`
}

func (n *notes) create(ctx context.Context, in *newNote) (*web.Resource[note], error) {
	in.Body.Tags = append(in.Body.Tags, "changed by the handler")
	in.Body.Text += "!"

	return n.write(ctx, in.Body.Text, in.Body.Tags)
}

func (n *notes) write(ctx context.Context, text string, tags []string) (*web.Resource[note], error) {
	number := n.number.Add(1)
	err := n.db.InTx(ctx, func(ctx context.Context) error {
		if err := n.emptyDisk(ctx); err != nil {
			return err
		}
		if err := n.db.Raw(ctx, "test").Exec("INSERT INTO notes (text) VALUES (?)", text).Error; err != nil {
			return err
		}
		if n.enter != nil {
			n.enter <- struct{}{}
			<-n.leave
		}
		if n.fails.Add(-1) >= 0 {
			failure := n.failure.Load()
			switch {
			case failure == nil:
				return errTaken
			case n.db.Dialect() == database.SQLite:
				return n.fillDisk(ctx)
			default:
				return *failure
			}
		}

		return nil
	})
	if err != nil {
		return nil, err
	}

	return web.NewResource(note{Number: number, Text: text, Tags: tags}, number, "/notes/api/v1/notes/"+strconv.FormatInt(number, 10)), nil
}

// fillDisk has SQLite find no room for a note, after which it has rolled back all.
func (n *notes) fillDisk(ctx context.Context) error {
	if err := n.db.Raw(ctx, "test").Exec("PRAGMA max_page_count = 1").Error; err != nil {
		return err
	}

	return n.db.Raw(ctx, "test").Exec("INSERT INTO notes (text) VALUES (hex(zeroblob(1000000)))").Error
}

// emptyDisk takes back what fillDisk did, of which nothing is left by then but the limit.
func (n *notes) emptyDisk(ctx context.Context) error {
	if n.db.Dialect() != database.SQLite {
		return nil
	}

	return n.db.Raw(ctx, "test").Exec("PRAGMA max_page_count = 1073741823").Error
}

type rawNote struct{ web.RawJSON }

func (n *notes) raw(ctx context.Context, in *rawNote) (*web.Resource[note], error) {
	text := string(in.RawBody)
	in.RawBody[0] = 'x'

	return n.write(ctx, text, nil)
}

func (n *notes) touch(ctx context.Context, _ *oneThing) (*web.Resource[note], error) {
	return n.write(ctx, "touched", nil)
}

func (n *notes) mount(r *web.Router) {
	op := func(path, id string) web.Operation {
		return web.Operation{
			Method: http.MethodPost, Path: path, ID: id, Summary: "Write", Access: web.Write, Callers: web.OfBoth,
			Errors: []*errs.Error{errTaken},
		}
	}
	raw, hidden, put := op("/raw", "raw"), op("/secret", "secret"), op("/notes/{uuid}", "put")
	raw.RequestSchema = anyObject
	hidden.Secret = true
	put.Method = http.MethodPut
	web.Register(r, op("/notes", "create"), n.create)
	web.Register(r, op("/other", "other"), n.create)
	web.Register(r, op("/notes/{uuid}/touch", "touch"), n.touch)
	web.Register(r, raw, n.raw)
	web.Register(r, hidden, n.create)
	web.Register(r, put, n.touch)
}

// companies is an Authenticator: each token is a program of a company of its own.
type companies struct{}

func (companies) Authenticate(_ context.Context, bearer string) (principal.Principal, error) {
	if bearer == "" || bearer == "unknown" {
		return principal.Principal{}, errToken
	}
	id := uuid.NewSHA1(uuid.Nil, []byte(bearer))
	if bearer == "operator" {
		return principal.Principal{Kind: principal.Operator, Token: id, Scopes: []string{"*"}}, nil
	}

	return principal.Principal{Kind: principal.Service, Company: id, Token: id, Scopes: []string{"*"}}, nil
}

// eachNotes serves the area on both databases.
func eachNotes(t *testing.T, test func(t *testing.T, s *service, n *notes)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		db := databasetest.Open(t, url)
		s, n := serveNotes(t, db)
		test(t, s, n)
	})
}

func serveNotes(t testing.TB, db *database.DB, options ...func(*web.Settings)) (*service, *notes) {
	t.Helper()
	sources, err := migrate.Sources(migrations.FS, nil)
	require.NoError(t, err)
	require.NoError(t, migrate.Up(t.Context(), db, sources, slog.New(slog.DiscardHandler)))
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		return db.Raw(ctx, "test").Exec("CREATE TABLE notes (text text NOT NULL)").Error
	}))
	keys := secret.New(secret.Settings{Key: config.Secret(secret.NewKey())}, "")
	require.NoError(t, keys.Start(t.Context()))
	n := &notes{db: db}
	settings := web.Defaults()
	settings.Address = "127.0.0.1:0"
	for _, option := range options {
		option(&settings)
	}
	s := &service{log: &log{}}
	s.API = web.New(settings, companies{}, web.About{Name: "dispatchd"}, slog.New(slog.NewTextHandler(s.log, nil)))
	s.KeepAnswers(idempotency.New(idempotency.Defaults(), db, keys, clock.System{}))
	require.NoError(t, s.Mount("notes", n.mount))
	require.NoError(t, s.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })

	return s, n
}

func (n *notes) count(t *testing.T) int {
	t.Helper()
	var count int
	require.NoError(t, n.db.Raw(t.Context(), "test").Raw("SELECT count(*) FROM notes").Scan(&count).Error)

	return count
}

const (
	notesPath = "/notes/api/v1/notes"
	oneNote   = `{"text":"one","tags":["a"]}`
	keyA      = "Idempotency-Key: a"
)

// requireSame asserts that an answer is the replay of another.
func requireSame(t *testing.T, first, again reply) {
	t.Helper()
	require.Equal(t, first.StatusCode, again.StatusCode, again.body)
	require.Equal(t, first.body, again.body)
	for _, name := range []string{"Content-Type", "Etag", "Location", "Preference-Applied", "Cache-Control"} {
		require.Equal(t, first.Header.Values(name), again.Header.Values(name), name)
	}
	require.Empty(t, first.Header.Get("Idempotency-Replayed"))
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	require.NotEqual(t, first.Header.Get("X-Request-Id"), again.Header.Get("X-Request-Id"))
}

func TestIdempotencyKey_AnswersARepeatAsTheFirst(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		for i, path := range []string{notesPath, "/notes/api/v1/raw", "/notes/api/v1/secret"} {
			key := "Idempotency-Key: " + path
			first := s.call(t, http.MethodPost, path, oneNote, key).ok(t)
			again := s.call(t, http.MethodPost, path, oneNote, key).ok(t)
			requireSame(t, first, again)
			require.Equal(t, i+1, n.count(t))

			other := s.call(t, http.MethodPost, path, oneNote).ok(t) // as Huma sends it without a key
			require.Equal(t, first.Header.Get("Content-Type"), other.Header.Get("Content-Type"))
			require.Equal(t, strings.Replace(first.body, `"number":`+strconv.Itoa(2*i+1), `"number":`+strconv.Itoa(2*i+2), 1), other.body)
			n.undo(t)
		}
	})
}

// undo deletes the note that was written last.
func (n *notes) undo(t *testing.T) {
	t.Helper()
	count := n.count(t)
	require.NoError(t, n.db.InTx(t.Context(), func(ctx context.Context) error {
		if err := n.db.Raw(ctx, "test").Exec("DELETE FROM notes").Error; err != nil {
			return err
		}
		for range count - 1 {
			if err := n.db.Raw(ctx, "test").Exec("INSERT INTO notes (text) VALUES ('again')").Error; err != nil {
				return err
			}
		}

		return nil
	}))
}

func TestIdempotencyKey_IsForAVerbWithoutABodyToo(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		path := notesPath + "/" + uuid.Max.String() + "/touch"
		requireSame(t, s.call(t, http.MethodPost, path, "", keyA).ok(t), s.call(t, http.MethodPost, path, "", keyA).ok(t))
		require.Equal(t, 1, n.count(t))

		elsewhere := notesPath + "/" + uuid.NewString() + "/touch"
		require.Equal(t, "web.idempotency_key_reused", s.call(t, http.MethodPost, elsewhere, "", keyA).refused(t, 422).Code)
	})
}

func TestBody_OfAnOperationThatTakesNoneIsRefused(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		path := notesPath + "/" + uuid.Max.String() + "/touch"
		for body, field := range map[string]string{`{"amount":"15.00"}`: "amount", `[]`: "body", strings.Repeat(" ", 5000): "body"} {
			require.Contains(t, s.call(t, http.MethodPost, path, body).refused(t, 422).Errors, field, body)
		}
		s.call(t, http.MethodPost, path, "not json").refused(t, 400)
		require.Equal(t, 0, n.count(t))
		for _, nothing := range []string{"", " ", "{}", "null"} {
			s.call(t, http.MethodPost, path, nothing).ok(t)
		}
	})
}

func TestIdempotencyKey_RepeatsHonourPreferAsTheFirstDid(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, _ *notes) {
		t.Helper()
		first := s.call(t, http.MethodPost, notesPath, oneNote, keyA, "Prefer: return=minimal").ok(t)
		require.Equal(t, "{}", strings.TrimSpace(first.body))

		requireSame(t, first, s.call(t, http.MethodPost, notesPath, oneNote, keyA).ok(t))
	})
}

func TestIdempotencyKey_OfAnotherRequestIsRefused(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		s.call(t, http.MethodPost, notesPath, oneNote, keyA).ok(t)

		p := s.call(t, http.MethodPost, notesPath, `{"text":"two"}`, keyA).refused(t, 422)
		require.Equal(t, "web.idempotency_key_reused", p.Code)
		p = s.call(t, http.MethodPost, "/notes/api/v1/other", oneNote, keyA).refused(t, 422)
		require.Equal(t, "web.idempotency_key_reused", p.Code)
		require.Equal(t, 1, n.count(t))
	})
}

func TestIdempotencyKey_BelongsToItsCompany(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		for i, token := range []string{"one", "two", "operator"} {
			as := "Authorization: Bearer " + token
			first := s.call(t, http.MethodPost, notesPath, oneNote, keyA, as).ok(t)
			requireSame(t, first, s.call(t, http.MethodPost, notesPath, oneNote, keyA, as).ok(t))
			require.Equal(t, i+1, n.count(t))
		}
	})
}

func TestIdempotencyKey_KeepsNoFailures(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		n.fails.Store(2) // at the attempt, and once the key is claimed
		require.Equal(t, errTaken.Code, s.call(t, http.MethodPost, notesPath, oneNote, keyA).refused(t, 409).Code)
		require.Equal(t, []string{"text"}, s.call(t, http.MethodPost, notesPath, `{"text":""}`, keyA).refused(t, 422).fields())
		require.Equal(t, "web.malformed_json", s.call(t, http.MethodPost, notesPath, `{`, keyA).refused(t, 400).Code)
		require.Equal(t, "web.body_missing", s.call(t, http.MethodPost, notesPath, "", keyA).refused(t, 400).Code)
		require.Zero(t, n.count(t))

		first := s.call(t, http.MethodPost, notesPath, oneNote, keyA).ok(t)
		requireSame(t, first, s.call(t, http.MethodPost, notesPath, oneNote, keyA).ok(t))
		require.Equal(t, 1, n.count(t))
	})
}

// A victim of the database runs again, on a request that the handler has not changed.
func TestIdempotencyKey_GivesAHandlerThatRunsAgainTheSameRequest(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		var victim error = &pgconn.PgError{Code: "40P01", Message: "deadlock detected"}
		n.failure.Store(&victim)
		n.fails.Store(1)
		typed := s.call(t, http.MethodPost, notesPath, oneNote, keyA).ok(t)
		require.Contains(t, typed.body, `"number":2,"text":"one!","tags":["a","changed by the handler"]`)
		n.fails.Store(1)
		raw := s.call(t, http.MethodPost, "/notes/api/v1/raw", oneNote, "Idempotency-Key: b").ok(t)
		require.Contains(t, raw.body, `"text":"{\"text\":\"one\"`)

		require.Equal(t, 2, n.count(t))
		require.NotContains(t, s.log.String(), "request failed", "nobody needs to know of what went well in the end")
	})
}

func TestIdempotencyKey_WritesOnceForManyAtATime(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		replies := make([]reply, 32)
		var all sync.WaitGroup
		for i := range replies {
			all.Go(func() { replies[i] = s.call(t, http.MethodPost, notesPath, oneNote, keyA) })
		}
		all.Wait()

		fresh := 0
		for _, r := range replies {
			require.Equal(t, replies[0].body, r.ok(t).body)
			if r.Header.Get("Idempotency-Replayed") == "" {
				fresh++
			}
		}
		require.Equal(t, 1, fresh)
		require.Equal(t, 1, n.count(t))
	})
}

func TestIdempotencyKey_IsAConflictWhenTheFirstTakesTooLong(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		s, n := serveNotes(t, databasetest.Open(t, url), func(s *web.Settings) { s.RequestTimeout = 2 * time.Second })
		n.enter, n.leave = make(chan struct{}), make(chan struct{})
		var first sync.WaitGroup
		first.Go(func() { s.call(t, http.MethodPost, notesPath, oneNote, keyA) })
		<-n.enter

		r := s.call(t, http.MethodPost, notesPath, oneNote, keyA)
		close(n.leave)
		first.Wait()
		require.Equal(t, "web.idempotency_in_progress", r.refused(t, 409).Code)
		require.Equal(t, "1", r.Header.Get("Retry-After"))
	})
}

func TestIdempotencyKey_HasItsForm(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		for _, headers := range [][]string{
			{"Idempotency-Key: " + strings.Repeat("a", 256)}, {`Idempotency-Key: ""`}, {"Idempotency-Key: é"},
		} {
			p := s.call(t, http.MethodPost, notesPath, oneNote, headers...).refused(t, 422)
			require.Equal(t, "web.idempotency_key_invalid", p.Code)
			require.Equal(t, []string{"Idempotency-Key"}, p.fields())
		}
		s.call(t, http.MethodPost, notesPath, oneNote, "Idempotency-Key: "+strings.Repeat("a", 255)).ok(t)
		require.Equal(t, 1, n.count(t))

		first := s.call(t, http.MethodPost, notesPath, oneNote, `Idempotency-Key: "8e03978e-40d5"`).ok(t)
		requireSame(t, first, s.call(t, http.MethodPost, notesPath, oneNote, "Idempotency-Key: 8e03978e-40d5").ok(t))
	})
}

func TestIdempotencyKey_MeansNothingToOtherMethods(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		for range 2 {
			r := s.call(t, http.MethodPut, notesPath+"/"+uuid.Max.String(), "", keyA).ok(t)
			require.Empty(t, r.Header.Get("Idempotency-Replayed"))
		}
		require.Equal(t, 2, n.count(t))
	})
}

func TestSecret_IsEncryptedAndKeptByNobody(t *testing.T) {
	t.Parallel()
	eachNotes(t, func(t *testing.T, s *service, n *notes) {
		t.Helper()
		r := s.call(t, http.MethodPost, "/notes/api/v1/secret", oneNote, keyA).ok(t)
		require.Equal(t, "no-store", r.Header.Get("Cache-Control"))
		s.call(t, http.MethodPost, notesPath, oneNote, "Idempotency-Key: b").ok(t)

		var answers [][]byte
		require.NoError(t, n.db.Raw(t.Context(), "test").Raw("SELECT answer FROM idempotency_answers ORDER BY sealed").Scan(&answers).Error)
		require.Len(t, answers, 2)
		require.Contains(t, string(answers[0]), "one!")
		require.NotContains(t, string(answers[1]), "one!")
	})
}

func TestOpenAPI_DocumentsTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	d := documentOf(t, build(t))
	keyed := func(method string) bool {
		return slices.ContainsFunc(d.Paths[things][method].Parameters, func(p struct{ Name, In string }) bool {
			return p.Name == "Idempotency-Key" && p.In == "header"
		})
	}
	create := d.Paths[things]["post"]

	require.True(t, keyed("post"))
	require.Contains(t, create.Responses["409"].Description, "web.idempotency_in_progress")
	require.Contains(t, create.Responses["422"].Description, "web.idempotency_key_reused")
	require.Contains(t, create.Responses["200"].Headers, "Idempotency-Replayed")
	require.Contains(t, create.Responses["200"].Headers, "RateLimit")
	require.False(t, keyed("get"))
	require.NotContains(t, d.Paths[things]["get"].Responses["200"].Headers, "Idempotency-Replayed")
}
