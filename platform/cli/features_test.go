package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/module"
)

func TestCompanyFeatures_AreShownPlannedAndChanged(t *testing.T) {
	t.Parallel()
	c := command{dir: t.TempDir(), modules: []module.Module{
		module.New("esign", "Signatures").Needs("files"), module.New("files", "Files"),
	}}
	var made struct{ Company string }
	require.NoError(t, json.Unmarshal([]byte(c.ok(t, "company", "create", "Roadrunner", "-o", "json")), &made))
	features := func(args ...string) (code int, stdout, stderr string) {
		return c.run(t.Context(), append([]string{"company", "features", made.Company}, args...)...)
	}
	code, stdout, stderr := features("--off", "files", "--dry-run")
	require.Equal(t, 1, code)
	require.Regexp(t, `files +off .* esign +-`, stdout, "shown in spite of the refusal")
	require.Contains(t, stderr, "files is needed by esign.")
	code, _, stderr = features("--off", "filse")
	require.Equal(t, 1, code)
	require.Equal(t, "dispatchd: areas.filse: There is no such area; the nearest is files.\n", stderr)
	code, _, stderr = features("--off", "files", "--on", "files")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, `area "files" is both in --on and in --off`)
	_, stdout, _ = features()
	require.Regexp(t, `esign +on +files +-`, stdout, "nothing was changed so far")

	var plan struct{ On, Off []string }
	code, stdout, _ = features("--off", "files", "--cascade", "-o", "json")
	require.Zero(t, code)
	require.NoError(t, json.Unmarshal([]byte(stdout), &plan))
	require.Equal(t, []string{"esign", "files"}, plan.Off)
	_, stdout, _ = features()
	require.Regexp(t, `esign +off +files +20\d\d-`, stdout)
	code, _, stderr = c.run(t.Context(), "company", "features", "0190d0c0-0000-7000-8000-00000000ffff")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "There is no such company.")
}
