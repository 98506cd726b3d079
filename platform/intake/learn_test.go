package intake_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/intake"
)

func TestLearn_FindsTheLabelsWhoseValuesWereEntered(t *testing.T) {
	t.Parallel()
	q := intake.From([]intake.Pair{{"Where from?", "Dallas"}, {"Call me at", "(214) 555-0143"}, {"Favorite color", "Blue"}}, nil)
	require.Equal(t, []intake.Lesson{{"Where from?", intake.OriginCity}, {"Call me at", intake.Phone}}, intake.Learn(q, map[intake.Field]string{
		intake.OriginCity: "DALLAS", intake.Phone: "+12145550143", intake.DestCity: "",
	}))
	require.Equal(t, "Dallas", intake.From([]intake.Pair{{"Where from?", "Dallas"}}, intake.Labels{"Where from?": intake.OriginCity}).Value(intake.OriginCity))
}

func TestKey_IsTheIDOrElseTheText(t *testing.T) {
	t.Parallel()
	none, lead := intake.From(nil, nil), intake.From([]intake.Pair{{"Lead ID", "L-77"}}, nil)
	mail := intake.Letter{ID: "1@example.com"}
	require.Equal(t, intake.Key{Text: "id:1@example.com:0", Window: 30 * 24 * time.Hour}, intake.KeyOf(mail, lead, "text", 0))
	require.Equal(t, "id:L-77:1", intake.KeyOf(intake.Letter{}, lead, "text", 1).Text)
	body := intake.KeyOf(intake.Letter{}, none, "text", 0)
	require.Equal(t, 10*time.Minute, body.Window)
	require.Equal(t, body, intake.KeyOf(intake.Letter{}, none, "text", 0))
	require.NotEqual(t, body, intake.KeyOf(intake.Letter{}, none, "other", 0))
	require.NotEqual(t, body, intake.KeyOf(intake.Letter{}, none, "text", 1))
}

func TestInquiry_ReadsDaysTransportsAndReferences(t *testing.T) {
	t.Parallel()
	for text, day := range map[string]string{
		"2026-12-20": "2026-12-20", "12/20/2026": "2026-12-20", "1/2/27": "2027-01-02", "Dec 20, 2026": "2026-12-20", "soon": "", "": "",
	} {
		require.Equal(t, day, string(intake.From([]intake.Pair{{"Move date", text}}, nil).AvailableFrom()), text)
	}
	for text, transport := range map[string]string{"Fully enclosed": "enclosed", "OPEN": "open", "Drive away": "driveaway", "any": "", "": ""} {
		require.Equal(t, transport, intake.From([]intake.Pair{{"Ship via", text}}, nil).TransportType(), text)
	}
	require.Equal(t, "L-000123", intake.Letter{Subject: "Re: your quote [L-000123] today"}.Reference())
	require.Empty(t, intake.Letter{Subject: "Re: your quote [not one]"}.Reference())
}
