package moduletest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDeclaredCodes_AreTheAreasOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte("package x\n"+text), 0o600))
	}
	write("a.go", `var errTorn = errs.New(errs.Conflict, "bells.torn", "The rope is torn.")`)
	write("internal/deep/b.go", `func f() error { return errs.New(errs.Gone, "bells.gone", "Gone.").WithField("x", "y") }`)
	write("c.go", `var other, plain = errs.New(errs.Conflict, "ropes.torn", ""), errors.New("bells.plain")`)
	write("a_test.go", `var errTest = errs.New(errs.Conflict, "bells.test", "")`)
	write("testdata/d.go", `var errData = errs.New(errs.Conflict, "bells.data", "")`)

	codes, err := declaredCodes(dir, "bells")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"bells.torn", "bells.gone"}, codes)
	named, err := namesInTests(dir)
	require.NoError(t, err)
	require.True(t, named["bells.test"])
	require.False(t, named["bells.torn"], "no test names it")
}

func TestRaised_AreCodesOfBodies(t *testing.T) {
	t.Parallel()
	raised := &raisedNames{names: map[string]bool{}}
	raised.noteCodes("/bells/api/v1/bells", []byte(`{"data": [{"code": "bells.torn"}, {"error_code":"bells.cracked"}], "name": "bells.quoted"}`))
	raised.noteCodes("/openapi.json", []byte(`{"code": "bells.documented"}`))

	require.Equal(t, []string{"bells.quoted", "bells.documented"},
		raised.without([]string{"bells.quoted", "bells.torn", "bells.cracked", "bells.documented"}))
}

func TestRaised_AreEventsAndRefusalsOfAServiceThatStops(t *testing.T) {
	t.Parallel()
	BootEach(t, bellModules(), func(t *testing.T, a *App) {
		t.Helper()
		a.Call(t, a.Owner.Token, "POST", "/bells/api/v1/ring", `{"bell": "first"}`).OK(t)
		a.Call(t, a.Owner.Token, "POST", "/bells/api/v1/ring", `{"bell": "torn"}`).Refused(t, 409, "bells.torn")

		raised := &raisedNames{names: map[string]bool{}}
		raised.noteEvents(t.Context(), a)
		a.refusals.note(raised)
		require.Equal(t, []string{"bells.worn"}, raised.without([]string{"bells.bell.rung", "bells.torn", "bells.worn"}))
	})
}
