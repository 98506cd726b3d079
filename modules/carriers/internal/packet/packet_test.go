package packet

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/attachments/attachmentsapi"
	"github.com/dispatchd/dispatchd/modules/carriers/carriersapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

func TestFirst_IsTheNewestUsableFileOfTheFirstCategory(t *testing.T) {
	t.Parallel()
	file := func(category, state string) attachmentsapi.File {
		return attachmentsapi.File{UUID: uuid.NewString(), Category: category, State: state}
	}
	old, newer, refused := file(Certificate, "ready"), file(Certificate, "scanning"), file(Certificate, "quarantined")
	agents := file(AgentCertificate, "ready")
	files := Files{old, newer, refused}
	require.Equal(t, newer.UUID, files.First(AgentCertificate, Certificate).String())
	require.Equal(t, agents.UUID, append(files, agents).First(AgentCertificate, Certificate).String(), "the agent's own comes first")
	require.Nil(t, files.First(Notice))
	require.Nil(t, Files{refused, file(Certificate, "uploading")}.First(Certificate))
	var shown []string
	for _, v := range append(files, file(StepW9, "uploading")).Views() {
		shown = append(shown, v.Status)
	}
	require.Equal(t, []string{"received", "checking", "refused", "checking"}, shown)
}

func TestSteps_AreDoneAsTheirEntriesAreValid(t *testing.T) {
	t.Parallel()
	p := &Packet{Documents: resource.JSON[[]string]{V: []string{StepW9, StepAgreement, StepIdentity}}}
	done := func(f Files) map[string]bool {
		all := map[string]bool{}
		for _, s := range p.Steps(f, "2026-11-30") {
			all[s.Name] = s.Done
		}

		return all
	}
	require.Equal(t, map[string]bool{StepProfile: false, StepEquipment: true, StepW9: false, StepAgreement: false, StepIdentity: false}, done(nil))
	err := CheckComplete(p.Steps(nil, "2026-11-30"))
	require.ErrorIs(t, err, ErrIncomplete)
	incomplete, _ := errors.AsType[*errs.Error](CheckComplete([]StepView{{Name: StepW9, Title: "W-9"}, {Name: StepEquipment, Done: true}}))
	require.Equal(t, map[string][]string{StepW9: {"Complete the step W-9."}}, incomplete.Fields)
	p.Proposal.V = Proposal{Profile: &Profile{LegalName: "One", Phone: "2145550143"}, Agreement: &Accepted{}, VerifiedAt: new(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))}
	w9 := Files{{UUID: uuid.NewString(), Category: StepW9, State: "ready"}}
	require.Equal(t, map[string]bool{StepProfile: true, StepEquipment: true, StepW9: true, StepAgreement: true, StepIdentity: true}, done(w9))
	require.NoError(t, CheckComplete(p.Steps(w9, "2026-11-30")))
	p.Proposal.V.Equipment = &Equipment{Lanes: []Lane{{From: []string{"Texas"}, To: []string{"FL"}}}}
	require.False(t, done(w9)[StepEquipment], "an optional step is not done either while it is invalid")
}

func TestAsks_ForTheProfileAndTheEquipmentAlways(t *testing.T) {
	t.Parallel()
	p := &Packet{Documents: resource.JSON[[]string]{V: []string{StepW9}}}
	for step, want := range map[string]bool{StepProfile: true, StepEquipment: true, StepW9: true, StepRemitTo: false, StepIdentity: false} {
		require.Equal(t, want, p.Asks(step), step)
	}
	for _, s := range []State{Sent, Started, Submitted, Approved, Rejected, Expired, Revoked} {
		require.Equal(t, s == Sent || s == Started, (&Packet{State: s}).Open(), s)
	}
}

func TestRequest_LeavesOutAnAgreementThatIsNotWritten(t *testing.T) {
	t.Parallel()
	without := Preferences{Documents: []string{StepAgreement, StepW9, StepInsurance}}
	with := without
	with.Agreement = "We agree."
	for name, one := range map[string]struct {
		settings Preferences
		wanted   []string
		want     []string
	}{
		"by default":                       {with, nil, []string{StepInsurance, StepW9, StepAgreement}},
		"by default, without an agreement": {without, nil, []string{StepInsurance, StepW9}},
		"asked for, in the order of steps": {with, []string{StepIdentity, StepAgreement, StepIdentity}, []string{StepAgreement, StepIdentity}},
		"none":                             {with, []string{}, []string{}},
	} {
		got, err := one.settings.Request(one.wanted)
		require.NoError(t, err, name)
		require.Equal(t, one.want, got, name)
	}
	_, err := without.Request([]string{StepAgreement})
	require.ErrorIs(t, err, ErrNoAgreement)
	require.Equal(t, []string{StepAgreement, StepW9, StepInsurance}, without.Documents, "the settings stay as they are")
}

func TestSettings_AreWithinTheLimits(t *testing.T) {
	t.Parallel()
	require.NoError(t, Defaults().Validate())
	for _, life := range []time.Duration{0, -time.Hour, maxLinkLife + 1} {
		require.ErrorContains(t, Settings{LinkLife: life}.Validate(), "packet.link_life")
	}
	require.ErrorContains(t, Settings{LinkLife: time.Hour, Documents: []string{"profile"}}.Validate(), `"profile"`)
}

func TestNewestStates_AreThoseAfterTheChanges(t *testing.T) {
	t.Parallel()
	one, other, none := uuid.New(), uuid.New(), uuid.New()
	row := func(n byte, carrier uuid.UUID, s State) Packet {
		p := Packet{Carrier: carrier, State: s}
		p.ID = uuid.UUID{n}

		return p
	}
	rows := []Packet{row(1, one, Approved), row(2, one, Sent), row(3, other, Sent)}
	states := func(changes ...*resource.Change[Packet]) []State {
		all := newestStates(rows, changes, []uuid.UUID{one, other, none})

		return []State{all[one], all[other], all[none]}
	}
	change := func(v resource.Verb, after Packet) *resource.Change[Packet] {
		return &resource.Change[Packet]{Verb: v, After: &after}
	}
	require.Equal(t, []State{Sent, Sent, None}, states())
	require.Equal(t, []State{Started, Sent, None}, states(change("save", row(2, one, Started))))
	require.Equal(t, []State{Sent, Sent, None}, states(change("save", row(1, one, Revoked))), "an older packet does not count")
	require.Equal(t, []State{Approved, Sent, None}, states(change(resource.Delete, row(2, one, Sent))))
	require.Equal(t, []State{Sent, None, Sent}, states(change(resource.Move, row(3, none, Sent))), "a merge moves packets")
	require.Equal(t, []State{Sent, Sent, Sent}, states(change(resource.Create, row(4, none, Sent))))
}

func TestReviewDue_IsReportedOfApprovedPackets(t *testing.T) {
	t.Parallel()
	p := Packet{State: Approved}
	due := Rules().Expiring(p, resource.Expiry{On: "2026-12-08", Days: 7})
	require.Equal(t, carriersapi.PacketReviewDue{Carrier: uuid.Nil.String(), Packet: uuid.Nil.String(), DueOn: "2026-12-08", Days: 7}, due)
	require.Nil(t, Rules().Expiring(Packet{State: Revoked}, resource.Expiry{}))
}
