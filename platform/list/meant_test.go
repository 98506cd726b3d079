package list_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/calendar"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/list"
	"github.com/dispatchd/dispatchd/platform/principal"
)

// halfPastEleven is in Chicago still the 22nd of September.
func halfPastEleven() time.Time { return time.Date(2026, 9, 23, 4, 30, 0, 0, time.UTC) }

// chicago is where all companies are, unless the atlas is torn.
type chicago struct {
	asked int
	torn  error
}

func (c *chicago) TimeZone(context.Context, uuid.UUID) (string, error) {
	c.asked++

	return "America/Chicago", c.torn
}

// asking is a context in which somebody of a company in Chicago is calling, half an hour before midnight.
func asking() context.Context {
	return askingAt(clock.NewFake(halfPastEleven()), &chicago{}, uuid.Max)
}

func askingAt(c clock.Clock, zones calendar.Zones, user uuid.UUID) context.Context {
	made, err := calendar.New(c, zones)
	if err != nil {
		panic(err)
	}
	who := principal.Principal{Kind: principal.User, Company: uuid.Max, User: user, Scopes: []string{"*"}}

	return principal.With(calendar.With(context.Background(), made), who)
}

// codes returns the codes of the things of the page that ctx sees.
func codes(ctx context.Context, t *testing.T, db *gorm.DB, query url.Values) ([]string, list.Page[row]) {
	t.Helper()
	in := list.FromQuery("/things", query)
	s := schema(db)
	for i := range s.Fields {
		s.Fields[i].NamesUser = s.Fields[i].Name == "ref"
	}
	q, err := in.Parse(ctx, s)
	require.NoError(t, err, query)
	page, err := list.Find(db.Where("owner = ?", 1), q, row.key)
	require.NoError(t, err)
	var found []string
	for _, r := range page.Data {
		found = append(found, r.Code)
	}

	return found, page
}

// aWeek has a thing for each of the days from the 20th to the 25th of September, by the clocks of Chicago at noon.
func aWeek(t *testing.T, db *gorm.DB) {
	t.Helper()
	for i := range 6 {
		noon := time.Date(2026, 9, 20+i, 12, 0, 0, 0, time.UTC)
		insert(t, db, thing{
			"id": new(uuidOf(i)), "code": new(noon.Format("02")), "qty": new("1"), "day": new(noon.Format(time.DateOnly)),
			"seen": new(noon.Add(5 * time.Hour).Format(time.RFC3339)), "pickup": new(noon.Format(time.DateTime)),
			"ref": new(map[bool]string{true: uuid.Max.String(), false: uuidOf(7)}[i%2 == 0]),
		})
	}
}

func TestParse_CountsDatesFromThePresentOfTheCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		aWeek(t, db)
		for query, want := range map[string]string{
			"filter[day]=today": "22",
			"filter[day]=now":   "22",
			"filter[day][gte]=today-1d&filter[day][lte]=today 1d":       "21 22 23",
			"filter[day][in]=today,today%2B2d":                          "22 24",
			"filter[day][lt]=start_of_week":                             "20",
			"filter[day][gte]=start_of_quarter%2B3mo-6d":                "25",
			"filter[seen][gte]=today&filter[seen][lt]=today%2B1d":       "22",
			"filter[seen][gt]=now-11h":                                  "23 24 25",
			"filter[seen][lt]=start_of_week":                            "20",
			"filter[pickup][gte]=today&filter[pickup][lt]=today%2B1d":   "22",
			"filter[pickup]=today-1d%2B12h":                             "21",
			"filter[or][0][day]=today&filter[or][1][day]=start_of_week": "21 22",
		} {
			found, _ := codes(asking(), t, db, values(t, query))
			require.Equal(t, want, strings.Join(found, " "), query)
		}
	})
}

func TestParse_RefusesRelativeDatesThatAreNone(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"filter[day]=yesterday":     `"yesterday" is neither a date such as 2026-09-22 nor one of: now, today, start_of_week,`,
		"filter[day]=today-7m":      `(units: min, h, d, w, mo and y).`,
		"filter[at][gt]=Now":        `"Now" is neither a time such as 2026-09-22T10:00:00Z nor one of`,
		"filter[day]=today-9999y":   `"today-9999y" is not in the years 1 to 9999.`,
		"filter[at]=today":          `For a whole day use filter[at][gte]=today with filter[at][lt]=today%2B1d.`,
		"filter[local][in]=today":   `local has a time of day`,
		"filter[customer]=me":       `"me" is not a UUID.`,
		"filter[price]=today":       `"today" is not a decimal number`,
		"filter[at][in]=now,nowish": `"nowish" is neither`,
	} {
		_, err := parseLoads(query)
		refused, ok := errors.AsType[*errs.Error](err)
		require.True(t, ok, query)
		require.Len(t, refused.Fields, 1)
		for _, said := range refused.Fields {
			require.Contains(t, said[0], want, query)
		}
	}
}

func TestParse_KeepsThePresentOfTheWalk(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		aWeek(t, db)
		clk := clock.NewFake(halfPastEleven())
		ctx := askingAt(clk, &chicago{}, uuid.Max)
		query := values(t, "filter[day][gte]=today-1d&sort=day&per_page=2")
		found, page := codes(ctx, t, db, query)
		require.Equal(t, []string{"21", "22"}, found)

		clk.Advance(48 * time.Hour)
		query.Set("cursor", *page.Meta.NextCursor)
		found, page = codes(ctx, t, db, query)
		require.Equal(t, []string{"23", "24"}, found)
		query.Set("cursor", *page.Meta.PrevCursor)
		found, _ = codes(ctx, t, db, query)
		require.Equal(t, []string{"21", "22"}, found)

		query.Del("cursor")
		found, _ = codes(ctx, t, db, query)
		require.Equal(t, []string{"23", "24"}, found, "a new walk begins now")
	})
}

func TestParse_AsksForTheTimeZoneWhereADateIsRelativeAlone(t *testing.T) {
	t.Parallel()
	zones := &chicago{torn: errors.New("torn")}
	ctx := askingAt(clock.NewFake(halfPastEleven()), zones, uuid.Max)
	in := list.FromQuery("/loads", url.Values{"filter[day]": {"2026-01-01"}, "filter[number]": {"today"}, "sort": {"-price"}})
	_, err := in.Parse(ctx, loads())
	require.NoError(t, err)
	require.Zero(t, zones.asked)

	in = list.FromQuery("/loads", url.Values{"filter[day]": {"today"}})
	_, err = in.Parse(ctx, loads())
	require.ErrorIs(t, err, zones.torn)
}

func TestParse_TakesMeForWhoIsCalling(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *gorm.DB) {
		t.Helper()
		aWeek(t, db)
		query := values(t, "filter[ref]=me&per_page=1")
		found, page := codes(asking(), t, db, query)
		require.Equal(t, []string{"20"}, found)
		found, _ = codes(asking(), t, db, values(t, "filter[ref][nin]=me,"+uuidOf(6)))
		require.Equal(t, []string{"21", "23", "25"}, found)

		s := schema(db)
		for i := range s.Fields {
			s.Fields[i].NamesUser = s.Fields[i].Name == "ref"
		}
		query.Set("cursor", *page.Meta.NextCursor)
		in := list.FromQuery("/things", query)
		other := askingAt(clock.NewFake(halfPastEleven()), &chicago{}, uuid.New())
		_, err := in.Parse(other, s)
		require.ErrorIs(t, err, list.ErrCursorMismatch, "another me")

		nobody := askingAt(clock.NewFake(halfPastEleven()), &chicago{}, uuid.Nil)
		in = list.FromQuery("/things", values(t, "filter[ref]=me"))
		_, err = in.Parse(nobody, s)
		refused, ok := errors.AsType[*errs.Error](err)
		require.True(t, ok)
		require.Equal(t, []string{"me is the calling user, but a service token has none: name a user by UUID."}, refused.Fields["filter[ref]"])
		require.Contains(t, s.Describe(), "`ref` (uuid of a user, or `me`)")
	})
}
