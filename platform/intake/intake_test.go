package intake_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/intake"
)

const lines = `New lead!
First Name: Ann
Last Name: Lee
Email: ann@example.com
Phone Number: (214) 555-0143
Move Date: 12/20/2026
Ship Via: Open
Origin City: Dallas
Origin State: Texas
Origin Zip: 75201
Destination City: Miami
Destination State: FL
Destination Zip: 33101
Vehicle Year: 2012
Vehicle Make: BMW
Vehicle Model: X6
Vehicle Condition: Not running
Favorite Color: Blue
`

// table is the same as HTML, the way in which lead vendors send it.
const table = `<html><head><style>td { color: red }</style></head><body><table>
<tr><td><b>Name:</b></td><td>Ann Lee</td></tr><tr><td>E-mail</td><td>ann@example.com</td></tr><tr><td>Phone</td><td>214-555-0143</td></tr>
<tr><td>Pickup Location</td><td>Dallas, TX 75201</td></tr><tr><td>Delivery Location</td><td>Miami, FL 33101</td></tr>
<tr><td>Vehicle</td><td>2012 BMW X6</td></tr><tr><td>Running?</td><td>No</td></tr></table><p>Favorite color: Blue</p></body></html>`

const lead = `<?xml version="1.0"?><?adf version="1.0"?><adf><prospect><id sequence="1">L-77</id><requestdate>2026-11-20</requestdate>
<vehicle><year>2012</year><make>BMW</make><model>X6</model></vehicle><customer><contact><name part="first">Ann</name><name part="last">Lee</name>
<email>ann@example.com</email><phone type="voice">2145550143</phone><address><city>Dallas</city><regioncode>TX</regioncode><postalcode>75201</postalcode></address></contact>
<comments>Destination: Miami, FL 33101
Running: no</comments></customer></prospect></adf>`

func TestRead_UnderstandsARequestInEveryFormat(t *testing.T) {
	t.Parallel()
	object := `{"customer": {"first_name": "Ann", "last_name": "Lee", "email": "ann@example.com", "phone": 2145550143}, "origin_zip": "75201", "destination_zip": 33101,
		"vehicles": [{"vehicle_year": 2012, "vehicle_make": "BMW", "vehicle_model": "X6", "is_operational": false}], "favorite_color": "Blue"}`
	rows := "First Name,Last Name,Email,Phone,Origin Zip,Destination Zip,Vehicle,Operable,Favorite Color\nAnn,Lee,ann@example.com,2145550143,75201,33101,2012 BMW X6,No,Blue\n"
	encoded := "Message-ID: <1@example.com>\r\nSubject: =?utf-8?q?New_lead?=\r\nIn-Reply-To: <0@example.com>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
		"--b\r\nContent-Type: text/html; charset=iso-8859-1\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.StdEncoding.EncodeToString([]byte(table)) +
		"\r\n--b\r\nContent-Type: image/png; name=car.png\r\nContent-Disposition: attachment; filename=car.png\r\n\r\nx\r\n--b--\r\n"
	for name, test := range map[string]struct {
		format intake.Format
		text   string
	}{
		"labeled lines": {intake.Text, lines}, "a table": {intake.HTML, table}, "ADF": {intake.ADF, lead}, "JSON": {intake.JSON, object}, "CSV": {intake.CSV, rows},
		"a plain mail":       {intake.Mail, "Subject: New lead\r\nContent-Type: text/plain\r\n\r\n" + lines},
		"a mail with HTML":   {intake.Mail, encoded},
		"a mail with a lead": {intake.Mail, "Content-Type: application/xml\r\n\r\n" + lead},
		"a mail with rows":   {intake.Mail, "Content-Type: text/csv\r\n\r\n" + rows},
	} {
		all, _, err := intake.Read(test.format, test.text, nil)
		require.NoError(t, err, name)
		require.Len(t, all, 1, name)
		q := all[0]
		who, sure := q.Who()
		from, fromSure := q.From()
		to, toSure := q.To()
		require.Equal(t, []string{"Ann Lee", "ann@example.com", "75201", "33101"}, []string{who, q.Value(intake.Email), from.ZIP, to.ZIP}, name)
		require.Equal(t, []float64{1, 1, 1}, []float64{sure, fromSure, toSure}, name)
		require.Equal(t, "2145550143", strings.NewReplacer("(", "", ")", "", " ", "", "-", "").Replace(q.Value(intake.Phone)), name)
		require.Equal(t, []string{"2012 BMW X6 inop"}, q.Vehicles, name)
		if !strings.Contains(test.text, "<adf>") && name != "a mail with HTML" {
			require.Contains(t, strings.ToLower(strings.Join(q.Unparsed, " ")), "blue", name)
		}
	}
}

func TestRead_KnowsTheLetterOfAMail(t *testing.T) {
	t.Parallel()
	all, l, err := intake.Read(intake.Mail, "Message-ID: <1@example.com>\r\nSubject: =?utf-8?q?Re=3A_=5BL-2026-00012=5D?=\r\nIn-Reply-To: <0@example.com>\r\nAuto-Submitted: auto-replied\r\n"+
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: image/png; name=car.png\r\n\r\nx\r\n--b--\r\n", nil)
	require.NoError(t, err)
	require.Equal(t, intake.Letter{ID: "1@example.com", Subject: "Re: [L-2026-00012]", Answers: []string{"0@example.com"}, Bulk: true, Attached: []string{"car.png"}}, l)
	require.Len(t, all, 1, "what says nothing is a request all the same")
	require.Empty(t, all[0].Fields)
}

func TestRead_TellsVehiclesApart(t *testing.T) {
	t.Parallel()
	all, _, err := intake.Read(intake.Text, "Year: 2012\nMake: BMW\nModel: X6\nYear: 2003\nMake: Honda\nModel: Accord\nVehicle 3: 2019 Ford F-150\nVIN 4: 1HGCM82633A004352", nil)
	require.NoError(t, err)
	require.Equal(t, []string{"2012 BMW X6", "2003 Honda Accord", "2019 Ford F-150", "1HGCM82633A004352"}, all[0].Vehicles)
}

func TestRead_LearnsLabels(t *testing.T) {
	t.Parallel()
	all, _, err := intake.Read(intake.Text, "Where from?: Dallas, TX\nWer: Ann", intake.Labels{"where from": intake.Origin, "WER": intake.Name})
	require.NoError(t, err)
	from, sure := all[0].From()
	require.Equal(t, intake.Place{City: "Dallas", State: "TX"}, from)
	require.InDelta(t, 1, sure, 0)
	require.Empty(t, all[0].Unparsed)
}

func TestRead_IsNotSureOfWhatCannotBe(t *testing.T) {
	t.Parallel()
	all, _, err := intake.Read(intake.Text, "Email: ann\nPhone: 12\nOrigin Zip: Dallas\nTo: somewhere", nil)
	require.NoError(t, err)
	require.Empty(t, all[0].Value(intake.Email)+all[0].Value(intake.Phone))
	_, from := all[0].From()
	_, to := all[0].To()
	require.Zero(t, from+to)
}

func FuzzRead_NeverFails(f *testing.F) {
	for _, text := range []string{lines, table, lead, `{"a": [1]}`, "a,b\n1", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n\r\n--b--"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []intake.Format{intake.Text, intake.HTML, intake.ADF, intake.JSON, intake.CSV, intake.Mail} {
			all, _, err := intake.Read(format, text, nil)
			if err == nil && format != intake.CSV && format != intake.Mail && len(all) != 1 {
				t.Errorf("%s: %d inquiries", format, len(all))
			}
		}
	})
}
