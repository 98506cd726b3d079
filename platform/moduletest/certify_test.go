package moduletest

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/web"
)

var errNoNote = errs.New(errs.NotFound, "memos.note_not_found", "There is no such note.")

// notes keeps who made which note, in memory: it is about the rules, not about storage.
type notes struct {
	made map[uuid.UUID]uuid.UUID
	open bool // shows everybody everything
	// lies has an answer that is not the documented one, and torn a refusal that is not.
	lies, torn bool
}

type noteOutput struct {
	Body struct {
		UUID noteID `json:"uuid"`
	}
}

// noteID is documented as a UUID.
type noteID string

// Schema implements huma.SchemaProvider.
func (noteID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

type readNoteInput struct {
	UUID uuid.UUID `path:"uuid"`
}

func (n *notes) create(ctx context.Context, _ *struct{}) (*noteOutput, error) {
	who, _ := principal.From(ctx)
	id := uuid.New()
	n.made[id] = who.Company
	out := &noteOutput{}
	out.Body.UUID = noteID(id.String())

	return out, nil
}

func (n *notes) read(ctx context.Context, in *readNoteInput) (*noteOutput, error) {
	who, _ := principal.From(ctx)
	if n.made[in.UUID] != who.Company && !n.open {
		return nil, errNoNote
	}
	if n.torn {
		return nil, errs.New(errs.Locked, "memos.torn", "The note is torn.")
	}
	out := &noteOutput{}
	out.Body.UUID = noteID(in.UUID.String())
	if n.lies {
		out.Body.UUID = "a note"
	}

	return out, nil
}

func noteRoutes(r *web.Router, n *notes) {
	failures := []*errs.Error{errNoNote}
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/notes", ID: "create_note", Summary: "Create", Access: web.Write, Errors: failures,
	}, n.create)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/notes/{uuid}", ID: "read_note", Summary: "Read", Access: web.Read, Errors: failures,
	}, n.read)
}

// area is a module that keeps every promise, but for what a test changes about it.
type area struct {
	open     bool
	lies     bool
	torn     bool
	settings fx.Option
	down     string
	more     []fx.Option
}

func (a area) module() module.Module {
	if a.down == "" {
		a.down = "DROP TABLE memos_notes;"
	}
	tables := fstest.MapFS{"00001_create_notes.sql": {Data: []byte(
		"-- +goose Up\nCREATE TABLE memos_notes (id uuid PRIMARY KEY);\n-- +goose Down\n" + a.down)}}
	options := []fx.Option{
		fx.Provide(func() *notes {
			return &notes{made: map[uuid.UUID]uuid.UUID{}, open: a.open, lies: a.lies, torn: a.torn}
		}, fx.Private),
		web.Routes(noteRoutes),
		migrate.Files(tables),
	}
	if a.settings != nil {
		options = append(options, a.settings)
	}

	return module.New("memos", "Notes", append(options, a.more...)...)
}

const noteFixture = `
calls:
  - operation: memos_create_note
    save: {note: uuid}
  - operation: memos_read_note
    path: {uuid: "${note}"}
`

func runCheck(t *testing.T, name, fixture string, modules ...module.Module) (failures []error) {
	t.Helper()
	parsed, err := parseFixture([]byte(fixture))
	require.NoError(t, err)
	for _, check := range slices.Concat(declarations, lonely, checks) {
		if check.name != name {
			continue
		}
		databasetest.Sequential(t, func(t *testing.T, url string) {
			t.Helper()
			failures = append(failures, check.run(t.Context(), subject{
				id: "memos", modules: modules, fixture: parsed, url: url, dir: t.TempDir(),
			}))
		})
	}
	require.NotEmpty(t, failures, "there is such a check")

	return failures
}

//nolint:paralleltest // certification counts goroutines
func TestChecks_PassForAnAreaThatKeepsItsPromises(t *testing.T) {
	for _, check := range slices.Concat(declarations, lonely, checks) {
		for _, failure := range runCheck(t, check.name, noteFixture, area{}.module()) {
			require.NoErrorf(t, failure, "%s", check.name)
		}
	}
}

type looseSettings struct {
	NoSuchKey int `config:"no_such_key" doc:"A key that certification makes up."`
}

// stranger serves an operation of notes from outside of notes.
func stranger() module.Module {
	return module.New("stranger", "", fx.Invoke(func(api *web.API) error {
		return api.Mount("memos", func(r *web.Router) { noteRoutes(r, &notes{}) })
	}))
}

//nolint:paralleltest // certification counts goroutines
func TestChecks_EachFailsForAnAreaThatBreaksItsPromise(t *testing.T) {
	leak := make(chan struct{})
	defer close(leak)
	broken := []struct {
		check, want, fixture string
		modules              []module.Module
	}{
		{
			"boots alone, twice, and leaves nothing running", "found unexpected goroutines", noteFixture,
			[]module.Module{area{more: []fx.Option{fx.Invoke(func() { go func() { <-leak }() })}}.module()},
		},
		{
			"boots alone, twice, and leaves nothing running", `needs "sms"`, noteFixture,
			[]module.Module{area{}.module().Needs("sms")},
		},
		{
			"refuses unknown configuration", "modules.memos.no_such_key=1 is accepted", noteFixture,
			[]module.Module{area{settings: config.Section(looseSettings{})}.module()},
		},
		{
			"migrates up, down and up", `table "memos_notes" is there`, noteFixture,
			[]module.Module{area{down: "SELECT 1;"}.module()},
		},
		{
			"declares its operations fully", `operation "memos_read_note": no call in testdata/certify.yaml`,
			"calls:\n  - operation: memos_create_note\n",
			[]module.Module{area{}.module()},
		},
		{
			"declares its operations fully", `the role "dispatcher" is granted "memos:sent", which no operation asks for`, noteFixture,
			[]module.Module{area{more: []fx.Option{identity.Grants(identity.Dispatcher, "sent")}}.module()},
		},
		{
			"is gone when it is off", "is served at /memos/api/v1/notes although the area is off", noteFixture,
			[]module.Module{module.New("memos", ""), stranger()},
		},
		{
			"answers its fixture to its company alone", "another company got 200, want 404", noteFixture,
			[]module.Module{area{open: true}.module()},
		},
		{
			"answers its fixture to its company alone", "'a note' is not valid uuid", noteFixture,
			[]module.Module{area{lies: true}.module()},
		},
		{
			"answers its fixture to its company alone", "does not match the OpenAPI document: it does not have the status", noteFixture,
			[]module.Module{area{torn: true}.module()},
		},
		{
			"answers its fixture to its company alone", "the owner got 404",
			"calls:\n  - operation: memos_read_note\n    path: {uuid: 0190d0c0-0000-7000-8000-000000000009}\n",
			[]module.Module{area{}.module()},
		},
	}
	for _, b := range broken {
		for _, failure := range runCheck(t, b.check, b.fixture, b.modules...) {
			require.ErrorContainsf(t, failure, b.want, "%s", b.check)
		}
	}
}

func TestParseFixture_RefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	_, err := parseFixture([]byte("calls:\n  - operation: x\n    pth: {}\n"))
	require.ErrorContains(t, err, "pth")
}
