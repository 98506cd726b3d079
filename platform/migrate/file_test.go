package migrate

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database"
)

const minimal = "-- +goose Up\nCREATE TABLE x_a (a text);\n-- +goose Down\nDROP TABLE x_a;\n"

func tree(names ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte(minimal)}
	}

	return files
}

func TestRead_GivesEachDatabaseItsFilesInTheirOrder(t *testing.T) {
	t.Parallel()
	source := Source{Area: "x", FS: tree(
		"00010_j.sql", "00001_a.sql", "00002_b.postgres.sql", "00002_b.sqlite.sql", "00003_c.sqlite.sql", "readme.txt")}
	want := map[database.Dialect][]string{
		database.SQLite:   {"00001_a.sql", "00002_b.sqlite.sql", "00003_c.sqlite.sql", "00010_j.sql"},
		database.Postgres: {"00001_a.sql", "00002_b.postgres.sql", "00010_j.sql"},
	}
	for on, names := range want {
		a, err := readArea(source, on)
		require.NoError(t, err)
		got := make([]string, len(a.files))
		for i, f := range a.files {
			got[i] = f.name
		}
		require.Equal(t, names, got)
	}
}

func TestAreas_ReportEveryProblemAndNameTheArea(t *testing.T) {
	t.Parallel()
	_, err := listAreas([]Source{
		{Area: "empty", FS: tree("readme.txt")},
		{Area: "Wrong", FS: tree("00001_a.sql")},
		{Area: "twice", FS: tree("00001_a.sql", "00001_b.sql", "00002_c.sql", "00002_c.sqlite.sql")},
		{Area: "names", FS: tree("1_a.sql", "00001_A.sql", "00001_a.mysql.sql", "00000_zero.sql", "00001-a.sql")},
	}, database.SQLite)
	for _, want := range []string{
		`area "empty": no *.sql`, `area "Wrong"`, "00001_a.sql and 00001_b.sql", "00002_c.sql and 00002_c.sqlite.sql",
		"1_a.sql: want", "00001_A.sql: want", "00001_a.mysql.sql: want", "00000_zero.sql: versions", "00001-a.sql: want",
	} {
		require.ErrorContains(t, err, want)
	}
}

func TestAreas_ApplyThePlatformFirst(t *testing.T) {
	t.Parallel()
	all, err := listAreas([]Source{
		{Area: "sms", FS: tree("00001_a.sql")}, {Area: "platform", FS: tree("00001_a.sql")}, {Area: "loads", FS: tree("00001_a.sql")},
	}, database.Postgres)
	require.NoError(t, err)
	require.Equal(t, "platform", all[0].Area)
	require.Equal(t, "loads", all[1].Area)
	require.Equal(t, "sms", all[2].Area)
}

func TestSQL_RefusesWhatCannotBeTakenBackOrCouldStopHalfWay(t *testing.T) {
	t.Parallel()
	const concurrently = "-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY x_i ON x_a (a);\n" +
		"-- +goose Down\nDROP INDEX CONCURRENTLY x_i;\n"
	tests := []struct {
		name, file, sql, want string
	}{
		{"both ways", "00001_a.sql", minimal, ""},
		{"one way", "00001_a.sql", "-- +goose Up\nCREATE TABLE x_a (a text);\n", "+goose Down"},
		{"no way back", "00001_a.sql", "-- +goose Up\nCREATE TABLE x_a (a text);\n-- +goose Down\n-- nothing\n", "+goose Down"},
		{"without transaction, one statement", "00001_a.postgres.sql", concurrently, ""},
		{"without transaction, on both", "00001_a.sql", concurrently, "NO TRANSACTION"},
		{"without transaction, two statements", "00001_a.postgres.sql", concurrently + "DROP TABLE x_a;\n", "NO TRANSACTION"},
		{"a table of others", "00001_a.sql", "-- +goose Up\nCREATE TABLE y_a (a text);\n-- +goose Down\nDROP TABLE y_a;\n", "y_a"},
	}
	for _, test := range tests {
		f, err := parseFile(test.file)
		require.NoError(t, err)
		_, err = f.sql("x", test.sql, database.Postgres)
		if test.want == "" {
			require.NoErrorf(t, err, test.name)
		} else {
			require.ErrorContainsf(t, err, test.want, test.name)
		}
	}
}

func TestSQL_TranslatesForSQLiteWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	const sql = "-- +goose Up\nCREATE TABLE x_a (a uuid);\n-- +goose Down\nDROP TABLE x_a;\n"
	tests := []struct {
		file string
		on   database.Dialect
		want string
	}{
		{"00001_a.sql", database.Postgres, "(a uuid)"},
		{"00001_a.sql", database.SQLite, "(a text)"},
		{"00001_a.sqlite.sql", database.SQLite, "(a uuid)"},
	}
	for _, test := range tests {
		f, err := parseFile(test.file)
		require.NoError(t, err)
		got, err := f.sql("x", sql, test.on)
		require.NoError(t, err)
		require.Contains(t, got, test.want)
	}
}
