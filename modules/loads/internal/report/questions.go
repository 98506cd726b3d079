package report

import (
	"context"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/loads/internal/margins"
)

// kind is what a column has.
type kind string

const (
	text    kind = "text"
	id      kind = "uuid"
	number  kind = "count"
	amount  kind = "amount"
	percent kind = "percent"
	days    kind = "days"
)

// column is a column of a report.
type column struct {
	Key   string `json:"key"`
	Kind  kind   `json:"kind" enum:"text,uuid,count,amount,percent,days" doc:"Amounts, percentages and days are decimal numbers in strings, such as 12.5."`
	About string `json:"about"`

	// sql is its value: text for a key of the rows, else a whole number: amounts times 10,000, percentages and days times ten.
	sql string
	// names are what the id is of: users, or a type of items.
	names string
}

// SchemaName is the name of the body in the OpenAPI document.
func (column) SchemaName() string { return "LoadReportColumn" }

// named is the key under which the name of an id is.
func (c column) named() string { return strings.TrimSuffix(c.Key, "_uuid") + "_name" }

// question is a report: what is counted of which loads, by what.
type question struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	By      []column `json:"-"`
	Of      []column `json:"-"`
	Columns []column `json:"columns" nullable:"false"`

	// period is the column of the time that must be in the period; "" for a report on what is now.
	period string
	// where is what else must be true of a load.
	where string
}

// SchemaName is the name of the body in the OpenAPI document.
func (question) SchemaName() string { return "LoadReportDescription" }

// columns are those that the report shows, with those of names beside ids.
func (q question) columns() []column {
	var all []column
	for _, c := range q.By {
		if all = append(all, c); c.names != "" {
			all = append(all, column{Key: c.named(), Kind: text, About: "The name of it."})
		}
	}

	return append(all, q.Of...)
}

// What columns are made of. A day after the first window began, and with the end of the last one, a load is late, as in the dashboard.
const (
	isBooked    = "booked_at IS NOT NULL"
	latePickup  = "{picked_up_at-pickup_from} > 1"
	lateArrival = "delivered_at > deliver_by"
	onTimeBase  = "pickup_from IS NOT NULL AND picked_up_at IS NOT NULL"
	// since is when an open load came to its state.
	since = `COALESCE(CASE state WHEN 'quoted' THEN quoted_at WHEN 'booked' THEN booked_at WHEN 'ready' THEN ready_at WHEN 'dispatched' THEN dispatched_at
		WHEN 'picked_up' THEN picked_up_at WHEN 'delivered' THEN delivered_at END, created_at)`
)

// questionsFor are the reports with the columns that the caller may see.
func questionsFor(ctx context.Context) []question {
	all := questions()
	if margins.Seen(ctx) {
		return all
	}
	for i := range all {
		all[i].Of = slices.DeleteFunc(all[i].Of, func(c column) bool { return c.Kind == amount || c.Key == "margin" })
	}

	return all
}

// questions are the reports.
func questions() []question { return append(ofRequests(), ofLoads()...) }

// ofRequests are the reports on what becomes of requests.
func ofRequests() []question {
	currency := column{Key: "currency", Kind: text, sql: "currency"}
	user := column{Key: "assigned_user_uuid", Kind: id, About: "Who sells the loads; null for nobody.", sql: "assigned_id", names: ofUsers}

	return []question{
		{
			Name: "sales_by_user", About: "What became of the loads that were created in the period, by who sells them.", period: "created_at",
			By: []column{user, currency},
			Of: []column{
				count("leads", "Loads that were created.", "1=1"), count("quoted", "", "quoted_at IS NOT NULL"), count("booked", "", isBooked), count("lost", "", "state = 'lost'"),
				share("conversion", "How many of them were booked.", isBooked, "1=1"), sum("tariff", "Of those that were booked.", isBooked), sum("broker_fee", "Of those that were booked.", isBooked),
				{Key: "days_to_book", Kind: days, About: "From the creation to the booking, on average.", sql: "AVG({booked_at-created_at}) * 10"},
			},
		},
		{
			Name: "lead_sources", About: "What became of the loads that were created in the period, by where they came from.", period: "created_at",
			By: []column{
				{Key: "source_kind", Kind: text, About: "Null for loads entered by hand.", sql: "source_kind"},
				{Key: "source_uuid", Kind: id, sql: "source_id", names: sources},
				currency,
			},
			Of: []column{
				count("leads", "Loads that were created.", "1=1"), count("booked", "", isBooked), share("conversion", "How many of them were booked.", isBooked, "1=1"),
				sum("tariff", "Of those that were booked.", isBooked), sum("broker_fee", "Of those that were booked.", isBooked),
			},
		},
	}
}

// ofLoads are the reports on loads that were booked.
func ofLoads() []question {
	currency := column{Key: "currency", Kind: text, sql: "currency"}
	customer := column{Key: "customer_uuid", Kind: id, sql: "customer_id", names: contacts}
	carrier := column{Key: "carrier_uuid", Kind: id, About: "Null for loads that the company carried itself.", sql: "carrier_id", names: carriers}
	from := column{Key: "origin_zip3", Kind: text, About: "The first three digits of the ZIP code.", sql: "origin_zip3"}
	to := column{Key: "destination_zip3", Kind: text, sql: "destination_zip3"}
	loads := count("loads", "", "1=1")
	tariff, pay, fee := sum("tariff", "What customers pay.", "1=1"), sum("carrier_pay", "What carriers get.", "1=1"), sum("broker_fee", "What the company keeps.", "1=1")
	reason := column{Key: "reason", Kind: text, About: "The id of the reason in the settings.", sql: "end_reason"}

	return []question{
		{
			Name: "lanes", About: "What the lanes brought on which loads were booked in the period.", period: "booked_at", where: "origin_zip3 <> '' AND destination_zip3 <> ''",
			By: []column{from, to, currency},
			Of: []column{loads, {Key: "vehicles", Kind: number, sql: "SUM(vehicle_count)"}, tariff, pay, fee, perMile("tariff_per_mile", "tariff"), perMile("carrier_pay_per_mile", "carrier_pay")},
		},
		{
			Name: "margin_by_customer", About: "What is left of what customers pay, of the loads that were booked in the period.", period: "booked_at", where: "state <> 'cancelled'",
			By: []column{customer, currency},
			Of: []column{loads, tariff, pay, fee, {
				Key: "margin", Kind: percent, About: "The broker fee as a share of the tariff.",
				sql: "1000.0 * SUM(CAST(broker_fee AS numeric)) / NULLIF(SUM(CAST(tariff AS numeric)), 0)",
			}},
		},
		{
			Name: "on_time", About: "Which of the loads that were delivered in the period were picked up and delivered in time.", period: "delivered_at",
			By: []column{carrier},
			Of: []column{
				loads, count("picked_up_late", "A day after the first window began, or later.", latePickup), share("picked_up_in_time", "Of those that had a window.", "NOT ("+latePickup+")", onTimeBase),
				count("delivered_late", "After the end of the last window.", lateArrival), share("delivered_in_time", "Of those that had a window.", "NOT ("+lateArrival+")", "deliver_by IS NOT NULL"),
			},
		},
		{
			Name: "cancelled_by_reason", About: "Why loads were canceled in the period, and by whom.", period: "ended_at", where: "state = 'cancelled'",
			By: []column{reason, {Key: "cancelled_by", Kind: text, sql: "ended_by"}, currency}, Of: []column{loads, tariff, fee},
		},
		{
			Name: "lost_by_reason", About: "Why leads and quoted loads were lost in the period.", period: "ended_at", where: "state = 'lost'",
			By: []column{reason, currency}, Of: []column{loads, tariff},
		},
		{
			Name: "inop_share", About: "How many of the vehicles do not run, of the loads that were created in the period.", period: "created_at",
			By: []column{{Key: "origin_state", Kind: text, sql: "origin_state"}},
			Of: []column{
				loads,
				{Key: "vehicles", Kind: number, sql: "SUM(vehicle_count)"},
				{Key: "inoperable", Kind: number, sql: "SUM(inop_count)"},
				{Key: "share", Kind: percent, sql: "1000.0 * SUM(inop_count) / NULLIF(SUM(vehicle_count), 0)"},
			},
		},
		{
			Name: "aging_by_state", About: "For how long the loads that are open have been in their states.", where: isOpen,
			By: []column{{Key: "state", Kind: text, sql: "state"}},
			Of: []column{
				loads, count("days_0_2", "", since+" > @days2"), count("days_3_7", "", since+" <= @days2 AND "+since+" > @days7"),
				count("days_8_30", "", since+" <= @days7 AND "+since+" > @days30"), count("days_31", "Longer.", since+" <= @days30"),
				{Key: "average_days", Kind: days, sql: "AVG({@now-" + since + "}) * 10"},
			},
		},
		{
			Name: "unbilled_delivered", About: "Loads that are delivered and not completed.", where: "state = 'delivered'",
			By: []column{customer, currency},
			Of: []column{loads, tariff, sum("customer_balance", "What is left to pay.", "1=1"), count("days_31", "Delivered more than 30 days ago.", "delivered_at <= @days30"), {Key: "oldest_days", Kind: days, sql: "MAX({@now-delivered_at}) * 10"}},
		},
	}
}

// isOpen is that a load is not over.
const isOpen = "state IN ('draft', 'lead', 'quoted', 'booked', 'ready', 'dispatched', 'picked_up', 'delivered')"

func count(key, about, where string) column {
	return column{Key: key, Kind: number, About: about, sql: "COUNT(CASE WHEN " + where + " THEN 1 END)"}
}

// sum adds up an amount of a load in parts of ten thousand, which both databases do exactly.
func sum(key, about, where string) column {
	return column{Key: key, Kind: amount, About: about, sql: "SUM(CASE WHEN " + where + " THEN CAST(ROUND(CAST(" + key + " AS numeric) * 10000) AS bigint) END)"}
}

// share is which part of the loads of which something is true something else is true of.
func share(key, about, where, of string) column {
	return column{Key: key, Kind: percent, About: about, sql: "1000.0 * COUNT(CASE WHEN " + of + " AND " + where + " THEN 1 END) / NULLIF(COUNT(CASE WHEN " + of + " THEN 1 END), 0)"}
}

func perMile(key, of string) column {
	return column{
		Key: key, Kind: amount, About: "Of the loads whose miles are known.",
		sql: "10000.0 * SUM(CASE WHEN miles > 0 THEN CAST(" + of + " AS numeric) END) / NULLIF(SUM(CASE WHEN miles > 0 AND " + of + " IS NOT NULL THEN miles END), 0)",
	}
}
