package bookmarks

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
)

func TestName_IsThatOfTheCompanysCarrier(t *testing.T) {
	t.Parallel()
	carrier := store.Carrier{LegalName: "One", USDOT: new("9900001")}
	carrier.ID = uuid.New()
	found := theirs{map[uuid.UUID]store.Carrier{carrier.ID: carrier}, map[string]store.Carrier{"9900001": carrier}}
	for name, saved := range map[string]store.SavedCarrier{"by its id": {Carrier: &carrier.ID}, "by its number": {USDOT: new("9900001")}} {
		require.Empty(t, found.name(&saved), name)
		require.Equal(t, []string{carrier.ID.String(), "One", "9900001"}, []string{saved.Carrier.String(), saved.Name, *saved.USDOT}, name)
	}
	stranger := store.SavedCarrier{USDOT: new("9900002")}
	require.Empty(t, found.name(&stranger))
	require.Equal(t, "USDOT 9900002", stranger.Name)
	require.Contains(t, found.name(&store.SavedCarrier{Carrier: new(uuid.New()), USDOT: new("9900001")}), "does not belong")
	require.Contains(t, found.name(&store.SavedCarrier{}), "is required")
}
