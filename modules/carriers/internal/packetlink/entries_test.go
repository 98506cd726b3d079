package packetlink

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/packet"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/face"
	"github.com/dispatchd/dispatchd/platform/page"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

var noon = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

func TestUnseen_IsAStepThatWasSavedSinceItWasRead(t *testing.T) {
	t.Parallel()
	seen := func(n int64) *packet.Seen { return &packet.Seen{Revision: &n} }
	for name, one := range map[string]struct {
		entered, saved *packet.Seen
		stale          bool
		next           int64
	}{
		"never saved":                   {&packet.Seen{}, nil, false, 1},
		"never saved, as it was read":   {seen(0), nil, false, 1},
		"as it was read":                {seen(3), seen(3), false, 4},
		"saved since":                   {seen(2), seen(3), true, 4},
		"whatever is there is replaced": {&packet.Seen{}, seen(3), false, 4},
	} {
		require.Equal(t, one.stale, unseen(one.entered, one.saved), name)
		require.Equal(t, one.next, *one.entered.Revision, name)
	}
}

func TestAccepted_IsTheTextThatWasShown(t *testing.T) {
	t.Parallel()
	shown := agreement{Text: "We agree.", Version: versionOf("We agree.")}
	by := packet.Acceptance{Name: "Ann Lee", Accepted: true, Version: shown.Version}
	from := origin{"192.0.2.7", strings.Repeat("é", 501)}
	got, err := shown.accepted(by, from, noon)
	require.NoError(t, err)
	require.Equal(t, &packet.Accepted{Acceptance: by, Text: "We agree.", At: noon, Address: "192.0.2.7", UserAgent: strings.Repeat("é", 500)}, got)
	for name, one := range map[string]struct {
		by   packet.Acceptance
		want error
	}{
		"another text":   {packet.Acceptance{Name: "Ann Lee", Accepted: true, Version: versionOf("We agreed.")}, packet.ErrChanged},
		"no version":     {packet.Acceptance{Name: "Ann Lee", Accepted: true}, packet.ErrChanged},
		"not ticked":     {packet.Acceptance{Name: "Ann Lee", Version: shown.Version}, packet.ErrNotAccepted},
		"without a name": {packet.Acceptance{Name: " ", Accepted: true, Version: shown.Version}, packet.ErrNotAccepted},
	} {
		_, err := shown.accepted(one.by, from, noon)
		require.ErrorIs(t, err, one.want, name)
	}
}

func TestViewOf_ProposesTheRecordUntilAProfileIsSaved(t *testing.T) {
	t.Parallel()
	known := packet.Known{LegalName: "One", USDOT: "9900001", Email: "office@one.example", Record: packet.Record{LegalName: "ONE LLC", Phone: "+12145550100"}}
	v := viewOf(packet.Packet{State: packet.Sent}, known)
	require.Equal(t, packet.Profile{LegalName: "ONE LLC", Phone: "+12145550100"}, v.Profile, "nothing of what the company alone knows")
	require.Equal(t, subject{Name: "One", USDOT: "9900001"}, v.Carrier)
	known.Record = packet.Record{}
	require.Equal(t, "One", viewOf(packet.Packet{}, known).Profile.LegalName)
	row := packet.Packet{State: packet.Started}
	row.Proposal.V.Profile = &packet.Profile{LegalName: "Own"}
	require.Equal(t, packet.Profile{LegalName: "Own"}, viewOf(row, known).Profile)
}

func TestEquipmentForm_HasTheRowsThatAreFilled(t *testing.T) {
	t.Parallel()
	got := equipmentForm(url.Values{
		"revision": {"2"}, "unit0_kind": {"open"}, "unit0_slots": {"9"}, "unit0_count": {"two"}, "unit0_winch": {"true"},
		"unit1_slots": {"3"}, // no kind
		"unit3_kind":  {"tow"},
		"lane0_from":  {"tx, 75 ok"}, "lane0_to": {"FL/GA;30"},
		"lane1_from": {"TX"}, // no end
	})
	require.Equal(t, map[string]any{
		"revision": int64(2),
		"units":    []any{map[string]any{"kind": "open", "slots": int64(9), "winch": true}, map[string]any{"kind": "tow", "slots": 1}},
		"lanes":    []any{map[string]any{"from": []string{"TX", "75", "OK"}, "to": []string{"FL", "GA", "30"}}},
	}, got)
}

// sheet is a packet with two steps of which the first is complete.
func sheet() View {
	return View{
		Brand: page.Brand{Name: "Broker"}, State: packet.Started,
		Steps: []packet.StepView{
			{Name: packet.StepProfile, Title: "Company", Required: true, Saved: true, Done: true},
			{Name: packet.StepEquipment, Title: "Equipment and lanes", Done: true},
			{Name: packet.StepW9, Title: "W-9", Required: true},
		},
	}
}

func TestPage_ShowsTheFirstStepThatIsLeft(t *testing.T) {
	t.Parallel()
	v := sheet()
	require.Equal(t, packet.StepEquipment, v.firstOpen(), "optional, and shown once")
	v.Steps[1].Saved = true
	require.Equal(t, packet.StepW9, v.firstOpen())
	v.Steps[2].Saved, v.Steps[2].Done = true, true
	require.Equal(t, packet.StepReview, v.firstOpen())
	require.Equal(t, []string{packet.StepEquipment, packet.StepReview, packet.StepReview},
		[]string{v.after(packet.StepProfile), v.after(packet.StepW9), v.after("none")})
}

func TestPage_SaysHowFarThePacketIs(t *testing.T) {
	t.Parallel()
	heading := func(s packet.State, change func(v *View)) face.View {
		v := sheet()
		v.State = s
		if change != nil {
			change(&v)
		}

		return v.shown()
	}
	require.Equal(t, "Thank you. Your packet was submitted", heading(packet.Submitted, nil).Heading)
	require.Equal(t, "Your packet was approved", heading(packet.Approved, nil).Heading)
	require.Contains(t, heading(packet.Rejected, func(v *View) { v.Reason = "Another name." }).Next, "Reason: Another name.")
	shown := heading(packet.Started, func(v *View) { v.Step, v.Problem = packet.StepW9, packet.ErrChanged.Code })
	require.Equal(t, "W-9", shown.Heading)
	require.Len(t, shown.Problems, 1)
	require.Equal(t, "Equipment and lanes", heading(packet.Started, func(v *View) { v.Step = packet.StepRemitTo }).Heading, "that step is not requested")
	review := heading(packet.Started, func(v *View) { v.Step = packet.StepReview })
	require.Empty(t, review.Acts, "it cannot be submitted yet")
	require.Len(t, heading(packet.Started, func(v *View) { v.Step, v.Complete = packet.StepReview, true }).Acts, 1)
}

func TestStanding_TellsWhatIsLeftOfAStep(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]packet.StepView{
		"complete":      {Saved: true, Done: true},
		"needs changes": {Saved: true, Required: true},
		"optional":      {Done: true},
		"to do":         {Required: true},
		"":              {Name: packet.StepReview},
	} {
		require.Equal(t, want, standing(s), s)
	}
}

func TestProblemText_IsNeverACode(t *testing.T) {
	t.Parallel()
	require.Empty(t, problemText(""))
	for _, code := range []string{
		packet.ErrChanged.Code, packet.ErrClosed.Code, packet.ErrIncomplete.Code, packet.ErrNotAccepted.Code, packet.ErrTooManyLinks.Code,
		"onetimecode.wrong", "onetimecode.none", "onetimecode.too_many", "notify.no_channel", "something.new",
	} {
		require.NotContains(t, problemText(code), "_", code)
		require.Contains(t, problemText(code), ".", code)
	}
}

func TestSaved_LeadsTheBrowserOn(t *testing.T) {
	t.Parallel()
	const at = "/carriers/api/v1/packet/text/"
	done := []byte(`{"steps": [{"name": "insurance", "done": true, "saved": true}, {"name": "w9"}]}`)
	for name, one := range map[string]struct {
		step   string
		answer web.Answer
		want   string
	}{
		"to the next step":     {packet.StepInsurance, web.Answer{Status: http.StatusOK, JSON: done}, "../text?step=w9"},
		"back to what is left": {packet.StepW9, web.Answer{Status: http.StatusOK, JSON: done}, "../text?step=w9"},
		"back from the agent":  {"agent", web.Answer{Status: http.StatusOK, JSON: done}, "../text?step=insurance"},
		"back with what is wrong": {
			"submit",
			web.Answer{Status: http.StatusUnprocessableEntity, JSON: []byte(`{"code": "carriers.packet_incomplete"}`)},
			"../text?problem=carriers.packet_incomplete&step=review",
		},
	} {
		one.answer.Path = at + one.step
		require.Equal(t, one.want, newPages().saved(one.step)(one.answer).Location, name)
	}
	gone := web.Answer{Status: http.StatusNotFound, Path: at + "code", JSON: []byte(`{"code": "carriers.packet_gone"}`)}
	require.Empty(t, newPages().saved("code")(gone).Location, "a link that is no longer valid leads nowhere")
}

func TestOfAgent_NamesTheFieldOfTheForm(t *testing.T) {
	t.Parallel()
	require.Equal(t, errs.KindOf(share.ErrTooMany), errs.KindOf(ofAgent(share.ErrTooMany)))
	wrong := ofAgent(share.ErrRecipient.WithField("recipients.0.address", "`address` must be the number of a contact of the stop, or an ordinary number."))
	require.ErrorIs(t, wrong, share.ErrRecipient)
	refusal, _ := errors.AsType[*errs.Error](wrong)
	require.Equal(t, map[string][]string{"to": {"`to` must be an ordinary number."}}, refusal.Fields)
}
