package proof

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/onetimecode"
)

var record = regulatorapi.Identity{Phone: "+12145550100", CellPhone: "+12145550101", Email: "dispatch@one.example"}

func TestOnRecord_TakesTheCarriersOwnOnlyWhereTheRecordHasNone(t *testing.T) {
	t.Parallel()
	own := verdict.Own{Phones: []string{"+12145550199"}, Emails: []string{"own@one.example"}}
	none := regulatorapi.Identity{}
	for name, one := range map[string]struct {
		via, channel string
		record       regulatorapi.Identity
		want         string
	}{
		"the phone of the record":         {"phone", "(214) 555-0100", record, "+12145550100"},
		"its cell phone":                  {"phone", "2145550101", record, "+12145550101"},
		"the carrier's own phone":         {"phone", "2145550199", record, ""},
		"its own phone, and no record":    {"phone", "2145550199", none, "+12145550199"},
		"the e-mail of the record":        {"email", "Dispatch@one.example", record, "dispatch@one.example"},
		"its own e-mail, and no record":   {"email", "own@one.example", none, "own@one.example"},
		"a phone for an e-mail":           {"email", "2145550100", record, ""},
		"nothing":                         {"phone", "", none, ""},
		"an e-mail where only phones are": {"email", "own@one.example", regulatorapi.Identity{Phone: "+12145550100"}, "own@one.example"},
	} {
		got, err := onRecord(one.via, one.channel, one.record, own)
		require.Equal(t, one.want, got, name)
		if one.want == "" {
			require.ErrorIs(t, err, ErrNotOnRecord, name)
		}
	}
}

func TestKeep_ConfirmsTheRecordAlone(t *testing.T) {
	t.Parallel()
	c := store.Carrier{Prospect: true, Email: "thief@0ne.example"}
	for _, channel := range []string{"thief@0ne.example", "", "Ann"} {
		require.ErrorIs(t, keep(&c, record, store.Confirmation{Channel: channel}), ErrNotOnRecord, channel)
		require.ErrorIs(t, keep(&c, regulatorapi.Identity{}, store.Confirmation{Channel: channel}), ErrNotOnRecord, "an empty record has nothing")
	}
	require.True(t, c.Prospect)
	for n := range 25 {
		require.NoError(t, keep(&c, record, store.Confirmation{Channel: "(214) 555-0100", At: time.Unix(int64(n), 0)}))
	}
	require.False(t, c.Prospect)
	require.Len(t, c.Identity.V, mostConfirmations)
	require.Equal(t, []int64{5, 24}, []int64{c.Identity.V[0].At.Unix(), c.Identity.V[19].At.Unix()}, "the latest are kept")
	require.Equal(t, "+12145550100", c.Identity.V[0].Channel)
}

func TestRecordFor_PrefersTheCellPhoneForTextMessages(t *testing.T) {
	t.Parallel()
	for channel, want := range map[string]string{notify.SMS: "+12145550101", notify.Email: "dispatch@one.example", byCall: "+12145550100"} {
		require.Equal(t, want, recordFor(record, channel), channel)
	}
	require.Equal(t, "+12145550100", recordFor(regulatorapi.Identity{Phone: "+12145550100"}, notify.SMS))
	require.Empty(t, recordFor(regulatorapi.Identity{}, notify.Email))
}

func TestMaskAddress_IsRecognizedByItsOwnerAlone(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"dispatch@one.example": "d***@one.example", "@one.example": "***@one.example", "+12145550143": "+1214 *** **43", "911": "***", "": "***",
	} {
		require.Equal(t, want, maskAddress(to), to)
	}
}

func TestRedeemed_SaysHowTheCodeWasSent(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	in := redeemed(id, onetimecode.Code{To: "dispatch@one.example", Channel: "email"})
	require.Equal(t, []any{id, "dispatch@one.example", "Entered the identity code sent by email.", ""}, []any{in.UUID, in.Body.Channel, in.Body.Note, in.IfMatch.IfMatch})
}
