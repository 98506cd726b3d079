package remit

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/verdict"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
)

func wrongFields(err error) []string {
	wrong, is := errors.AsType[*errs.Error](err)
	if !is {
		return nil
	}

	return slices.Sorted(maps.Keys(wrong.Fields))
}

func TestProposal_HasWhatItsMethodNeeds(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		proposal Proposal
		want     []string
	}{
		"a bank account": {Proposal{Method: "ach", Routing: "021000021", AccountNumber: "123456789"}, nil},
		"neither number": {Proposal{Method: "wire"}, []string{"account_number", "routing_number"}},
		"a routing number that fails its checksum": {Proposal{Method: "ach", Routing: "021000022", AccountNumber: "123456789"}, []string{"routing_number"}},
		"an account of four digits":                {Proposal{Method: "ach", Routing: "021000021", AccountNumber: "1234"}, []string{"account_number"}},
		"a check":                                  {Proposal{Method: ByCheck, Address: field.Address{Line1: "1 Main St", City: "Dallas"}}, nil},
		"a check to nowhere":                       {Proposal{Method: ByCheck, Address: field.Address{City: "Dallas"}}, []string{"address"}},
		"a check to an account":                    {Proposal{Method: ByCheck, Routing: "021000021", Address: field.Address{Line1: "1 Main St", City: "Dallas"}}, []string{"account_number"}},
		"a card":                                   {Proposal{Method: "card"}, nil},
		"a factor without papers":                  {Proposal{Method: "card", Kind: Factor}, []string{"notice_date", "notice_uuid"}},
		"a factor":                                 {Proposal{Method: "card", Kind: Factor, Notice: new(uuid.New()), NoticeDate: "2026-11-30"}, nil},
	} {
		err := one.proposal.Check()
		require.Equal(t, one.want, wrongFields(err), name)
		if err != nil {
			require.NotContains(t, err.Error(), "1234", name)
		}
	}
}

func TestRelease_IsNeededToLeaveAFactor(t *testing.T) {
	t.Parallel()
	factor := &Change{Kind: Factor, Payee: "First Factoring"}
	for name, one := range map[string]struct {
		proposal  Proposal
		effective *Change
		refused   bool
	}{
		"the first remit-to":                 {Proposal{Kind: "carrier"}, nil, false},
		"the carrier was paid":               {Proposal{Kind: Factor, Payee: "First Factoring"}, &Change{Kind: "carrier", Payee: "One"}, false},
		"the same factor":                    {Proposal{Kind: Factor, Payee: "First Factoring"}, factor, false},
		"the carrier instead":                {Proposal{Kind: "carrier", Payee: "First Factoring"}, factor, true},
		"another factor":                     {Proposal{Kind: Factor, Payee: "Second Factoring"}, factor, true},
		"another factor, and it is released": {Proposal{Kind: Factor, Payee: "Second Factoring", Release: new(uuid.New())}, factor, false},
	} {
		err := one.proposal.checkRelease(one.effective)
		require.Equal(t, one.refused, errors.Is(err, ErrInvalid), name)
		if one.refused {
			require.Equal(t, []string{"release_uuid"}, wrongFields(err), name)
		}
	}
}

func TestVerification_IsByAnotherWayAndAnotherPerson(t *testing.T) {
	t.Parallel()
	one, other := uuid.New(), uuid.New()
	change := func(s remitState, by *uuid.UUID) *Change {
		c := &Change{State: s, RequestedVia: "email"}
		c.CreatedBy = by

		return c
	}
	two := Settings{SecondPerson: true}
	for name, of := range map[string]struct {
		via      string
		change   *Change
		by       *uuid.UUID
		settings Settings
		want     error
	}{
		"the user who proposed it":                  {"phone", change(Pending, &one), &one, Settings{}, nil},
		"two persons, and the same one":             {"phone", change(Pending, &one), &one, two, errSecondPerson},
		"two persons, and another one":              {"phone", change(Pending, &one), &other, two, nil},
		"two persons, and a service token":          {"phone", change(Pending, &one), nil, two, errSecondPerson},
		"two persons, and a packet had proposed it": {"phone", change(Pending, nil), &one, two, nil},
		"a service token":                           {"phone", change(Pending, &one), nil, Settings{}, nil},
		"by the way that the request came by":       {"email", change(Pending, &one), &other, two, errSameChannel},
		"it is effective":                           {"phone", change(Effective, &one), &other, Settings{}, errNotPending},
		"it was cancelled, whichever way":           {"email", change(remitCancelled, &one), &other, Settings{}, errNotPending},
	} {
		err := verification{Via: of.via}.check(of.change, of.by, of.settings)
		require.ErrorIs(t, err, of.want, name)
	}
}

func TestRow_KeepsTheLastDigitsOfTheAccountAlone(t *testing.T) {
	t.Parallel()
	carrier := uuid.New()
	row := (&Proposal{Method: "ach", AccountNumber: "123456789", AccountType: "checking"}).Row(carrier)
	require.Equal(t, []any{carrier, "6789", "checking"}, []any{row.Carrier, row.Last4, *row.AccountType})
	require.Empty(t, (&Proposal{Method: "card"}).Row(carrier).Last4)
	require.Nil(t, (&Proposal{Method: "card"}).Row(carrier).AccountType)
}

func TestFacts_WarnOfRedirectionsAlone(t *testing.T) {
	t.Parallel()
	first, changed := &Change{EffectiveOn: "2026-11-01"}, &Change{EffectiveOn: "2026-11-20", Replaces: new(uuid.New())}
	for name, one := range map[string]struct {
		standing Standing
		changed  field.Date
		pending  bool
	}{
		"none":                          {Standing{}, "", false},
		"the first one":                 {Standing{Effective: first}, "", false},
		"the first one is pending":      {Standing{Pending: first}, "", false},
		"another one":                   {Standing{Effective: changed}, "2026-11-20", false},
		"another one is pending":        {Standing{Effective: first, Pending: changed}, "", true},
		"it changed, and changes again": {Standing{Effective: changed, Pending: changed}, "2026-11-20", true},
	} {
		var own verdict.Own
		one.standing.Facts(&own)
		require.Equal(t, one.changed, own.RemitToChanged, name)
		require.Equal(t, one.pending, own.RemitToPending, name)
	}
}
