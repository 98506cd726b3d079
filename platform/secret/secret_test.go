package secret

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/migrations"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/migrate"
)

func started(t testing.TB, text string) *Keys {
	t.Helper()
	keys := New(Settings{Key: config.Secret(text)}, "")
	require.NoError(t, keys.Start(t.Context()))

	return keys
}

func place() Place {
	return Place{Table: "sms_accounts", Column: "password", Company: uuid.New(), ID: uuid.New()}
}

func TestSeal_HidesTheValueAndBindsItToItsPlace(t *testing.T) {
	t.Parallel()
	keys, value := started(t, NewKey()), []byte("hunter2hunter2")
	at := place()
	sealed, err := keys.Seal(t.Context(), at, value)
	require.NoError(t, err)
	require.False(t, bytes.Contains(sealed, value))
	again, err := keys.Seal(t.Context(), at, value)
	require.NoError(t, err)
	require.NotEqual(t, sealed, again)
	require.Less(t, len(sealed)-len(value), 140)

	open, err := keys.Open(t.Context(), at, sealed)
	require.NoError(t, err)
	require.Equal(t, value, open)

	for _, elsewhere := range []Place{
		{Table: "sms_account", Column: "spassword", Company: at.Company, ID: at.ID},
		{Table: at.Table, Column: "other", Company: at.Company, ID: at.ID},
		{Table: at.Table, Column: at.Column, Company: uuid.New(), ID: at.ID},
		{Table: at.Table, Column: at.Column, Company: at.Company, ID: uuid.New()},
	} {
		_, err := keys.Open(t.Context(), elsewhere, sealed)
		require.ErrorIs(t, err, ErrUnreadable)
	}
	_, err = started(t, NewKey()).Open(t.Context(), at, sealed)
	require.ErrorIs(t, err, ErrUnreadable)
}

func TestOpen_RefusesWhatWasChanged(t *testing.T) {
	t.Parallel()
	keys, at := started(t, NewKey()), place()
	sealed, err := keys.Seal(t.Context(), at, []byte("value"))
	require.NoError(t, err)
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		_, err := keys.Open(t.Context(), at, changed)
		require.ErrorIsf(t, err, ErrUnreadable, "byte %d", i)
	}
	for size := range sealed {
		_, err := keys.Open(t.Context(), at, sealed[:size])
		require.ErrorIsf(t, err, ErrUnreadable, "%d bytes", size)
	}
}

func FuzzOpen(f *testing.F) {
	keys := started(f, NewKey())
	sealed, err := keys.Seal(f.Context(), Place{}, []byte("value"))
	require.NoError(f, err)
	f.Add(sealed)
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := keys.Open(t.Context(), Place{}, text)
		if err == nil {
			require.Equal(t, []byte("value"), value)
		}
	})
}

func TestKeys_AreReplacedByPuttingANewOneInFront(t *testing.T) {
	t.Parallel()
	first, second := NewKey(), NewKey()
	before, during, after := started(t, first), started(t, second+",\n"+first), started(t, second)
	at := place()
	sealed, err := before.Seal(t.Context(), at, []byte("value"))
	require.NoError(t, err)
	open, err := during.Open(t.Context(), at, sealed)
	require.NoError(t, err)
	sealed, err = during.Seal(t.Context(), at, open)
	require.NoError(t, err)
	open, err = after.Open(t.Context(), at, sealed)
	require.NoError(t, err)
	require.Equal(t, "value", string(open))
}

func TestDerive_IsTheSameForAPurposeAndADifferentOneForEach(t *testing.T) {
	t.Parallel()
	text := NewKey()
	one, two := started(t, text), started(t, NewKey()+" "+text)
	a, err := one.Derive("web.cookies")
	require.NoError(t, err)
	require.Len(t, a, 32)
	b, err := one.Derive("web.csrf")
	require.NoError(t, err)
	require.NotEqual(t, a, b)
	all, err := two.DeriveAll("web.cookies")
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, a, all[1])
	require.NotEqual(t, a, all[0])
}

func TestStart_SaysHowToMakeAKeyWhereOneIsNeeded(t *testing.T) {
	t.Parallel()
	keys := New(Settings{}, "")
	err := keys.Start(t.Context())
	require.ErrorContains(t, err, "dispatchd secret new")
	require.ErrorContains(t, err, "DISPATCHD_SECRET__KEY")
	_, err = keys.Seal(t.Context(), Place{}, nil)
	require.ErrorIs(t, err, errNotStarted)
}

func TestStart_MakesTheFileOnceForTheUserOfTheProcessAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", FileName)
	all := make([]*Keys, 8)
	var processes sync.WaitGroup
	for i := range all {
		all[i] = New(Settings{}, path)
		processes.Go(func() {
			if err := all[i].Start(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	processes.Wait()
	sealed, err := all[0].Seal(t.Context(), Place{}, []byte("value"))
	require.NoError(t, err)
	for _, keys := range append(all, New(Settings{}, path)) {
		require.NoError(t, keys.Start(t.Context()))
		_, err := keys.Open(t.Context(), Place{}, sealed)
		require.NoError(t, err)
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, files, 1)
}

func TestStart_NamesAFileThatHoldsNoKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), FileName)
	require.NoError(t, os.WriteFile(path, []byte("hunter2\n"), 0o600))
	err := New(Settings{}, path).Start(t.Context())
	require.ErrorContains(t, err, path)
	require.NotContains(t, err.Error(), "hunter2")
}

func TestValidate_RefusesWhatIsNoKeyWithoutQuotingIt(t *testing.T) {
	t.Parallel()
	key := NewKey()
	for _, good := range []string{"", "file:/run/secrets/key", key, key + "," + NewKey(), key + "\n" + NewKey() + "\n"} {
		require.NoError(t, Settings{Key: config.Secret(good)}.Validate())
	}
	for _, wrong := range []string{"hunter2", key[:len(key)-1], strings.ToUpper(key), key + "A", key + "," + key, "dsk_", ","} {
		err := Settings{Key: config.Secret(wrong)}.Validate()
		require.ErrorContainsf(t, err, "key: ", wrong)
		require.NotContains(t, err.Error(), key[4:])
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestRecognise_RefusesAnotherKeyThanTheDatabaseWasUsedWith(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		log := slog.New(slog.DiscardHandler)
		db := databasetest.Open(t, url)
		sources, err := migrate.Sources(migrations.FS, nil)
		require.NoError(t, err)
		require.NoError(t, migrate.Up(t.Context(), db, sources, log))

		first, second := NewKey(), NewKey()
		require.NoError(t, started(t, first).Recognise(t.Context(), db))
		require.NoError(t, started(t, first).Recognise(t.Context(), db))
		require.ErrorContains(t, started(t, second).Recognise(t.Context(), db), "is not the master key of this database")
		require.NoError(t, started(t, second+","+first).Recognise(t.Context(), db))
		require.NoError(t, started(t, second).Recognise(t.Context(), db), "it was noted")
		require.Error(t, started(t, NewKey()).Recognise(t.Context(), db))
	})
}

func BenchmarkSeal(b *testing.B) {
	keys, value := started(b, NewKey()), make([]byte, 64)
	for b.Loop() {
		_, err := keys.Seal(b.Context(), Place{}, value)
		require.NoError(b, err)
	}
}
