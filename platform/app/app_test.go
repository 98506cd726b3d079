package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/app"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/web"
)

func TestLocal_IsNoFileAndTheDefaultDatabase(t *testing.T) {
	t.Parallel()
	tests := []struct {
		set          []string
		local, debug bool
	}{
		{nil, true, true},
		{[]string{"web.debug=false"}, true, false},
		{[]string{"data_dir=/elsewhere"}, true, true},
		{[]string{"database.url=sqlite:/elsewhere/x.db"}, false, false},
		{[]string{"database.url=postgres://db/x"}, false, false},
		{[]string{"database.url=postgres://db/x", "web.debug=true"}, false, true},
	}
	for _, test := range tests {
		cfg, err := app.Load(config.LoadOptions{Set: test.set})
		require.NoErrorf(t, err, "%v", test.set)
		require.Equalf(t, test.local, app.Local(cfg), "%v", test.set)
		require.Equalf(t, test.debug, config.Get[web.Settings](cfg, "web").Debug, "%v", test.set)
	}
}

func TestNew_ReportsAMissingNeedBeforeAnythingIsBuilt(t *testing.T) {
	t.Parallel()
	modules := []module.Module{module.New("esign", "").Needs("attachments"), module.New("attachments", "")}
	cfg, err := app.Load(config.LoadOptions{Modules: modules, Set: []string{"modules.attachments.enabled=false"}})
	require.NoError(t, err)
	_, err = app.New(cfg, modules)
	require.EqualError(t, err, `area "esign" needs "attachments", which is off: set modules.attachments.enabled`)
}

func TestCommands_AreDeclaredOnceAnArea(t *testing.T) {
	t.Parallel()
	cfg, err := app.Load(config.LoadOptions{Set: []string{"data_dir=" + t.TempDir()}})
	require.NoError(t, err)
	service, err := app.New(cfg, nil)
	require.NoError(t, err)
	require.NoError(t, service.Commands.Add("a", "verify", nil))
	require.NoError(t, service.Commands.Add("b", "verify", nil))
	require.EqualError(t, service.Commands.Add("a", "verify", nil), `command "verify" is declared twice`)
	require.Nil(t, service.Commands.Find("c", "verify"))
}
