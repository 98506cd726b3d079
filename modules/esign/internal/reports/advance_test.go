package reports

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
	"github.com/dispatchd/dispatchd/modules/esign/internal/store"
	"github.com/dispatchd/dispatchd/platform/clock"
)

// TestAdvance_DoesNotDependOnTheOrder tells an envelope all that a vendor could ever say, in two orders, with repeats.
func TestAdvance_DoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	s := &Progress{clock: clock.NewFake(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))}
	words := []string{
		"created", "processing", "sent", "delivered", "correct", "signed", "completed", "declined", "voided", "expired", "deleted",
		"authoritativecopy", "transfercompleted", "floating", "",
	}
	bounded := []string{"created", "sent", "delivered", "completed", "declined", "voided", "deleted"} // as events without a summary say
	tell := func(all []provider.Update) store.Envelope {
		row := store.Envelope{State: store.Sending}
		for _, u := range all {
			s.advance(&row, Report{Update: u})
			s.noteTimes(&row, Report{Update: u})
		}

		return row
	}
	rapid.Check(t, func(t *rapid.T) {
		news := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) provider.Update {
			u := provider.Update{Status: rapid.SampledFrom(words).Draw(t, "status")}
			u.At = time.Date(2026, 11, 1, 0, 0, rapid.IntRange(0, 9).Draw(t, "second"), 0, time.UTC)
			u.Expired = u.Status == "voided" && rapid.Bool().Draw(t, "expired")
			u.Bound = slices.Contains(bounded, u.Status) && rapid.Bool().Draw(t, "bound")

			return u
		}), 0, 12).Draw(t, "news")
		other := append(slices.Clone(news), news[:rapid.IntRange(0, len(news)).Draw(t, "repeated")]...)
		other = rapid.Permutation(other).Draw(t, "other order")
		if first, second := tell(news), tell(other); first.State != second.State || !timeValue(first.HeardAt).Equal(timeValue(second.HeardAt)) ||
			!timeValue(first.EndedAt).Equal(timeValue(second.EndedAt)) || !timeValue(first.SentAt).Equal(timeValue(second.SentAt)) {
			t.Fatalf("%s at %v, and %s at %v", first.State, first.HeardAt, second.State, second.HeardAt)
		}
	})
}

// TestAdvance_NewsWithoutATimeNeverMovesBack: nobody knows which is later, so an envelope only goes on.
func TestAdvance_NewsWithoutATimeNeverMovesBack(t *testing.T) {
	t.Parallel()
	s := &Progress{clock: clock.NewFake(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))}
	row := store.Envelope{State: store.Sending}
	for _, step := range []struct {
		told string
		want store.Status
	}{{"sent", store.Sent}, {"created", store.Sent}, {"delivered", store.Delivered}, {"sent", store.Delivered}, {"declined", store.Declined}, {"completed", store.Completed}, {"sent", store.Completed}} {
		s.advance(&row, Report{Update: provider.Update{Status: step.told}})
		require.Equal(t, step.want, row.State, step.told)
	}
	row = store.Envelope{State: store.Sending}
	at := func(second int) time.Time { return time.Date(2026, 11, 1, 0, 0, second, 0, time.UTC) }
	for _, step := range []struct {
		told   string
		second int
		bound  bool
		want   store.Status
	}{
		{"delivered", 3, false, store.Delivered},
		{"sent", 9, true, store.Delivered}, // by then at the latest: it may have been before
		{"sent", 5, false, store.Sent},     // it was corrected
		{"delivered", 4, true, store.Sent},
		{"delivered", 6, true, store.Delivered},
		{"created", 9, false, store.Delivered},
	} {
		s.advance(&row, Report{Update: provider.Update{Status: step.told, At: at(step.second), Bound: step.bound}})
		require.Equal(t, step.want, row.State, step)
	}
	row = store.Envelope{State: store.Sending}
	s.advance(&row, Report{Update: provider.Update{Status: "sent", At: time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC)}})
	s.advance(&row, Report{Update: provider.Update{Status: "delivered", At: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}})
	require.Equal(t, store.Delivered, row.State, "a clock that is years ahead holds up nothing")
}

// The words are those of DocuSign's documentation of envelopes and of Connect.
func TestAdvance_KnowsEveryWordOfDocuSign(t *testing.T) {
	t.Parallel()
	s := &Progress{clock: clock.NewFake(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))}
	for word, want := range map[string]store.Status{
		"created": store.Created, "processing": store.Processing, "sent": store.Sent, "delivered": store.Delivered, "correct": store.Correcting,
		"signed": store.Signed, "completed": store.Completed, "declined": store.Declined, "voided": store.Voided, "timedout": store.Expired,
		"deleted": store.Deleted, "authoritativecopy": store.AuthoritativeCopy, "transfercompleted": store.TransferCompleted,
		"template": store.Sending, "purged": store.Sending, "new_word": store.Sending,
	} {
		row := store.Envelope{State: store.Sending}
		s.advance(&row, Report{Update: provider.Update{Status: word}})
		require.Equal(t, want, row.State, word)
	}
	signed := store.Envelope{State: store.Sending}
	for _, word := range []string{"completed", "purged"} {
		s.advance(&signed, Report{Update: provider.Update{Status: word}})
	}
	require.Equal(t, store.Completed, signed.State, "what was signed stays signed without its documents")
}
