package scaffold

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseFields_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		"code":                     `field "code": want key:type`,
		"code:text":                "one must be a required text",
		"code:text! rate:float":    `there is no type "float": want an item type such as yard.spot, or one of amount, boolean`,
		"code:text! uuid:text":     "every row, or SQL, has that name already",
		"code:text! code:integer":  "there are two of that name",
		"code:text! l:loads.load!": "a reference is made required in the struct",
		"Code:text!":               `field "Code:text!": want key:type`,
	} {
		_, err := parseFields(fields)
		require.ErrorContains(t, err, want, fields)
	}
}

func TestWrite_WritesFieldsIntoStructTableTestAndPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/theirs\n"), 0o600))
	_, err := Area{Dir: dir, ID: "yard_spots", Noun: "spot", Fields: "code:text! lanes:integer opened:datetime! vin:vin load:loads.load"}.Write()
	require.NoError(t, err)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, "yardspots", name))
		require.NoError(t, err)

		return string(text)
	}
	require.Contains(t, read("spot.go"), "\tCode   string     `json:\"code\" field:\"required,max=100,unique,sort,search,title\"`\n"+
		"\tLanes  *int64     `json:\"lanes\"`\n"+
		"\tOpened time.Time  `json:\"opened\" field:\"required\"`\n"+
		"\tVIN    field.VIN  `json:\"vin\"`\n"+
		"\tLoad   *uuid.UUID `json:\"load_uuid\" gorm:\"column:load_id\" field:\"item=loads.load,on_delete=clear\"`\n")
	migration := read("migrations/00001_create_spots.sql")
	require.Contains(t, migration, "    code       text COLLATE \"C\" NOT NULL,\n    lanes      bigint,\n    opened     timestamptz NOT NULL,\n")
	require.Contains(t, migration, "CREATE INDEX yard_spots_spots_load_id ON yard_spots_spots (company_id, load_id, id);")
	require.Contains(t, read("yardspots_test.go"), `{"code": " First ", "lanes": 3, "opened": "2026-12-01T09:30:00Z", "vin": "1M8GDM9AXKP042788"}`)
	require.Contains(t, read("README.md"), "a spot has a code, which no other spot has")
}
