package papers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
)

func TestConfirmation_SaysWhichRevisionWasAccepted(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.November, 28, 10, 0, 0, 0, time.UTC)
	for name, one := range map[string]struct {
		row  store.Dispatch
		want string
	}{
		"not accepted": {store.Dispatch{Revision: 2}, "Revision 2: not accepted yet"},
		"the current revision": {
			store.Dispatch{Revision: 2, AcceptedRevision: 2, AcceptedBy: "Bo", AcceptedAt: &at},
			"Revision 2, recorded by the broker",
		},
		"an earlier revision": {
			store.Dispatch{Revision: 2, AcceptedRevision: 1, AcceptedBy: "Bo", AcceptedAt: &at},
			"Revision 1, recorded by the broker\nRevision 2: not accepted yet",
		},
		"by a link": {
			store.Dispatch{Revision: 1, AcceptedRevision: 1, AcceptedAt: &at, AcceptedFrom: "192.0.2.7"},
			"Revision 1, by a link, from 192.0.2.7",
		},
	} {
		require.Equal(t, one.want, confirmation{row: one.row}.accepted(), name)
	}
}
