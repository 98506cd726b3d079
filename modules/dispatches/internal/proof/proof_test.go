package proof

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/preferences"
	"github.com/dispatchd/dispatchd/modules/dispatches/internal/store"
)

func TestNeed_IsWhatACarrierHasYetToProve(t *testing.T) {
	t.Parallel()
	known, prospect := carriersapi.Carrier{USDOT: "9900001"}, carriersapi.Carrier{Prospect: true}
	numbered, robot := carriersapi.Carrier{Prospect: true, USDOT: "9900001"}, carriersapi.Carrier{USDOT: "9900001", Email: "Accept@" + carriersapi.SandboxDomain}
	fresh, identified, claimed := store.Offer{}, store.Offer{IdentifiedAt: &time.Time{}}, store.Offer{ClaimedUSDOT: "9900001"}
	const off = "off"
	for name, one := range map[string]struct {
		offer   store.Offer
		carrier carriersapi.Carrier
		proof   string
		sandbox bool
		want    need
	}{
		"a carrier of the company, at the first time": {fresh, known, preferences.ProofNew, false, firstIdentity},
		"each time":                                       {fresh, known, preferences.ProofAlways, false, identity},
		"never":                                           {fresh, known, off, false, nothing},
		"once it has, by this offer":                      {identified, known, preferences.ProofAlways, false, nothing},
		"a prospect, whatever the settings":               {fresh, prospect, off, false, number},
		"a prospect that has named one":                   {claimed, prospect, off, false, claimedNumber},
		"a prospect that names one again after a code":    {identified, prospect, off, false, number},
		"a prospect with a number":                        {fresh, numbered, off, false, identity},
		"a robot":                                         {fresh, robot, preferences.ProofAlways, true, nothing},
		"an address like a robot's, where there are none": {fresh, robot, preferences.ProofAlways, false, identity},
	} {
		require.Equal(t, one.want, needOf(one.offer, one.carrier, preferences.Preferences{Proof: one.proof, Sandbox: one.sandbox}), name)
	}
}
