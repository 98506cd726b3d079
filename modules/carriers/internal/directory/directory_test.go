package directory

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/carriers/internal/store"
	"github.com/dispatchd/dispatchd/modules/contacts/contactsapi"
)

func TestAllowed_KeepsToTheRefusalsOfTheContact(t *testing.T) {
	t.Parallel()
	own := carriersapi.Reach{Name: "Ann", Email: "ann@one.example", SMS: "+12145550143", Call: "+12145550143"}
	contact := contactsapi.Reach{Email: "contact@one.example", SMS: "+12145550199", Call: "+12145550199"}
	require.Equal(t, own, allowed(own, contact), "the carrier's own come first")
	require.Equal(t, carriersapi.Reach{Email: "contact@one.example", SMS: "+12145550199", Call: "+12145550199"}, allowed(carriersapi.Reach{}, contact))
	contact.Refused = contactsapi.Channels{Email: true, SMS: true}
	require.Equal(t, carriersapi.Reach{Name: "Ann", Call: "+12145550143"}, allowed(own, contact), "whoever knows the address")
}

func TestMissingOf_HasWhatNoCarrierHas(t *testing.T) {
	t.Parallel()
	row := store.Carrier{USDOT: new("9900001")}
	row.ID = uuid.New()
	other := uuid.New()
	require.Equal(t, []string{other.String(), "9900002", "MC-1"},
		missingOf([]store.Carrier{row}, []uuid.UUID{row.ID, other}, []string{"9900001", "9900002"}, []string{"MC-1"}))
	require.Equal(t, []string{}, missingOf([]store.Carrier{row}, []uuid.UUID{row.ID}, nil, nil), "none, rather than null")
}
