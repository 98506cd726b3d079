package archive

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/billsoflading/internal/store"
)

func TestDocumentReady_NamesTheStopAndWhoWasThere(t *testing.T) {
	t.Parallel()
	b := store.Bol{PickupStop: uuid.New(), DeliveryStop: uuid.New()}
	signatures := []store.Signature{
		{Stage: store.AtPickup, Role: store.Driver, Name: "Bo"},
		{Stage: store.AtPickup, Role: store.Releasing, Name: "Ann"},
		{Stage: store.AtDelivery, Role: store.Driver, Name: "Bo"},
		{Stage: store.AtDelivery, Role: store.Receiving, Name: ""},
	}
	pickup := documentReady(b, store.AtPickup, "file", signatures)
	require.Equal(t, []string{"pickup", b.PickupStop.String(), "Ann", "file"}, []string{pickup.Stage, pickup.Stop, pickup.Signer, pickup.Attachment})
	delivery := documentReady(b, store.AtDelivery, "file", signatures)
	require.Equal(t, []string{"delivery", b.DeliveryStop.String(), ""}, []string{delivery.Stage, delivery.Stop, delivery.Signer}, "no one was there")
}
