package inbound_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/inbound"
)

// names are those of the files of the owner.
func (s scene) names(t *testing.T) []string {
	t.Helper()
	names := []string{}
	for found, err := range s.files.List(as(t, s.Owner), "inbound") {
		require.NoError(t, err)
		names = append(names, found.Name)
	}

	return names
}

func (s scene) body(t *testing.T, id uuid.UUID) string {
	t.Helper()
	body, err := s.Inbox.Body(as(t, s.Owner), id)
	require.NoError(t, err)
	text, err := io.ReadAll(body)
	require.NoError(t, err)
	if closer, ok := body.(io.Closer); ok {
		require.NoError(t, closer.Close())
	}

	return string(text)
}

func TestFiles_KeepLargeBodiesUntilTheyAreOld(t *testing.T) {
	t.Parallel()
	large := `"` + strings.Repeat("x", 2<<20) + `"`
	ringing(t, newBell, func(t *testing.T, s scene) {
		s.peal(t, s.Owner, large).OK(t)
		got := s.WaitHandled(t, s.Owner, 1)[0]
		require.Equal(t, inbound.Processed, got.State)
		require.Equal(t, int64(len(large)), got.Size)
		require.Equal(t, 1, count(t, s.DB, "SELECT count(*) FROM rings WHERE length(body) > 2000000"), "the area got all of it")
		require.Zero(t, count(t, s.DB, "SELECT sum(length(body)) FROM inbound_bodies"))
		require.Len(t, s.names(t), 1)
		require.Equal(t, large, s.body(t, got.ID))
		_, request, err := s.Inbox.Find(as(t, s.Owner), got.ID)
		require.NoError(t, err)
		require.Empty(t, request.Body)
		used, err := s.Inbox.Usage(as(t, s.Owner))
		require.NoError(t, err)
		require.Equal(t, inbound.Usage{Files: 1, Bytes: got.Size}, used)

		s.peal(t, s.Owner, large).OK(t)
		require.Equal(t, 1, s.WaitHandled(t, s.Owner, 1)[0].Duplicates)
		require.Len(t, s.names(t), 1, "that of the duplicate is gone")

		_, err = s.Inbox.Replay(as(t, s.Owner), got.ID)
		require.NoError(t, err)
		s.WaitHandled(t, s.Owner, 1)
		require.Equal(t, 2, count(t, s.DB, "SELECT count(*) FROM rings WHERE length(body) > 2000000"))

		require.NoError(t, s.Inbox.RemoveOrphanFiles(t.Context()))
		require.Len(t, s.names(t), 1, "a delivery is about it")
		s.clock.late.Store(int64(31 * 24 * time.Hour))
		removed, err := s.Inbox.Sweep(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, removed)
		require.Empty(t, s.names(t))
		_, err = s.Inbox.Body(as(t, s.Owner), got.ID)
		require.ErrorIs(t, err, inbound.ErrBodyGone)
		used, err = s.Inbox.Usage(as(t, s.Owner))
		require.NoError(t, err)
		require.Zero(t, used)
	})
}

func TestFiles_KeepInTheDatabaseWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	large := `"` + strings.Repeat("x", 2<<20) + `"`
	ringing(t, newBell, func(t *testing.T, s scene) {
		s.files.Through(func(io.Writer) io.Writer { return brokenDisk{} })
		s.peal(t, s.Owner, large).OK(t)
		require.Equal(t, inbound.Processed, s.WaitHandled(t, s.Owner, 1)[0].State)
		require.Empty(t, s.names(t))
		require.Equal(t, large, s.body(t, s.Received(t, s.Owner)[0].ID))
	})
}

type brokenDisk struct{}

// Write implements io.Writer.
func (brokenDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is broken") }

func TestFiles_AreRemovedIfNoDeliveryIsAboutThem(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		id := uuid.NewString()
		_, err := s.files.Write(as(t, s.Owner), "inbound/"+id[len(id)-2:]+"/"+id, strings.NewReader("stray"))
		require.NoError(t, err)
		require.NoError(t, s.Inbox.RemoveOrphanFiles(t.Context()))
		require.Len(t, s.names(t), 1, "its delivery may be about to be stored")
		s.clock.late.Store(int64(2 * time.Hour))
		require.NoError(t, s.Inbox.RemoveOrphanFiles(t.Context()))
		require.Empty(t, s.names(t))
	})
}

func TestFiles_CanBeOff(t *testing.T) {
	t.Parallel()
	ringing(t, newBell, func(t *testing.T, s scene) {
		s.peal(t, s.Owner, `"`+strings.Repeat("x", 2<<20)+`"`).OK(t)
		require.Equal(t, http.StatusOK, s.peal(t, s.Owner, "{}").Status)
		require.Empty(t, s.names(t))
	}, "inbound.file_above=0B")
}
