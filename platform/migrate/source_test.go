package migrate_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/migrate"
	"github.com/dispatchd/dispatchd/platform/module"
)

func TestSources_AreThePlatformAndTheAreasThatHaveTables(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"platform/00001_a.sql": {}, "sms/00001_a.sql": {}, "off/00001_a.sql": {}}
	foreign := fstest.MapFS{"00001_f.sql": {}}
	sources, err := migrate.Sources(tree, []module.Module{
		module.New("sms", ""), module.New("bare", ""), module.New("foreign", "", migrate.Files(foreign)),
	})
	require.NoError(t, err)
	require.Len(t, sources, 3)
	for i, area := range []string{"platform", "sms", "foreign"} {
		require.Equal(t, area, sources[i].Area)
	}
	_, err = sources[1].FS.Open("00001_a.sql")
	require.NoError(t, err)
	_, err = sources[2].FS.Open("00001_f.sql")
	require.NoError(t, err)
}

func TestSources_RefuseTwoSetsForOneArea(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"platform/00001_a.sql": {}, "sms/00001_a.sql": {}}
	files := migrate.Files(fstest.MapFS{"00001_f.sql": {}})
	_, err := migrate.Sources(tree, []module.Module{
		module.New("sms", "", files), module.New("loads", "", files, files), module.New("platform", ""),
	})
	require.ErrorContains(t, err, `area "sms": there are two sets`)
	require.ErrorContains(t, err, `area "loads": there are two sets`)
	require.ErrorContains(t, err, `area "platform": the id is reserved`)
}
