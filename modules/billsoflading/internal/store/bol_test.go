package store

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// whole is a bill of lading with all that 49 CFR 373.101 requires.
func whole() Bol {
	b := Bol{State: Issued}
	b.Consignor.V = Party{Name: "Lone Star Auto", City: "Dallas", State: "TX", Postal: "75201", Zone: "America/Chicago"}
	b.Consignee.V = Party{Name: "Sunny Cars", City: "Miami", State: "FL", Postal: "33101", Zone: "America/New_York"}
	b.Vehicles.V = []Vehicle{{UUID: uuid.New(), VIN: "1HGCM82633A004352", Make: "Honda", Model: "Accord", Operable: true}}

	return b
}

func TestBol_IsSignedAtTheStageThatItsStateSays(t *testing.T) {
	t.Parallel()
	for state, due := range map[State]Stage{
		Draft: AtPickup, Issued: AtPickup, PickupSigned: AtDelivery, DeliverySigned: "", Closed: "", Voided: "", Transferred: "",
	} {
		b := Bol{State: state}
		require.Equal(t, due, b.Due(), state)
		require.Equal(t, state != Draft && state != Issued, b.Signed(), state)
	}
	require.Equal(t, []string{Releasing, Receiving}, []string{AtPickup.Counterpart(), AtDelivery.Counterpart()})
}

func TestLife_LeadsFromDraftToTheEnd(t *testing.T) {
	t.Parallel()
	to := map[State]map[string]State{}
	for _, step := range life.Steps {
		for _, from := range step.From {
			if to[from] == nil {
				to[from] = map[string]State{}
			}
			to[from][step.Verb] = step.To
			if step.Verb == string(VerbClose) || step.Verb == string(VerbTransfer) {
				require.Equal(t, []principal.Kind{principal.System}, step.Who.Kinds, "people do not %s", step.Verb)
			}
		}
	}
	require.Equal(t, map[State]map[string]State{
		Draft:          {"issue": Issued, "void": Voided},
		Issued:         {"sign_pickup": PickupSigned, "void": Voided},
		PickupSigned:   {"sign_delivery": DeliverySigned, "void": Voided, "transfer": Transferred},
		DeliverySigned: {"close": Closed},
	}, to)
}

func TestMissing_NamesWhatTheLawRequires(t *testing.T) {
	t.Parallel()
	require.Nil(t, whole().Missing())
	for name, c := range map[string]struct {
		change func(b *Bol)
		fields []string
	}{
		"no consignor":                   {func(b *Bol) { b.Consignor.V.Name = "" }, []string{"consignor.name"}},
		"no consignee":                   {func(b *Bol) { b.Consignee.V.Name = "" }, []string{"consignee.name"}},
		"no place of origin":             {func(b *Bol) { b.Consignor.V.City, b.Consignor.V.Postal = "", "" }, []string{"consignor.city"}},
		"a postal code is a place":       {func(b *Bol) { b.Consignor.V.City = "" }, nil},
		"a city is a place":              {func(b *Bol) { b.Consignee.V.Postal = "" }, nil},
		"no vehicles":                    {func(b *Bol) { b.Vehicles.V = nil }, []string{"vehicles"}},
		"a vehicle that nothing names":   {func(b *Bol) { b.Vehicles.V = []Vehicle{{Color: "red"}} }, []string{"vehicles"}},
		"a VIN names a vehicle":          {func(b *Bol) { b.Vehicles.V = []Vehicle{{VIN: "1HGCM82633A004352"}} }, nil},
		"so does a make":                 {func(b *Bol) { b.Vehicles.V = []Vehicle{{Make: "Honda"}} }, nil},
		"nothing at all, all at once":    {func(b *Bol) { *b = Bol{} }, []string{"consignor.name", "consignor.city", "consignee.name", "consignee.city", "vehicles"}},
		"no consignee and no vehicles":   {func(b *Bol) { b.Consignee.V.Name, b.Vehicles.V = "", nil }, []string{"consignee.name", "vehicles"}},
		"what the terms say is optional": {func(b *Bol) { b.Terms = "" }, nil},
	} {
		b := whole()
		c.change(&b)
		wrong := b.Missing()
		if c.fields == nil {
			require.Nil(t, wrong, name)

			continue
		}
		require.Equal(t, "bills_of_lading.missing_fields", wrong.Code, name)
		fields := []string{}
		for field := range wrong.Fields {
			fields = append(fields, field)
		}
		require.ElementsMatch(t, c.fields, fields, name)
	}
}

func TestEventTime_IsThePhonesUnlessItsClockIsWrong(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	made := now.Add(-72 * time.Hour)
	signed := now.Add(-2 * time.Hour)
	before := Bol{State: Issued, Row: resource.Row{CreatedAt: made}}
	after := Bol{State: PickupSigned, PickupAt: &signed, Row: resource.Row{CreatedAt: made}}
	for name, c := range map[string]struct {
		bill Bol
		said time.Time
		at   time.Time
		not  bool
	}{
		"nothing is said":                    {before, time.Time{}, now, false},
		"an hour ago":                        {before, now.Add(-time.Hour), now.Add(-time.Hour), false},
		"ten minutes ahead is a clock":       {before, now.Add(10 * time.Minute), now.Add(10 * time.Minute), false},
		"more is not":                        {before, now.Add(10*time.Minute + time.Second), now, true},
		"a day before the bill was made":     {before, made.Add(-24 * time.Hour), made.Add(-24 * time.Hour), false},
		"before that":                        {before, made.Add(-24*time.Hour - time.Second), now, true},
		"at the delivery, after the pickup":  {after, signed.Add(time.Minute), signed.Add(time.Minute), false},
		"at the delivery, before the pickup": {after, signed.Add(-time.Second), now, true},
	} {
		at, wrong := c.bill.EventTime(c.said, now)
		require.Equal(t, c.at, at, name)
		require.Equal(t, c.not, wrong, name)
	}
}

func TestIsOf_TellsTheTurnsOfOneCarrierApart(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	carrier := uuid.New()
	bill := func(made time.Time) Bol { return Bol{CarrierID: carrier, Row: resource.Row{CreatedAt: made}} }
	now := loadsapi.Standing{Carrier: carrier.String(), Since: since}
	require.True(t, bill(since).IsOf(now))
	require.True(t, bill(since.Add(time.Hour)).IsOf(now))
	require.False(t, bill(since.Add(-time.Hour)).IsOf(now), "it had the load before, gave it back and has it again")
	require.False(t, bill(since).IsOf(loadsapi.Standing{Carrier: uuid.NewString(), Since: since}))
	require.False(t, bill(since).IsOf(loadsapi.Standing{}), "no carrier has it")
}

func TestVehicle_IsFoundOnItsBill(t *testing.T) {
	t.Parallel()
	b := whole()
	v, err := b.Vehicle(b.Vehicles.V[0].UUID)
	require.NoError(t, err)
	require.Equal(t, "1HGCM82633A004352", v.VIN)
	_, err = b.Vehicle(uuid.New())
	require.ErrorIs(t, err, ErrInvalidEntry)
	require.True(t, errs.IsRefusal(err))
}

func TestSaysSame_ComparesWhatALoadSays(t *testing.T) {
	t.Parallel()
	b := whole()
	other := b
	other.Number, other.State = "BOL-2026-000002", Draft
	require.True(t, b.SaysSame(other), "numbers and states are its own")
	other = b
	other.Consignee.V.Phones = []string{"305 555 0143"}
	require.False(t, b.SaysSame(other))
	other = b
	other.Vehicles.V = append([]Vehicle{}, b.Vehicles.V...)
	other.Vehicles.V[0].Plate = "TX 123"
	require.False(t, b.SaysSame(other))
	other = b
	other.Inspection = AIAG
	require.False(t, b.SaysSame(other))
}

func TestText_IsAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	year := int64(2003)
	for want, v := range map[string]Vehicle{
		"2003 Honda Accord": {Year: &year, Make: "Honda", Model: "Accord", Operable: true},
		"2003 Honda Accord, blue, VIN 1HG, plate TX 1, lot 77, does not run": {
			Year: &year, Make: "Honda", Model: "Accord", Color: "blue", VIN: "1HG", Plate: "TX 1", Lot: "77",
		},
		"VIN 1HG": {VIN: "1HG", Operable: true},
	} {
		require.Equal(t, want, v.Text())
	}
	p := Party{Name: "Ann Lee", Address: []string{"1 Main St"}, City: "Dallas", State: "TX", Postal: "75201", Contact: "Ann Lee", Phones: []string{"214 555 0143"}}
	require.Equal(t, "Ann Lee\n1 Main St\nDallas, TX 75201\n214 555 0143", p.Text(), "a person is named once")
	p.Contact = "Bo"
	require.Contains(t, p.Text(), "\nBo\n")
	require.Equal(t, []string{"America/Chicago", "America/New_York"}, []string{whole().Zone(AtPickup), whole().Zone(AtDelivery)})
}

func TestDamage_IsTheSameAtBothStages(t *testing.T) {
	t.Parallel()
	car := uuid.New()
	for name, c := range map[string]struct {
		a, b Damaged
		same bool
	}{
		"AIAG, another severity": {Damaged{Vehicle: car, System: AIAG, Code: "14042"}, Damaged{Vehicle: car, System: AIAG, Code: "14045"}, true},
		"AIAG, another type":     {Damaged{Vehicle: car, System: AIAG, Code: "14042"}, Damaged{Vehicle: car, System: AIAG, Code: "14052"}, false},
		"letters, side and note": {Damaged{Vehicle: car, Code: "SC", Side: "left"}, Damaged{Vehicle: car, Code: "SC", Side: "left"}, true},
		"another side":           {Damaged{Vehicle: car, Code: "SC", Side: "left"}, Damaged{Vehicle: car, Code: "SC", Side: "right"}, false},
		"another vehicle":        {Damaged{Vehicle: car, Code: "SC"}, Damaged{Vehicle: uuid.New(), Code: "SC"}, false},
	} {
		require.Equal(t, c.same, c.a.Key() == c.b.Key(), name)
	}
}

func TestPhoto_ShowsADamageByItsIDOrThatOfThePhone(t *testing.T) {
	t.Parallel()
	id, client := uuid.New(), uuid.New()
	d := Damaged{Client: &client}
	d.ID = id
	require.True(t, Photo{Damage: &id}.Shows(d))
	require.True(t, Photo{DamageClient: &client}.Shows(d))
	require.False(t, Photo{}.Shows(d))
	other := uuid.New()
	require.False(t, Photo{Damage: &other, DamageClient: &other}.Shows(d))
	d.Client = nil
	require.False(t, Photo{DamageClient: &client}.Shows(d), "a damage that the office noted has no id of a phone")
}
